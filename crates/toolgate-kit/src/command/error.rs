//! Why a command failed, and the one place that turns the reason into what a call returns.

use std::io;

use toolgate::ToolError;
use toolgate::result::code;

use super::owner::EndError;
use crate::codes::SHELL_ERROR;
use crate::confine::NotEnforceable;
use crate::workspace::WorkspaceError;

/// A command could not be run, or not to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The folder to begin in cannot be entered.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The arguments make no sense, although their types are right.
    #[error("{what}")]
    Arguments {
        /// Which argument is wrong, and how.
        what: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// The confinement that is required cannot be had here.
    #[error("the command was not run: {0}")]
    NotEnforceable(#[from] NotEnforceable),
    /// The confinement failed when it was entered.
    #[error("the command was not run: {0}")]
    Unconfined(String),
    /// The process that watches over a command, or the shell, cannot be started.
    #[error("the command was not run: {0}")]
    NotStarted(String),
    /// The supervisor ended before its command.
    #[error("the supervisor of the command was killed; what was left of the command has been ended")]
    Unwatched,
    /// The command had more processes than it may.
    #[error(
        "the command was ended with everything that it had started, because it had more than {most} processes"
    )]
    TooManyProcesses {
        /// How many it may have.
        most: usize,
    },
    /// There are as many jobs as there may be.
    #[error("{most} jobs are running, and no more may")]
    TooManyJobs {
        /// How many may run.
        most: usize,
    },
    /// No job has this id.
    #[error("there is no job {id}")]
    UnknownJob {
        /// The id, as messages show it.
        id: String,
    },
    /// The session that the command belongs to is over.
    #[error("the command was not run: its session is closed")]
    Closed,
}

impl From<EndError> for CommandError {
    fn from(error: EndError) -> Self {
        match error {
            EndError::Unconfined(why) => Self::Unconfined(why),
            EndError::NotStarted(why) => Self::NotStarted(why),
            EndError::Unwatched => Self::Unwatched,
            EndError::TooManyProcesses { most } => Self::TooManyProcesses { most },
        }
    }
}

impl CommandError {
    /// The supervisor cannot be set up.
    pub(super) fn not_started(error: io::Error) -> Self {
        Self::NotStarted(error.to_string())
    }

    /// There is no place for temporary files.
    pub(super) fn no_scratch(error: io::Error) -> Self {
        let place = std::env::temp_dir();
        Self::NotStarted(format!("no folder for temporary files can be made in {}: {error}", place.display()))
    }

    /// The failure of the call: what happened, what the command had printed, then `hint:` with what to do.
    pub(crate) fn into_tool_error(self, printed: &str) -> ToolError {
        let mut message = self.to_string();
        let (name, code, hint) = match &self {
            Self::Workspace(error) => {
                if let Some(source) = std::error::Error::source(error) {
                    message = format!("{message}: {source}");
                }
                (crate::codes::WORKSPACE_ERROR, error.code(), error.hint())
            }
            Self::Arguments { hint, .. } => (code::TOOL_ARGS_ERROR, code::INVALID_ARGS, *hint),
            Self::NotEnforceable(_) | Self::Unconfined(_) => (
                SHELL_ERROR,
                "CONFINEMENT_UNAVAILABLE",
                "run `toolgate doctor` to see what this machine can enforce; another mode or enforcement is a decision of \
                 whoever configures this",
            ),
            Self::NotStarted(_) => (
                SHELL_ERROR,
                "SHELL_UNAVAILABLE",
                "check the configured shell, and that the system has resources left",
            ),
            Self::Unwatched => (
                SHELL_ERROR,
                "SUPERVISOR_KILLED",
                "let the command leave the processes alone that it did not start",
            ),
            Self::TooManyProcesses { .. } => (
                SHELL_ERROR,
                "PROCESS_LIMIT",
                "let the command do less at one time, such as with fewer parallel jobs",
            ),
            Self::TooManyJobs { .. } => {
                (SHELL_ERROR, "JOB_LIMIT", "end one with job_kill; job_list shows them")
            }
            Self::UnknownJob { .. } => (
                SHELL_ERROR,
                "UNKNOWN_JOB",
                "job_list shows the jobs there are; those that ended long ago are forgotten",
            ),
            Self::Closed => (SHELL_ERROR, "SHELL_UNAVAILABLE", "begin a new session"),
        };
        if !printed.is_empty() {
            message = format!("{message}\n{printed}");
        }
        ToolError::coded(name, code, format!("{message}\nhint: {hint}"))
    }
}
