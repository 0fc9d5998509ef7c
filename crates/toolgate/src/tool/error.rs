//! How code that is not ours says that it failed: bodies, hooks, guards and approvers.

use std::borrow::Cow;
use std::fmt;

use crate::result::{ErrorInfo, FailureCause, ToolFailure, code};

/// A failure of a tool body or a hook.
///
/// Any `std::error::Error` becomes one through `?`: it then has a message and no code. A failure that callers are
/// meant to tell apart is made by [`ToolError::coded`] and keeps its name and code to the end (rule P19).
/// What is no `std::error::Error` is put into words: `.map_err(|error| ToolError::new(format!("{error:#}")))`.
/// For that reason the type does not implement `std::error::Error` itself.
// Boxed, so that the path of a success does not carry the room of a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError(Box<ErrorParts>);

#[derive(Clone, Debug, PartialEq)]
struct ErrorParts {
    message: String,
    info: Option<ErrorInfo>,
    cause: Option<FailureCause>,
    /// The type of the hook that failed with this.
    hook: Option<&'static str>,
}

impl ToolError {
    /// A failure with a message for the model and no code.
    pub fn new(message: impl Into<String>) -> Self {
        Self::from_parts(message.into(), None, None)
    }

    /// A failure with a name and a code, such as `("QuotaError", "QUOTA")`.
    pub fn coded(
        name: impl Into<Cow<'static, str>>,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        let info = Some(ErrorInfo::new(name, code));
        Self::from_parts(message.into(), info, None)
    }

    /// What a body answers that stopped because it was asked to: `ABORTED`, in the library's own words.
    #[must_use]
    pub fn aborted() -> Self {
        let failure = ToolFailure::aborted(true);
        let cause = failure.cause();
        Self::from_parts(failure.message().to_owned(), failure.info().cloned(), Some(cause))
    }

    /// What a body answers whose work is done elsewhere, when the connection breaks after the request went out:
    /// `ANSWER_LOST`. A policy may call such a tool again as far as its [effect](super::ToolEffect) allows.
    pub fn answer_lost(message: impl Into<String>) -> Self {
        Self::coded(code::ANSWER_LOST_ERROR, code::ANSWER_LOST, message)
    }

    /// What the body of a raw tool answers for arguments that are not what its parameters say (rule S7): `INVALID_ARGS`.
    pub fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::coded(code::TOOL_ARGS_ERROR, code::INVALID_ARGS, message)
            .with_cause(FailureCause::InvalidArguments)
    }

    /// What the body of a raw tool answers for a value that is not what it promises (rule S7): `INVALID_TOOL_OUTPUT`.
    pub fn invalid_output(message: impl Into<String>) -> Self {
        Self::coded(code::TOOL_OUTPUT_ERROR, code::INVALID_TOOL_OUTPUT, message)
            .with_cause(FailureCause::InvalidOutput)
    }

    /// What a policy answers for a body that did not finish within its time: `TOOL_TIMEOUT`, with the cause `timed_out`.
    pub fn timed_out(message: impl Into<String>) -> Self {
        let info = ErrorInfo::new(code::TOOL_TIMEOUT_ERROR, code::TOOL_TIMEOUT);
        Self::from_parts(message.into(), Some(info), Some(FailureCause::TimedOut))
    }

    /// What a policy answers for a listener or approver that did not decide within its time: no code, and the cause
    /// `stage_timeout`.
    pub fn stage_timeout(message: impl Into<String>) -> Self {
        Self::from_parts(message.into(), None, Some(FailureCause::StageTimeout))
    }

    /// What the model will read, without the `Error: ` in front.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Name and code, where the failure has them.
    #[must_use]
    pub fn info(&self) -> Option<&ErrorInfo> {
        self.0.info.as_ref()
    }

    /// The code, where the failure has one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.info.as_ref().map(ErrorInfo::code)
    }

    /// The same error, as that of the hook of this type, unless it came from another one before.
    pub(crate) fn of_hook(mut self, hook: &'static str) -> Self {
        self.0.hook.get_or_insert(hook);
        self
    }

    /// The type of the hook that failed, where one did.
    pub(crate) fn hook(&self) -> Option<&'static str> {
        self.0.hook
    }

    pub(crate) fn with_cause(mut self, cause: FailureCause) -> Self {
        self.0.cause = Some(cause);
        self
    }

    fn from_parts(message: String, info: Option<ErrorInfo>, cause: Option<FailureCause>) -> Self {
        Self(Box::new(ErrorParts { message, info, cause, hook: None }))
    }

    /// The cause that the library itself set, or the one of the stage that failed.
    pub(crate) fn into_parts(self, stage: FailureCause) -> (String, Option<ErrorInfo>, FailureCause) {
        let ErrorParts { message, info, cause, hook: _ } = *self.0;
        (message, info, cause.unwrap_or(stage))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
