//! Events as JSON: the type, and the object of data.

use toolgate::ToolEffect;

use super::data::{Writer, push_context, push_text};
use super::types::{
    ApprovalAsked, ApprovalDecided, AssistantMessage, CodeDispatch, CodeDispatchStart, Event, RecordedError,
    RequestedCall, Settlement, ToolCallRecorded, ToolResultRecorded, TurnEnd, TurnOutcome, TurnStart,
    UserEntry,
};

pub(super) const EFFECTS: [(&str, ToolEffect); 4] = [
    ("pure", ToolEffect::Pure),
    ("idempotent", ToolEffect::Idempotent),
    ("keyed", ToolEffect::Keyed),
    ("non_idempotent", ToolEffect::NonIdempotent),
];

pub(super) const SETTLEMENTS: [(&str, Settlement); 3] =
    [("not_started", Settlement::NotStarted), ("unknown", Settlement::Unknown), ("done", Settlement::Done)];

pub(super) const OUTCOMES: [(&str, TurnOutcome); 5] = [
    (TurnOutcome::Completed.as_str(), TurnOutcome::Completed),
    (TurnOutcome::Interrupted.as_str(), TurnOutcome::Interrupted),
    (TurnOutcome::LimitReached.as_str(), TurnOutcome::LimitReached),
    (TurnOutcome::Failed.as_str(), TurnOutcome::Failed),
    (TurnOutcome::Crashed.as_str(), TurnOutcome::Crashed),
];

/// The word for a value of a closed set.
fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Option<&'static str> {
    words.iter().find(|(_, known)| known == value).map(|(word, _)| *word)
}

impl Event {
    /// Every type of event.
    pub const KINDS: [&'static str; 13] = [
        "turn/start",
        "user/message",
        "assistant/message",
        "tool/call",
        "tool/body-start",
        "tool/body-end",
        "tool/result",
        "tool/subagent-start",
        "tool/code-dispatch-start",
        "tool/code-dispatch",
        "approval/asked",
        "approval/decided",
        "turn/end",
    ];

    /// The type of the event, such as `tool/call`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TurnStart(_) => "turn/start",
            Self::UserMessage(_) => "user/message",
            Self::AssistantMessage(_) => "assistant/message",
            Self::ToolCall(_) => "tool/call",
            Self::BodyStarted(_) => "tool/body-start",
            Self::BodyEnded(_) => "tool/body-end",
            Self::SubagentStarted(_) => "tool/subagent-start",
            Self::ToolResult(_) => "tool/result",
            Self::CodeDispatchStart(_) => "tool/code-dispatch-start",
            Self::CodeDispatch(_) => "tool/code-dispatch",
            Self::ApprovalAsked(_) => "approval/asked",
            Self::ApprovalDecided(_) => "approval/decided",
            Self::TurnEnd(_) => "turn/end",
        }
    }

    /// Appends the object of data.
    pub(crate) fn write_data(&self, out: &mut Vec<u8>) {
        let mut data = Writer::begin(out);
        match self {
            Self::TurnStart(event) => turn_start(event, &mut data),
            Self::UserMessage(event) => user_message(event, &mut data),
            Self::AssistantMessage(event) => assistant_message(event, &mut data),
            Self::ToolCall(event) => tool_call(event, &mut data),
            Self::BodyStarted(event) => {
                data.text("callId", event.call_id.as_str());
                data.number("attempt", event.attempt);
            }
            Self::BodyEnded(event) => {
                data.text("callId", event.call_id.as_str());
                data.number("attempt", event.attempt);
                data.flag("isError", event.is_error);
            }
            Self::SubagentStarted(event) => {
                data.text("callId", event.call_id.as_str());
                data.text("session", &event.session.to_string());
            }
            Self::ToolResult(event) => tool_result(event, &mut data),
            Self::CodeDispatchStart(event) => code_dispatch_start(event, &mut data),
            Self::CodeDispatch(event) => code_dispatch(event, &mut data),
            Self::ApprovalAsked(event) => approval_asked(event, &mut data),
            Self::ApprovalDecided(event) => approval_decided(event, &mut data),
            Self::TurnEnd(event) => turn_end(event, &mut data),
        }
        data.end();
    }
}

fn turn_start(event: &TurnStart, data: &mut Writer<'_>) {
    data.number("turn", event.turn);
    data.text("scope", &event.scope);
    data.some_text("workspace", event.workspace.as_deref());
    data.some_text("model", event.model.as_deref());
    data.some_text("parent", event.parent.as_deref());
}

fn user_message(event: &UserEntry, data: &mut Writer<'_>) {
    data.some_text("source", event.source.as_deref());
    data.content("content", &event.content);
    data.some_json("meta", event.meta.as_ref());
}

fn assistant_message(event: &AssistantMessage, data: &mut Writer<'_>) {
    data.content("content", &event.content);
    data.list("calls", &event.calls, push_requested_call);
    data.some_text("stop", event.stop.as_deref());
    if let Some(usage) = event.usage {
        data.object("usage", |data| {
            data.number("input", usage.input);
            data.number("output", usage.output);
        });
    }
}

fn push_requested_call(out: &mut Vec<u8>, call: &RequestedCall) {
    let mut data = Writer::begin(out);
    data.text("callId", call.call_id.as_str());
    data.text("modelId", &call.model_id);
    data.text("name", &call.name);
    data.text("arguments", &call.arguments);
    data.end();
}

fn tool_call(event: &ToolCallRecorded, data: &mut Writer<'_>) {
    data.text("callId", event.call_id.as_str());
    data.text("name", &event.name);
    data.json("arguments", &event.arguments);
    if !event.normalized.is_empty() {
        data.list("normalized", &event.normalized, |out, step| push_text(out, step));
    }
    data.some_text("effect", event.effect.as_ref().and_then(|effect| word_of(&EFFECTS, effect)));
}

fn tool_result(event: &ToolResultRecorded, data: &mut Writer<'_>) {
    data.text("callId", event.call_id.as_str());
    data.content("content", &event.content);
    if let Some(error) = &event.error {
        data.object("error", |data| recorded_error(error, data));
    }
    data.some_json("meta", event.meta.as_ref());
    if !event.contexts.is_empty() {
        data.list("contexts", &event.contexts, push_context);
    }
    if event.concludes_turn {
        data.flag("concludesTurn", true);
    }
    data.some_text("settlement", event.settlement.as_ref().and_then(|known| word_of(&SETTLEMENTS, known)));
}

fn recorded_error(error: &RecordedError, data: &mut Writer<'_>) {
    data.text("message", &error.message);
    data.some_text("name", error.name.as_deref());
    data.some_text("code", error.code.as_deref());
    data.text("cause", &error.cause);
}

fn code_dispatch_start(event: &CodeDispatchStart, data: &mut Writer<'_>) {
    data.text("parent", event.parent.as_str());
    data.text("callId", event.call_id.as_str());
    data.text("name", &event.name);
    data.json("arguments", &event.arguments);
}

fn code_dispatch(event: &CodeDispatch, data: &mut Writer<'_>) {
    data.text("parent", event.parent.as_str());
    data.text("callId", event.call_id.as_str());
    data.text("name", &event.name);
    data.flag("isError", event.is_error);
    data.content("content", &event.content);
}

fn approval_asked(event: &ApprovalAsked, data: &mut Writer<'_>) {
    data.text("question", &event.question);
    data.text("callId", event.call_id.as_str());
    data.text("name", &event.name);
    data.json("arguments", &event.arguments);
    data.some_text("reason", event.reason.as_deref());
}

fn approval_decided(event: &ApprovalDecided, data: &mut Writer<'_>) {
    data.text("question", &event.question);
    data.text("callId", event.call_id.as_str());
    data.text("outcome", &event.outcome);
    data.some_text("by", event.by.as_deref());
}

fn turn_end(event: &TurnEnd, data: &mut Writer<'_>) {
    data.number("turn", event.turn);
    data.text("outcome", event.outcome.as_str());
    data.some_text("reason", event.reason.as_deref());
}
