//! The wire to one server: a child process on pipes, or a URL.
//!
//! [`connect_stdio`] and [`connect_http`] give a transport for `rmcp`, and beside it what `rmcp` does not tell: why a
//! server ended, what it printed, which tools were quarantined, and the answers of tools exactly as they were sent. The
//! upstream connections of this crate are the callers. Nothing here knows of tools, and nothing connects again by itself.

mod answers;
mod diagnostics;
mod http;
mod oauth;
#[cfg(unix)]
mod stdio;
mod writer;

pub use diagnostics::{Diagnostics, Noise, ServerExit};
pub use http::{
    ConnectHttpError, HttpAuth, HttpClient, HttpError, HttpServer, HttpTransport, connect_http,
    is_login_required, is_session_lost,
};
pub use oauth::{Login, OAuth, OAuthClient, OAuthError, TokenStore, begin_login};
#[cfg(unix)]
pub use stdio::{StdioError, StdioLimits, StdioServer, StdioTransport, connect_stdio};

pub(crate) use answers::Answers;
pub(crate) use writer::Writer;

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
