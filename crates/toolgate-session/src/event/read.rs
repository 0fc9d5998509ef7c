//! Events from JSON. Fields that this version does not know are ignored, so that a newer log can still be read.

use serde_json::{Map, Value};

use super::EventError;
use super::data::Reader;
use super::types::{
    ApprovalAsked, ApprovalDecided, AssistantMessage, BodyEnded, BodyStarted, CodeDispatch,
    CodeDispatchStart, Event, RecordedError, RequestedCall, SubagentStarted, ToolCallRecorded,
    ToolResultRecorded, TurnEnd, TurnStart, Usage, UserEntry,
};
use super::write::{EFFECTS, OUTCOMES, SETTLEMENTS};

impl Event {
    /// Reads the data of an event of the type `kind`.
    pub(crate) fn read(kind: &str, data: &Map<String, Value>) -> Result<Self, EventError> {
        let data = Reader::new(kind, data);
        Ok(match kind {
            "turn/start" => Self::TurnStart(turn_start(data)?),
            "user/message" => Self::UserMessage(user_message(data)?),
            "assistant/message" => Self::AssistantMessage(assistant_message(data)?),
            "tool/call" => Self::ToolCall(tool_call(data)?),
            "tool/body-start" => Self::BodyStarted(BodyStarted {
                call_id: data.call_id("callId")?,
                attempt: data.number("attempt")?,
            }),
            "tool/body-end" => Self::BodyEnded(BodyEnded {
                call_id: data.call_id("callId")?,
                attempt: data.number("attempt")?,
                is_error: data.flag("isError")?,
            }),
            "tool/subagent-start" => Self::SubagentStarted(SubagentStarted {
                call_id: data.call_id("callId")?,
                session: data.session("session")?,
            }),
            "tool/result" => Self::ToolResult(tool_result(data)?),
            "tool/code-dispatch-start" => Self::CodeDispatchStart(code_dispatch_start(data)?),
            "tool/code-dispatch" => Self::CodeDispatch(code_dispatch(data)?),
            "approval/asked" => Self::ApprovalAsked(approval_asked(data)?),
            "approval/decided" => Self::ApprovalDecided(approval_decided(data)?),
            "turn/end" => Self::TurnEnd(turn_end(data)?),
            unknown => return Err(EventError::UnknownType(unknown.to_owned())),
        })
    }
}

fn turn_start(data: Reader<'_>) -> Result<TurnStart, EventError> {
    Ok(TurnStart {
        turn: data.number("turn")?,
        scope: data.text("scope")?,
        workspace: data.some_text("workspace")?,
        model: data.some_text("model")?,
        parent: data.some_text("parent")?,
    })
}

fn user_message(data: Reader<'_>) -> Result<UserEntry, EventError> {
    Ok(UserEntry {
        source: data.some_text("source")?,
        content: data.content("content")?,
        meta: data.some_json("meta")?,
    })
}

fn assistant_message(data: Reader<'_>) -> Result<AssistantMessage, EventError> {
    Ok(AssistantMessage {
        content: data.content("content")?,
        calls: data.objects("calls", requested_call)?,
        stop: data.some_text("stop")?,
        usage: data.some_object("usage", |usage| {
            Ok(Usage { input: usage.number("input")?, output: usage.number("output")? })
        })?,
    })
}

fn requested_call(data: Reader<'_>) -> Result<RequestedCall, EventError> {
    Ok(RequestedCall {
        call_id: data.call_id("callId")?,
        model_id: data.text("modelId")?,
        name: data.text("name")?,
        arguments: data.text("arguments")?,
    })
}

fn tool_call(data: Reader<'_>) -> Result<ToolCallRecorded, EventError> {
    Ok(ToolCallRecorded {
        call_id: data.call_id("callId")?,
        name: data.text("name")?,
        arguments: data.json("arguments")?,
        normalized: if data.has("normalized") { data.texts("normalized")? } else { Vec::new() },
        effect: data.word("effect", &EFFECTS)?,
    })
}

fn tool_result(data: Reader<'_>) -> Result<ToolResultRecorded, EventError> {
    Ok(ToolResultRecorded {
        call_id: data.call_id("callId")?,
        content: data.content("content")?,
        error: data.some_object("error", |error| {
            Ok(RecordedError {
                message: error.text("message")?,
                name: error.some_text("name")?,
                code: error.some_text("code")?,
                cause: error.text("cause")?,
            })
        })?,
        meta: data.some_json("meta")?,
        contexts: if data.has("contexts") { data.contexts("contexts")? } else { Vec::new() },
        concludes_turn: data.has("concludesTurn") && data.flag("concludesTurn")?,
        settlement: data.word("settlement", &SETTLEMENTS)?,
    })
}

fn code_dispatch_start(data: Reader<'_>) -> Result<CodeDispatchStart, EventError> {
    Ok(CodeDispatchStart {
        parent: data.call_id("parent")?,
        call_id: data.call_id("callId")?,
        name: data.text("name")?,
        arguments: data.json("arguments")?,
    })
}

fn code_dispatch(data: Reader<'_>) -> Result<CodeDispatch, EventError> {
    Ok(CodeDispatch {
        parent: data.call_id("parent")?,
        call_id: data.call_id("callId")?,
        name: data.text("name")?,
        is_error: data.flag("isError")?,
        content: data.content("content")?,
    })
}

fn approval_asked(data: Reader<'_>) -> Result<ApprovalAsked, EventError> {
    Ok(ApprovalAsked {
        question: data.text("question")?,
        call_id: data.call_id("callId")?,
        name: data.text("name")?,
        arguments: data.json("arguments")?,
        reason: data.some_text("reason")?,
    })
}

fn approval_decided(data: Reader<'_>) -> Result<ApprovalDecided, EventError> {
    Ok(ApprovalDecided {
        question: data.text("question")?,
        call_id: data.call_id("callId")?,
        outcome: data.text("outcome")?,
        by: data.some_text("by")?,
    })
}

fn turn_end(data: Reader<'_>) -> Result<TurnEnd, EventError> {
    let outcome = data.word("outcome", &OUTCOMES)?;
    Ok(TurnEnd {
        turn: data.number("turn")?,
        outcome: data.must("outcome", outcome)?,
        reason: data.some_text("reason")?,
    })
}
