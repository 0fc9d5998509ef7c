//! Why a file tool failed, and the one place that turns the reason into what a call returns.
//!
//! The engines return a [`FileToolError`]; the tools pass it to [`FileToolError::into_tool_error`].

use std::error::Error as _;

use toolgate::ToolError;
use toolgate::result::code;

use crate::change::ChangeError;
use crate::codes::WORKSPACE_ERROR;
use crate::stop::Stopped;
use crate::walk::WalkError;
use crate::workspace::WorkspaceError;

/// A file tool could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileToolError {
    /// The path cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The change was refused, or failed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The arguments make no sense, although their types are right.
    #[error("{what}")]
    Arguments {
        /// Which argument is wrong, and how.
        what: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// The call was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<WalkError> for FileToolError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Workspace(error) => Self::Workspace(error),
            WalkError::Stopped(stopped) => Self::Stopped(stopped),
        }
    }
}

impl FileToolError {
    /// The failure of the call: what happened, then `hint:` with what to do.
    pub(crate) fn into_tool_error(self) -> ToolError {
        let mut message = self.to_string();
        if let Some(source) = self.source() {
            message = format!("{message}: {source}");
        }
        let (name, code, hint) = match &self {
            Self::Workspace(error) => (WORKSPACE_ERROR, error.code(), error.hint()),
            Self::Change(error) => (WORKSPACE_ERROR, error.code(), error.hint()),
            Self::Arguments { hint, .. } => (code::TOOL_ARGS_ERROR, code::INVALID_ARGS, *hint),
            Self::Stopped(_) => return ToolError::aborted(),
        };
        ToolError::coded(name, code, format!("{message}\nhint: {hint}"))
    }
}
