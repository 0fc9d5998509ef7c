//! The wire to one server: a child process on pipes, or a URL.
//!
//! [`connect_stdio`] and [`connect_http`] give a transport for `rmcp`, and beside it what `rmcp` does not tell: why a
//! server ended, what it printed, which tools were quarantined, and the answers of tools exactly as they were sent. The
//! upstream connections of this crate are the callers. Nothing here knows of tools, and nothing connects again by itself.

mod diagnostics;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod writer;

pub use diagnostics::{Diagnostics, Noise, ServerExit};
#[cfg(unix)]
pub use stdio::{StdioError, StdioLimits, StdioServer, StdioTransport, connect_stdio};

use crate::frame::RawAnswers;

/// A transport, and what goes with it.
#[derive(Debug)]
pub struct Connected<T> {
    /// What `rmcp` serves on.
    pub transport: T,
    /// What it finds out, also after its end.
    pub diagnostics: Diagnostics,
    /// The answers of tools as they were sent.
    pub answers: RawAnswers,
}
