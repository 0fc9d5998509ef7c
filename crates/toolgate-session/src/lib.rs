//! The durable session log: what happened in one conversation of an agent, in order, for good.
//!
//! A session is a list of [`Record`]s: an [`Event`] with its place in the order, its time and a checksum. It only ever
//! grows. A [`Backend`] keeps sessions: [`MemoryBackend`], [`JsonlBackend`] (one file of lines a session) and
//! [`SqliteBackend`] (one database a session). A [`SessionLog`] writes one session, acknowledging an event when the
//! back end has it; [`recover`] closes what a crash left open, by appending; [`verify`] finds damage; [`replay`] makes
//! from the log alone the messages that a model saw and the cards that a person saw.
//!
//! Nothing here calls a tool or a model, or changes a record that was written.

mod backend;
mod clock;
mod entries;
mod event;
mod folder;
mod head;
mod jsonl;
mod log;
mod memory;
mod record;
pub mod recover;
pub mod replay;
mod session_id;
mod sqlite;
mod summary;
pub mod verify;

pub use backend::{Backend, Damage, Durability, Entry, Journal, StoreError};
pub use clock::{Clock, SystemClock};
pub use entries::Entries;
pub use event::{
    ApprovalAsked, ApprovalDecided, AssistantMessage, BodyEnded, BodyStarted, CodeDispatch,
    CodeDispatchStart, Event, EventError, RecordedError, RequestedCall, Settlement, SubagentStarted,
    ToolCallRecorded, ToolResultRecorded, TurnEnd, TurnOutcome, TurnStart, Usage, UserEntry, event_schema,
};
pub use jsonl::JsonlBackend;
pub use log::{LogError, SessionLog};
pub use memory::MemoryBackend;
pub use record::{Record, RecordError};
pub use session_id::{SessionId, SessionIdError};
pub use sqlite::SqliteBackend;
pub use summary::{Summary, summarize};
