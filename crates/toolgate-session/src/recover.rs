//! Closing what a crash left open, by appending and never by rewriting.
//!
//! Called when a session is opened again, before anything else is appended. A turn that did not end gets its end; each
//! of its calls without a result gets exactly one, which says what the log knows of the call.

use std::collections::HashMap;

use toolgate::result::code;
use toolgate::{CallId, ContentBlock, FailureCause, JsonValue, ToolEffect};

use crate::event::{
    ApprovalDecided, CodeDispatch, CodeDispatchStart, Event, RecordedError, RequestedCall, Settlement,
    ToolCallRecorded, ToolResultRecorded, TurnEnd, TurnOutcome,
};
use crate::{Backend, Entry, SessionId, StoreError};

/// How many entries are read at a time.
const PAGE: u64 = 256;

/// The events that close the last turn of a session, to be appended together; none where it is closed.
///
/// A log that writes `tool/body-start` before each body is understood: a call without one never started.
///
/// # Errors
/// [`StoreError`] where the session cannot be read.
pub fn recover(backend: &dyn Backend, id: SessionId, last: u64) -> Result<Vec<Event>, StoreError> {
    let mut open = OpenTurn::default();
    for event in last_turn(backend, id, last)? {
        open.note(event);
    }
    Ok(open.close())
}

/// The sessions of sub-agents that the last turn began, in order; none where the turn is closed. They may be open too, or may
/// not be there: the process can have ended before it made them.
///
/// # Errors
/// [`StoreError`] where the session cannot be read.
pub fn open_subagents(backend: &dyn Backend, id: SessionId, last: u64) -> Result<Vec<SessionId>, StoreError> {
    let events = last_turn(backend, id, last)?.into_iter();
    let sessions = events.filter_map(|event| match event {
        Event::SubagentStarted(started) => Some(started.session),
        Event::TurnStart(_)
        | Event::UserMessage(_)
        | Event::AssistantMessage(_)
        | Event::ToolCall(_)
        | Event::BodyStarted(_)
        | Event::BodyEnded(_)
        | Event::ToolResult(_)
        | Event::CodeDispatchStart(_)
        | Event::CodeDispatch(_)
        | Event::ApprovalAsked(_)
        | Event::ApprovalDecided(_)
        | Event::TurnEnd(_) => None,
    });
    Ok(sessions.collect())
}

/// The events from the last `turn/start` on; none where the last turn has ended.
fn last_turn(backend: &dyn Backend, id: SessionId, last: u64) -> Result<Vec<Event>, StoreError> {
    let mut end = last + 1;
    let mut later: Vec<Event> = Vec::new();
    while end > 1 {
        let start = end.saturating_sub(PAGE).max(1);
        let most = usize::try_from(end - start).unwrap_or(usize::MAX);
        let mut page = Vec::new();
        for entry in backend.read(id, start, most)? {
            match entry {
                Entry::Record(record) if record.seq < end => page.push(record.event),
                // What is damaged cannot be closed; what is around it can.
                Entry::Record(_) | Entry::Damaged(_) => {}
            }
        }
        let cut = page.iter().rposition(|event| matches!(event, Event::TurnStart(_) | Event::TurnEnd(_)));
        if let Some(cut) = cut {
            let is_closed = matches!(page.get(cut), Some(Event::TurnEnd(_)));
            let mut turn = page.split_off(cut + usize::from(is_closed));
            turn.append(&mut later);
            return Ok(turn);
        }
        page.append(&mut later);
        later = page;
        end = start;
    }
    Ok(later)
}

/// What is known of a turn while it is open.
#[derive(Default)]
struct OpenTurn {
    turn: Option<u64>,
    /// Calls in the order in which the model asked for them, or in which they were made.
    calls: Vec<Call>,
    places: HashMap<CallId, usize>,
    sub_calls: Vec<CodeDispatchStart>,
    questions: Vec<(String, CallId)>,
}

struct Call {
    call_id: CallId,
    name: String,
    /// Set until the call itself is in the log.
    requested: Option<RequestedCall>,
    effect: Option<ToolEffect>,
    settlement: Settlement,
    is_settled: bool,
}

impl OpenTurn {
    fn note(&mut self, event: Event) {
        match event {
            Event::TurnStart(start) => self.turn = Some(start.turn),
            Event::AssistantMessage(message) => message.calls.into_iter().for_each(|call| {
                self.add(call.call_id.clone(), call.name.clone(), Some(call));
            }),
            Event::ToolCall(call) => {
                let noted = self.add(call.call_id, call.name, None);
                noted.requested = None;
                noted.effect = call.effect;
            }
            Event::BodyStarted(body) => self.settle(&body.call_id, Settlement::Unknown),
            Event::BodyEnded(body) => self.settle(&body.call_id, Settlement::Done),
            Event::ToolResult(result) => {
                if let Some(call) = self.call(&result.call_id) {
                    call.is_settled = true;
                }
            }
            Event::CodeDispatchStart(sub_call) => self.sub_calls.push(sub_call),
            Event::CodeDispatch(settled) => {
                self.sub_calls.retain(|sub_call| sub_call.call_id != settled.call_id);
            }
            Event::ApprovalAsked(asked) => self.questions.push((asked.question, asked.call_id)),
            Event::ApprovalDecided(decided) => {
                self.questions.retain(|(question, _)| *question != decided.question);
            }
            Event::UserMessage(_) | Event::SubagentStarted(_) | Event::TurnEnd(_) => {}
        }
    }

    fn add(&mut self, call_id: CallId, name: String, requested: Option<RequestedCall>) -> &mut Call {
        let next = self.calls.len();
        let place = *self.places.entry(call_id.clone()).or_insert(next);
        if place == next {
            let settlement = Settlement::NotStarted;
            self.calls.push(Call { call_id, name, requested, effect: None, settlement, is_settled: false });
        }
        // The place is one of the list.
        #[expect(clippy::indexing_slicing, reason = "places are those of the list, which only grows")]
        &mut self.calls[place]
    }

    fn call(&mut self, call_id: &CallId) -> Option<&mut Call> {
        let place = *self.places.get(call_id)?;
        self.calls.get_mut(place)
    }

    fn settle(&mut self, call_id: &CallId, settlement: Settlement) {
        if let Some(call) = self.call(call_id) {
            call.settlement = settlement;
        }
    }

    fn close(self) -> Vec<Event> {
        let mut events = Vec::new();
        for (question, call_id) in self.questions {
            events.push(Event::ApprovalDecided(ApprovalDecided {
                question,
                call_id,
                outcome: "cancelled".to_owned(),
                by: None,
            }));
        }
        for sub_call in self.sub_calls {
            events.push(Event::CodeDispatch(CodeDispatch {
                parent: sub_call.parent,
                call_id: sub_call.call_id,
                name: sub_call.name,
                is_error: true,
                content: vec![ContentBlock::text(format!("Error: {UNKNOWN}"))],
            }));
        }
        for call in self.calls.into_iter().filter(|call| !call.is_settled) {
            if let Some(requested) = &call.requested {
                events.push(Event::ToolCall(never_made(requested)));
            }
            events.push(Event::ToolResult(lost_result(&call)));
        }
        if let Some(turn) = self.turn {
            events.push(Event::TurnEnd(TurnEnd {
                turn,
                outcome: TurnOutcome::Crashed,
                reason: Some("the process ended before the turn did".to_owned()),
            }));
        }
        events
    }
}

/// The call that a model asked for and that nobody had made yet.
fn never_made(requested: &RequestedCall) -> ToolCallRecorded {
    ToolCallRecorded {
        call_id: requested.call_id.clone(),
        name: requested.name.clone(),
        // What stands in the model's message is not read again: nobody will run it.
        arguments: JsonValue::null(),
        normalized: Vec::new(),
        effect: None,
    }
}

const NOT_STARTED: &str = "the process ended before the tool began; nothing was done";
const UNKNOWN: &str = "effect unknown: the process ended while the tool was running, so it may have done all of its work, \
                       a part of it or none; look before you call it again";
const DONE: &str =
    "the tool came to its end, but the process ended before its result was kept; what it did remains";

fn lost_result(call: &Call) -> ToolResultRecorded {
    let message = match (call.settlement, call.effect) {
        (Settlement::NotStarted, _) => NOT_STARTED.to_owned(),
        (Settlement::Done, _) => DONE.to_owned(),
        (Settlement::Unknown, Some(ToolEffect::Pure | ToolEffect::Idempotent)) => {
            format!("the process ended while `{}` was running; it can be called again safely", call.name)
        }
        (Settlement::Unknown, Some(ToolEffect::Keyed | ToolEffect::NonIdempotent) | None) => {
            UNKNOWN.to_owned()
        }
    };
    let code = match call.settlement {
        Settlement::NotStarted => code::ABORTED_BEFORE_DISPATCH,
        Settlement::Unknown | Settlement::Done => code::ABORTED,
    };
    ToolResultRecorded {
        call_id: call.call_id.clone(),
        content: vec![ContentBlock::text(format!("Error: {message}"))],
        error: Some(RecordedError {
            message,
            name: Some(code::ABORT_ERROR.to_owned()),
            code: Some(code.to_owned()),
            cause: FailureCause::ProcessLost.as_str().to_owned(),
        }),
        meta: None,
        contexts: Vec::new(),
        concludes_turn: false,
        settlement: Some(call.settlement),
    }
}
