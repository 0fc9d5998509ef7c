//! The one table of codes and causes (rule P19). Each has a page in `docs/errors`; a test ties the two together.

use super::FailureCause;

/// The codes that the library itself gives.
pub mod code {
    /// No visible tool has the name that was called.
    pub const UNKNOWN_TOOL: &str = "UNKNOWN_TOOL";
    /// The arguments do not match the tool's parameters.
    pub const INVALID_ARGS: &str = "INVALID_ARGS";
    /// The value does not match the tool's output declaration, or could not be projected.
    pub const INVALID_TOOL_OUTPUT: &str = "INVALID_TOOL_OUTPUT";
    /// The call was cancelled while its body ran.
    pub const ABORTED: &str = "ABORTED";
    /// The call was cancelled before its body began.
    pub const ABORTED_BEFORE_DISPATCH: &str = "ABORTED_BEFORE_DISPATCH";
    /// The tool did not finish within its time.
    pub const TOOL_TIMEOUT: &str = "TOOL_TIMEOUT";
    /// The answer of what does the tool's work was lost on its way, so nobody knows what it did.
    pub const ANSWER_LOST: &str = "ANSWER_LOST";
    /// A `run_code` program failed.
    pub const CODE_RUN_FAILED: &str = "CODE_RUN_FAILED";
    /// A raw schema is outside the enforced subset.
    pub const UNSUPPORTED_SCHEMA: &str = "UNSUPPORTED_SCHEMA";

    /// The name that goes with [`UNKNOWN_TOOL`].
    pub const TOOL_NOT_FOUND_ERROR: &str = "ToolNotFoundError";
    /// The name that goes with [`INVALID_ARGS`].
    pub const TOOL_ARGS_ERROR: &str = "ToolArgsError";
    /// The name that goes with [`INVALID_TOOL_OUTPUT`].
    pub const TOOL_OUTPUT_ERROR: &str = "ToolOutputError";
    /// The name that goes with [`ABORTED`] and [`ABORTED_BEFORE_DISPATCH`].
    pub const ABORT_ERROR: &str = "AbortError";
    /// The name that goes with [`TOOL_TIMEOUT`].
    pub const TOOL_TIMEOUT_ERROR: &str = "ToolTimeoutError";
    /// The name that goes with [`ANSWER_LOST`].
    pub const ANSWER_LOST_ERROR: &str = "AnswerLostError";
    /// The name that goes with [`CODE_RUN_FAILED`].
    pub const CODE_RUN_FAILED_ERROR: &str = "CodeRunFailedError";
    /// The name that goes with [`UNSUPPORTED_SCHEMA`].
    pub const JSON_SCHEMA_ERROR: &str = "JsonSchemaError";
}

/// Who reads an entry of the [`CATALOG`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A code: in results, for programs and models.
    Code {
        /// The error name that goes with it.
        name: &'static str,
    },
    /// A cause: in results, for operators.
    Cause,
}

/// One documented code or cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// The code or cause as it is written in results and in the name of its page.
    pub key: &'static str,
    /// Code or cause.
    pub kind: EntryKind,
    /// One sentence.
    pub summary: &'static str,
}

const fn coded(key: &'static str, name: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name }, summary }
}

const fn cause(cause: FailureCause, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key: cause.as_str(), kind: EntryKind::Cause, summary }
}

/// Every code and cause of the library.
pub const CATALOG: &[CatalogEntry] = &[
    coded(code::UNKNOWN_TOOL, code::TOOL_NOT_FOUND_ERROR, "No visible tool has the name that was called."),
    coded(code::INVALID_ARGS, code::TOOL_ARGS_ERROR, "The arguments do not match the tool's parameters."),
    coded(
        code::INVALID_TOOL_OUTPUT,
        code::TOOL_OUTPUT_ERROR,
        "The tool's value does not match what it declared, or could not be shown.",
    ),
    coded(code::ABORTED, code::ABORT_ERROR, "The call was cancelled while the tool was running."),
    coded(code::ABORTED_BEFORE_DISPATCH, code::ABORT_ERROR, "The call was cancelled before the tool began."),
    coded(code::TOOL_TIMEOUT, code::TOOL_TIMEOUT_ERROR, "The tool did not finish within its time."),
    coded(
        code::ANSWER_LOST,
        code::ANSWER_LOST_ERROR,
        "The connection to what does the work broke before it answered; what it did is not known.",
    ),
    coded(code::CODE_RUN_FAILED, code::CODE_RUN_FAILED_ERROR, "A program given to run_code failed."),
    coded(
        code::UNSUPPORTED_SCHEMA,
        code::JSON_SCHEMA_ERROR,
        "A schema uses what the enforced subset does not have.",
    ),
    cause(
        FailureCause::ArgumentsNotLossless,
        "The arguments hold something that JSON cannot carry unchanged.",
    ),
    cause(FailureCause::UnknownTool, "No visible tool has the name, or presentation mode `code` hides it."),
    cause(FailureCause::Denied, "A pre-execute listener denied the call."),
    cause(FailureCause::ApprovalUnavailable, "The call needed an approval and nobody could be asked."),
    cause(FailureCause::ApprovalRejected, "The approver said no."),
    cause(FailureCause::ApprovalCancelled, "The approver ended the question without an answer."),
    cause(FailureCause::GuardDenied, "A guard denied the call."),
    cause(
        FailureCause::HookFailed,
        "A listener, guard, wrapper or approver failed, so the call was refused.",
    ),
    cause(
        FailureCause::StageTimeout,
        "A listener or approver did not decide within its time, so the call was refused.",
    ),
    cause(FailureCause::Panicked, "Code of a tool or hook panicked; the panic was contained."),
    cause(FailureCause::AbortedBeforeDispatch, "The call was cancelled before its body began."),
    cause(FailureCause::InvalidArguments, "The arguments do not match the tool's parameters."),
    cause(FailureCause::BodyFailed, "The tool's body reported a failure."),
    cause(FailureCause::TimedOut, "The tool's body did not finish within its time."),
    cause(FailureCause::InvalidOutput, "The value is not what the tool declared, or could not be projected."),
    cause(
        FailureCause::ProcessLost,
        "The process that ran the call was gone before it could say how the call ended.",
    ),
    cause(FailureCause::WrapperFailed, "An execute wrapper answered with a failure of its own."),
    cause(FailureCause::Aborted, "The call was cancelled while its body ran."),
    cause(FailureCause::Blocked, "A post-execute listener blocked the result."),
    cause(FailureCause::InvalidDecision, "A post-execute decision could not be applied to this result."),
    cause(FailureCause::FinalizerFailed, "The tool's content finaliser failed."),
];
