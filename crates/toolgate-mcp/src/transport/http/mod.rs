//! A server behind a URL: streamable HTTP, on `rmcp`'s worker.
//!
//! `client` sends the requests and reads the bodies, `events` cuts event streams, `stream` judges what they carry,
//! `request` builds the HTTP client, `server` says what is connected to and how. What `rmcp` decides stays with it: sessions,
//! streams that are taken up again after their last event, protocol versions.

mod client;
mod events;
mod request;
mod server;
mod stream;

pub use client::{HttpClient, HttpError};
pub(super) use request::client;
pub(super) use server::parse;
pub use server::{ConnectHttpError, HttpAuth, HttpServer, HttpTransport, connect_http};

use std::error::Error;

use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

/// Whether an error of `rmcp` means that the server has forgotten the session (HTTP 404).
///
/// The request was not carried out in that session; others that were under way may have been (K43). The connection is of
/// no more use.
#[must_use]
pub fn is_session_lost(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        matches!(
            cause.downcast_ref::<StreamableHttpError<HttpError>>(),
            Some(StreamableHttpError::SessionExpired)
        )
    })
}

/// Whether an error of `rmcp` means that somebody has to log in first, or again.
#[must_use]
pub fn is_login_required(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        cause.is::<AuthRequiredError>()
            || cause.is::<InsufficientScopeError>()
            || matches!(
                cause.downcast_ref::<StreamableHttpError<HttpError>>(),
                Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_))
            )
    })
}

/// An error with its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let first = error.downcast_ref().and_then(cause_of_greeting).unwrap_or(error);
    std::iter::successors(Some(first), |error| <dyn Error>::source(*error))
}

/// What the transport said to a greeting, which the error of the greeting does not name as its cause.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other errors are not of the transport")]
fn cause_of_greeting(error: &ClientInitializeError) -> Option<&(dyn Error + 'static)> {
    match error {
        ClientInitializeError::TransportError { error, .. } => Some(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => cause_of_greeting(fallback),
        _ => None,
    }
}
