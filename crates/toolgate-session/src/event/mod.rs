//! What can happen in a session: the [`Event`]s and their JSON form.
//!
//! Each event has a `type`, such as `tool/call`, and an object of data. The JSON Schema of both is
//! [`event_schema`]; a test ties the three together.

mod data;
mod read;
mod types;
mod write;

pub use data::EventError;
pub use types::{
    ApprovalAsked, ApprovalDecided, AssistantMessage, BodyEnded, BodyStarted, CodeDispatch,
    CodeDispatchStart, Event, RecordedError, RequestedCall, Settlement, SubagentStarted, ToolCallRecorded,
    ToolResultRecorded, TurnEnd, TurnOutcome, TurnStart, Usage, UserEntry,
};

/// The JSON Schema of a record, for readers in other languages.
#[must_use]
pub fn event_schema() -> &'static str {
    include_str!("../../schema/session-record.schema.json")
}
