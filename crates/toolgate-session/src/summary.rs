//! [`summarize`]: what somebody who looks for a session wants to know of it.

use toolgate::ContentBlock;
use toolgate::text::shortened;

use crate::entries::Entries;
use crate::{Backend, Entry, Event, SessionId, StoreError, TurnOutcome, Usage};

/// How much of what was said first is kept.
const TASK_CHARACTERS: usize = 400;

/// What a session is about and how far it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// When its first record was appended; none where there is no record.
    pub began: Option<String>,
    /// When its last record was appended.
    pub changed: Option<String>,
    /// How many records can be read.
    pub records: u64,
    /// How many turns were begun.
    pub turns: u64,
    /// How many calls were made, without those of programs.
    pub calls: u64,
    /// How the last turn ended. None where there is no turn, or where the last one has not ended: it is being worked on, or its
    /// process is gone.
    pub outcome: Option<TurnOutcome>,
    /// The model that was asked last.
    pub model: Option<String>,
    /// The directory that its tools worked in last.
    pub workspace: Option<String>,
    /// The session and call that it belongs to, where it is a sub-agent's.
    pub parent: Option<String>,
    /// What a person said first, shortened.
    pub task: Option<String>,
    /// What all requests cost together, as far as providers said.
    pub usage: Usage,
    /// Whether something of it is lost.
    pub is_damaged: bool,
}

/// Reads a session and sums it up. Takes as long as reading all of it, and changes nothing.
///
/// # Errors
/// [`StoreError`] where the session cannot be read at all.
pub fn summarize(backend: &dyn Backend, id: SessionId) -> Result<Summary, StoreError> {
    let mut summary = Summary::default();
    for entry in Entries::new(backend, id, 1) {
        match entry? {
            Entry::Damaged(_) => summary.is_damaged = true,
            Entry::Record(record) => {
                summary.records += 1;
                if summary.began.is_none() {
                    summary.began = Some(record.time.clone());
                }
                summary.note(record.event);
                summary.changed = Some(record.time);
            }
        }
    }
    Ok(summary)
}

impl Summary {
    fn note(&mut self, event: Event) {
        match event {
            Event::TurnStart(start) => {
                self.turns += 1;
                self.outcome = None;
                self.model = start.model.or(self.model.take());
                self.workspace = start.workspace.or(self.workspace.take());
                self.parent = start.parent.or(self.parent.take());
            }
            Event::UserMessage(message) if self.task.is_none() && message.source.is_none() => {
                let text = message.content.iter().find_map(ContentBlock::as_text);
                self.task = text.map(|text| shortened(text, TASK_CHARACTERS));
            }
            Event::AssistantMessage(message) => {
                let usage = message.usage.unwrap_or_default();
                self.usage.input = self.usage.input.saturating_add(usage.input);
                self.usage.output = self.usage.output.saturating_add(usage.output);
            }
            Event::ToolCall(_) => self.calls += 1,
            Event::TurnEnd(end) => self.outcome = Some(end.outcome),
            Event::UserMessage(_)
            | Event::BodyStarted(_)
            | Event::BodyEnded(_)
            | Event::SubagentStarted(_)
            | Event::ToolResult(_)
            | Event::CodeDispatchStart(_)
            | Event::CodeDispatch(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_) => {}
        }
    }
}
