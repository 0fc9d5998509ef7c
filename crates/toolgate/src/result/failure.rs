//! The one shape of a failure (rule P19): a message for the model, a name and code, a cause for operators.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::code;
use crate::ToolError;

/// Name and code of a failure that others may act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorInfo {
    name: Cow<'static, str>,
    code: Cow<'static, str>,
}

impl ErrorInfo {
    /// Joins a name and a code.
    pub fn new(name: impl Into<Cow<'static, str>>, code: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), code: code.into() }
    }

    /// The class of the error, such as `ToolArgsError`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The code, such as `INVALID_ARGS`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }
}

/// Where in the pipeline a failure came from: for operators, metrics and policy, never for the model (rule P19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCause {
    /// A pre-execute listener denied the call.
    Denied,
    /// A guard denied the call.
    GuardDenied,
    /// The call needed an approval and nobody could be asked.
    ApprovalUnavailable,
    /// The approver said no.
    ApprovalRejected,
    /// The approver ended the question without an answer.
    ApprovalCancelled,
    /// A listener, guard, wrapper or approver failed.
    HookFailed,
    /// A listener or approver did not decide within its time.
    StageTimeout,
    /// Code that is not ours panicked.
    Panicked,
    /// The arguments are not lossless JSON.
    ArgumentsNotLossless,
    /// No visible tool has the name.
    UnknownTool,
    /// The arguments do not match the tool's parameters.
    InvalidArguments,
    /// The value does not match the tool's output declaration, or could not be projected.
    InvalidOutput,
    /// The call was cancelled while its body ran.
    Aborted,
    /// The call was cancelled before its body began.
    AbortedBeforeDispatch,
    /// The body failed.
    BodyFailed,
    /// The body did not finish within its time.
    TimedOut,
    /// The process that ran the call was gone before it could say how the call ended.
    ProcessLost,
    /// A wrapper answered with a failure of its own.
    WrapperFailed,
    /// Post policy blocked the result.
    Blocked,
    /// A post decision could not be applied.
    InvalidDecision,
    /// The tool's content finaliser failed.
    FinalizerFailed,
}

impl FailureCause {
    /// The name under which the cause is documented.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::GuardDenied => "guard_denied",
            Self::ApprovalUnavailable => "approval_unavailable",
            Self::ApprovalRejected => "approval_rejected",
            Self::ApprovalCancelled => "approval_cancelled",
            Self::HookFailed => "hook_failed",
            Self::StageTimeout => "stage_timeout",
            Self::Panicked => "panicked",
            Self::ArgumentsNotLossless => "arguments_not_lossless",
            Self::UnknownTool => "unknown_tool",
            Self::InvalidArguments => "invalid_arguments",
            Self::InvalidOutput => "invalid_output",
            Self::Aborted => "aborted",
            Self::AbortedBeforeDispatch => "aborted_before_dispatch",
            Self::BodyFailed => "body_failed",
            Self::TimedOut => "timed_out",
            Self::ProcessLost => "process_lost",
            Self::WrapperFailed => "wrapper_failed",
            Self::Blocked => "blocked",
            Self::InvalidDecision => "invalid_decision",
            Self::FinalizerFailed => "finalizer_failed",
        }
    }

    /// The cause that is documented under a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cause| cause.as_str() == name)
    }

    /// Every cause, in the order of the pipeline.
    pub const ALL: &'static [Self] = &[
        Self::ArgumentsNotLossless,
        Self::UnknownTool,
        Self::Denied,
        Self::ApprovalUnavailable,
        Self::ApprovalRejected,
        Self::ApprovalCancelled,
        Self::GuardDenied,
        Self::HookFailed,
        Self::StageTimeout,
        Self::Panicked,
        Self::AbortedBeforeDispatch,
        Self::InvalidArguments,
        Self::BodyFailed,
        Self::TimedOut,
        Self::InvalidOutput,
        Self::ProcessLost,
        Self::WrapperFailed,
        Self::Aborted,
        Self::Blocked,
        Self::InvalidDecision,
        Self::FinalizerFailed,
    ];
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FailureCause {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why a call failed.
// Boxed, so that a success does not carry the room of a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFailure(Box<FailureParts>);

#[derive(Clone, Debug, PartialEq)]
struct FailureParts {
    message: String,
    info: Option<ErrorInfo>,
    cause: FailureCause,
    hook: Option<&'static str>,
}

impl ToolFailure {
    /// What the model reads, without the `Error: ` in front.
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

    /// Where it came from. For operators: a model must not read it.
    #[must_use]
    pub fn cause(&self) -> FailureCause {
        self.0.cause
    }

    /// The type of the listener, guard, wrapper or approver that failed, where one did. For operators, like the cause.
    #[must_use]
    pub fn hook(&self) -> Option<&'static str> {
        self.0.hook
    }

    /// A failure as a log kept it, for replay: nothing in it is checked again.
    #[must_use]
    pub fn recorded(message: impl Into<String>, info: Option<ErrorInfo>, cause: FailureCause) -> Self {
        Self::new(message.into(), info, cause)
    }

    pub(crate) fn plain(cause: FailureCause, message: impl Into<String>) -> Self {
        Self::new(message.into(), None, cause)
    }

    pub(crate) fn from_error(error: ToolError, stage: FailureCause) -> Self {
        let hook = error.hook();
        let (message, info, cause) = error.into_parts(stage);
        Self(Box::new(FailureParts { message, info, cause, hook }))
    }

    /// The failure of a call that was cancelled or dropped; what it says depends on whether its body had begun (rule P14).
    pub(crate) fn aborted(body_started: bool) -> Self {
        let (cause, code, message) = if body_started {
            let message =
                "the call was cancelled or dropped after the tool had begun; what it had done may remain";
            (FailureCause::Aborted, code::ABORTED, message)
        } else {
            let message = "the call was cancelled before the tool began; nothing was done";
            (FailureCause::AbortedBeforeDispatch, code::ABORTED_BEFORE_DISPATCH, message)
        };
        Self::new(message.to_owned(), Some(ErrorInfo::new(code::ABORT_ERROR, code)), cause)
    }

    pub(crate) fn unknown_tool(message: String) -> Self {
        let info = ErrorInfo::new(code::TOOL_NOT_FOUND_ERROR, code::UNKNOWN_TOOL);
        Self::new(message, Some(info), FailureCause::UnknownTool)
    }

    fn new(message: String, info: Option<ErrorInfo>, cause: FailureCause) -> Self {
        Self(Box::new(FailureParts { message, info, cause, hook: None }))
    }
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}
