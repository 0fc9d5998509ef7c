//! Why a web tool failed, and the one place that turns the reason into what a call returns.
//!
//! The text says what happened to which address; the hint says what to do. Neither holds a secret.

use std::net::IpAddr;
use std::time::Duration;

use toolgate::ToolError;
use toolgate::result::code;

use crate::codes::WEB_ERROR;

/// A page could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WebError {
    /// The address is none that can be fetched.
    #[error("`{url}` cannot be fetched: {why}")]
    InvalidUrl { url: String, why: String },
    /// A name leads, or the address itself is, where the configuration does not permit.
    #[error("`{host}` was not contacted: {address} is {what}")]
    AddressRefused { host: String, address: IpAddr, what: &'static str },
    /// The name has no address.
    #[error("the address of `{host}` was not found: {why}")]
    NameNotFound { host: String, why: String },
    /// Nobody answers there, or not in TLS.
    #[error("`{host}` cannot be reached: {why}")]
    Unreachable { host: String, why: String },
    /// The server's certificate proves nothing.
    #[error("the TLS certificate of `{host}` was refused: {why}")]
    CertificateRefused { host: String, why: String },
    /// There is nothing to check certificates with.
    #[error("no TLS connection is possible: {why}")]
    NoCertificates { why: String },
    /// What came back is not a whole and valid HTTP response.
    #[error("`{host}` gave no valid answer: {why}")]
    BadAnswer { host: String, why: String },
    /// It took too long in all.
    #[error("`{url}` was not fetched within {} ms", .limit.as_millis())]
    TimedOut { url: String, limit: Duration },
    /// The server points elsewhere, and the call does not go there.
    #[error("`{from}` redirects to `{to}`, which was not followed: {why}")]
    RedirectRefused { from: String, to: String, why: String, hint: &'static str },
    /// The body is nothing that can be shown as text.
    #[error("`{url}` is not text: {what}")]
    NotText { url: String, what: String },
}

impl WebError {
    /// The stable code of this reason. Each has a page in `docs/errors/`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::InvalidUrl { .. } => code::INVALID_ARGS,
            Self::AddressRefused { .. } => "ADDRESS_REFUSED",
            Self::NameNotFound { .. }
            | Self::Unreachable { .. }
            | Self::CertificateRefused { .. }
            | Self::NoCertificates { .. }
            | Self::BadAnswer { .. } => "FETCH_FAILED",
            Self::TimedOut { .. } => "FETCH_TIMEOUT",
            Self::RedirectRefused { .. } => "REDIRECT_REFUSED",
            Self::NotText { .. } => "UNSUPPORTED_CONTENT",
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::InvalidUrl { .. } => {
                "give an absolute http or https address without user name and password, such as \
                 https://example.com/page"
            }
            Self::AddressRefused { .. } => {
                "only public addresses are fetched; whoever runs this program can permit the host or its network with \
                 `allow_private` in the section `[web]` of the configuration"
            }
            Self::NameNotFound { .. } => "check the spelling of the host; if it is right, try again later",
            Self::Unreachable { .. } => "check host and port, or try again later",
            Self::CertificateRefused { .. } => {
                "do not trust this page; whoever runs this program can add the site's certificate authority with \
                 `ca_files` in the section `[web]` of the configuration"
            }
            Self::NoCertificates { .. } => {
                "install the system's certificate authorities (the package is often called ca-certificates), or name \
                 PEM files in SSL_CERT_FILE or in `ca_files` of the section `[web]` of the configuration"
            }
            Self::BadAnswer { .. } => {
                "try again later; if it stays so, the server is at fault: use another source"
            }
            Self::TimedOut { .. } => "try again later, or use another source",
            Self::RedirectRefused { hint, .. } => hint,
            Self::NotText { .. } => {
                "web_fetch returns HTML, plain text, JSON and XML; look for a page that has the same in text"
            }
        }
    }

    /// The failure of the call.
    pub(crate) fn into_tool_error(self) -> ToolError {
        let name = match &self {
            Self::InvalidUrl { .. } => code::TOOL_ARGS_ERROR,
            Self::AddressRefused { .. }
            | Self::NameNotFound { .. }
            | Self::Unreachable { .. }
            | Self::CertificateRefused { .. }
            | Self::NoCertificates { .. }
            | Self::BadAnswer { .. }
            | Self::TimedOut { .. }
            | Self::RedirectRefused { .. }
            | Self::NotText { .. } => WEB_ERROR,
        };
        ToolError::coded(name, self.code(), format!("{self}\nhint: {}", self.hint()))
    }
}
