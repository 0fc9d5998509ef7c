//! Why kept content could not be read, and the one place that turns the reason into what a call returns.

use std::io;

use toolgate::ToolError;
use toolgate::result::code;

use super::codes;
use super::tools::{GREP, READ};

/// A tool could not read what is kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum SpillError {
    #[error("nothing is kept under this handle for you")]
    Unknown,
    #[error("what was kept under this handle is gone: its time was over, or it made room for newer content")]
    Expired,
    #[error("you may not make the call that this content came from: {reason}")]
    Refused { reason: String },
    #[error("this content is not JSON, so there is nothing to point at")]
    NotJson,
    #[error("the pointer leads to nothing: {what}")]
    NotFound { what: String },
    #[error("the file with the content cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    #[error("{what}")]
    Arguments { what: String, hint: String },
    #[error("the call was cancelled before it was done")]
    Stopped,
}

impl SpillError {
    /// The failure of the call: what happened, then `hint:` with what to do.
    pub(super) fn into_tool_error(self) -> ToolError {
        let again = "call the tool again, and ask it for less if you can".to_owned();
        let (name, code, hint) = match &self {
            Self::Unknown => {
                let hint = "copy the handle from the notice in the result that was cut".to_owned();
                (codes::SPILL_ERROR, codes::UNKNOWN_HANDLE, hint)
            }
            Self::Expired => (codes::SPILL_ERROR, codes::EXPIRED, again),
            Self::Refused { .. } => {
                let hint = "work with what the result shows".to_owned();
                (codes::SPILL_ERROR, codes::REFUSED, hint)
            }
            Self::NotJson => {
                let hint = format!("use {READ} or {GREP}");
                (codes::SPILL_ERROR, codes::NOT_JSON, hint)
            }
            Self::NotFound { .. } => {
                let hint = "begin with a shorter pointer; the empty one gives the whole".to_owned();
                (codes::SPILL_ERROR, codes::POINTER_NOT_FOUND, hint)
            }
            Self::Unreadable(_) => (codes::SPILL_ERROR, codes::UNREADABLE, again),
            Self::Arguments { hint, .. } => (code::TOOL_ARGS_ERROR, code::INVALID_ARGS, hint.clone()),
            Self::Stopped => return ToolError::aborted(),
        };
        ToolError::coded(name, code, format!("{self}\nhint: {hint}"))
    }
}
