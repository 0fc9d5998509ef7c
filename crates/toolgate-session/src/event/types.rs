//! The events, as Rust types. Their JSON form is in `write.rs` and `read.rs`.

use toolgate::{CallId, ContentBlock, JsonValue, ToolEffect, UserMessage};

use crate::SessionId;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// `turn/start`: the agent begins to work on a message.
    TurnStart(TurnStart),
    /// `user/message`: somebody other than the model speaks: a person, or a plugin.
    UserMessage(UserEntry),
    /// `assistant/message`: the model has answered.
    AssistantMessage(AssistantMessage),
    /// `tool/call`: a call is about to enter the pipeline.
    ToolCall(ToolCallRecorded),
    /// `tool/body-start`: policy has let the call through, and its body is about to begin.
    BodyStarted(BodyStarted),
    /// `tool/body-end`: the body has come to its end; the result is not settled yet.
    BodyEnded(BodyEnded),
    /// `tool/subagent-start`: the body has begun a session of a sub-agent.
    SubagentStarted(SubagentStarted),
    /// `tool/result`: the call is settled.
    ToolResult(ToolResultRecorded),
    /// `tool/code-dispatch-start`: a sub-call of a program is about to enter the pipeline.
    CodeDispatchStart(CodeDispatchStart),
    /// `tool/code-dispatch`: a sub-call is settled.
    CodeDispatch(CodeDispatch),
    /// `approval/asked`: a person is asked.
    ApprovalAsked(ApprovalAsked),
    /// `approval/decided`: the question has its answer.
    ApprovalDecided(ApprovalDecided),
    /// `turn/end`: the agent has stopped working on the message.
    TurnEnd(TurnEnd),
}

/// Data of `turn/start`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnStart {
    /// The place of the turn in its session, from 1.
    pub turn: u64,
    /// The scope that works.
    pub scope: String,
    /// The directory that its tools work in, where there is one.
    pub workspace: Option<String>,
    /// The model that is asked, where one is named.
    pub model: Option<String>,
    /// The session and call that this session belongs to, where it is a sub-agent's: `SESSION/CALL`.
    pub parent: Option<String>,
}

/// Data of `user/message`.
#[derive(Clone, Debug, PartialEq)]
pub struct UserEntry {
    /// The plugin that speaks; none for a person.
    pub source: Option<String>,
    /// What is said.
    pub content: Vec<ContentBlock>,
    /// For those who keep the log; never shown to a model.
    pub meta: Option<JsonValue>,
}

/// Data of `assistant/message`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantMessage {
    /// What the model said.
    pub content: Vec<ContentBlock>,
    /// The calls that it asks for, in its order.
    pub calls: Vec<RequestedCall>,
    /// Why it stopped, in the provider's word.
    pub stop: Option<String>,
    /// What the request cost.
    pub usage: Option<Usage>,
}

/// A call as a model asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedCall {
    /// The id that the call has here: unique in its session.
    pub call_id: CallId,
    /// The id that the model gave; models repeat themselves.
    pub model_id: String,
    /// The tool.
    pub name: String,
    /// The text of the arguments, exactly as it came.
    pub arguments: String,
}

/// Tokens of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were read.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
}

/// Data of `tool/call`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallRecorded {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// The arguments that will run; null where the text was no JSON.
    pub arguments: JsonValue,
    /// What was done to the text of the arguments before it was JSON, such as `unwrapped a doubly encoded object`.
    pub normalized: Vec<String>,
    /// What calling the tool changes; none for an unknown tool.
    pub effect: Option<ToolEffect>,
}

/// Data of `tool/body-start`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyStarted {
    /// The call.
    pub call_id: CallId,
    /// Which attempt of a wrapper that retries, from 1.
    pub attempt: u64,
}

/// Data of `tool/body-end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyEnded {
    /// The call.
    pub call_id: CallId,
    /// Which attempt.
    pub attempt: u64,
    /// Whether the body failed.
    pub is_error: bool,
}

/// Data of `tool/subagent-start`. It is in the log before the session is there, so that a crash leaves no session that
/// nobody knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubagentStarted {
    /// The call that asked for the sub-agent.
    pub call_id: CallId,
    /// The session in which the sub-agent works.
    pub session: SessionId,
}

/// Data of `tool/result`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResultRecorded {
    /// The call that it settles.
    pub call_id: CallId,
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// The failure; none for a success.
    pub error: Option<RecordedError>,
    /// What a card is made of besides the content.
    pub meta: Option<JsonValue>,
    /// Messages for the next request.
    pub contexts: Vec<UserMessage>,
    /// Whether the turn ends with this call.
    pub concludes_turn: bool,
    /// Set where the process that ran the call was gone before it could write the result.
    pub settlement: Option<Settlement>,
}

/// Why a call failed, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedError {
    /// What went wrong, in words.
    pub message: String,
    /// The class of the error, where it has one.
    pub name: Option<String>,
    /// Its code, where it has one.
    pub code: Option<String>,
    /// Its cause, for operators.
    pub cause: String,
}

/// What is known of a call whose process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Its body never began.
    NotStarted,
    /// Its body began, and nobody knows what it did.
    Unknown,
    /// Its body came to its end; its value is lost.
    Done,
}

/// Data of `tool/code-dispatch-start`.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeDispatchStart {
    /// The call of `run_code`.
    pub parent: CallId,
    /// The sub-call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// The arguments that will run.
    pub arguments: JsonValue,
}

/// Data of `tool/code-dispatch`.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeDispatch {
    /// The call of `run_code`.
    pub parent: CallId,
    /// The sub-call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// Whether it failed.
    pub is_error: bool,
    /// Its content, or the copy that is to be kept.
    pub content: Vec<ContentBlock>,
}

/// Data of `approval/asked`.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalAsked {
    /// The question.
    pub question: String,
    /// The call that waits for it.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// The arguments that were shown.
    pub arguments: JsonValue,
    /// Why somebody should look.
    pub reason: Option<String>,
}

/// Data of `approval/decided`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalDecided {
    /// The question.
    pub question: String,
    /// The call.
    pub call_id: CallId,
    /// `allowed-once`, `rejected`, `cancelled` or `unavailable`.
    pub outcome: String,
    /// Who or what decided: an answerer, or a grant.
    pub by: Option<String>,
}

/// Data of `turn/end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// The turn.
    pub turn: u64,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// More, in words.
    pub reason: Option<String>,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The model had nothing more to do, or a tool concluded the turn.
    Completed,
    /// Somebody interrupted it.
    Interrupted,
    /// A limit of steps or tokens was reached.
    LimitReached,
    /// The model or the log failed.
    Failed,
    /// The process was gone before the turn was over.
    Crashed,
}

impl TurnOutcome {
    /// The word for it in a log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::LimitReached => "limit_reached",
            Self::Failed => "failed",
            Self::Crashed => "crashed",
        }
    }
}
