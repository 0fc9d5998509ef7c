//! Who may talk to the server, and what browsers may do with its answers.

mod gate;
mod headers;
mod secret;

pub(crate) use gate::{Gate, pass};
pub use secret::{NoRandomness, Secret};
