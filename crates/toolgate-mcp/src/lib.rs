//! The Model Context Protocol, both ways: the tools of upstream servers become tools of a scope, and what a scope offers
//! is served to any client. What passes here goes through the same pipeline as every other call.

pub mod config;
mod frame;
pub mod gateway;
pub mod names;
pub mod pin;
pub mod transport;
pub mod upstream;

pub use frame::{FrameLimits, QuarantinedTool, RawAnswer, RawAnswers};
