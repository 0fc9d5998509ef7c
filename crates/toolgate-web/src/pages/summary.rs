//! [`Summaries`]: what a list of sessions says of each, read once for every state of a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolgate::ContentBlock;
use toolgate_session::{Backend, Entry, Event, Record, SessionId, StoreError};

/// How many records at the beginning of a session are looked at for its task.
const BEGINNING: usize = 4;

/// How many summaries are kept.
const KEPT: usize = 5_000;

/// How much of a task is kept, in characters.
const LONGEST_TASK: usize = 200;

/// One session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) id: SessionId,
    /// What was asked first.
    pub(crate) task: String,
    /// The model of its first turn.
    pub(crate) model: Option<String>,
    /// When the last record was written.
    pub(crate) time: String,
    /// How many records there are.
    pub(crate) records: u64,
    /// Whether its last turn has an end.
    pub(crate) is_settled: bool,
    /// Whether it can be read.
    pub(crate) is_sound: bool,
}

/// The summaries of a back end.
#[derive(Default)]
pub(crate) struct Summaries(Mutex<HashMap<SessionId, Summary>>);

impl Summaries {
    /// The newest sessions, at most so many, newest first, and how many there are in all.
    ///
    /// # Errors
    /// [`StoreError`] where the sessions cannot be listed.
    pub(crate) fn newest(
        &self,
        backend: &dyn Backend,
        most: usize,
    ) -> Result<(Vec<Summary>, usize), StoreError> {
        let ids = backend.list()?;
        let newest = ids.iter().rev().take(most);
        Ok((newest.map(|id| self.of(backend, *id)).collect(), ids.len()))
    }

    fn of(&self, backend: &dyn Backend, id: SessionId) -> Summary {
        let records = backend.acknowledged(id).unwrap_or_default();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(summary) = known.get(&id)
            && summary.records == records
        {
            return summary.clone();
        }
        if known.len() >= KEPT {
            known.clear();
        }
        drop(known);
        let summary = read(backend, id, records);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, summary.clone());
        summary
    }
}

fn read(backend: &dyn Backend, id: SessionId, records: u64) -> Summary {
    let entries = |from, most| -> Option<Vec<Arc<Record>>> {
        let entries = backend.read(id, from, most).ok()?;
        let records = entries.into_iter().map(|entry| match entry {
            Entry::Record(record) => Some(Arc::new(*record)),
            Entry::Damaged(_) => None,
        });
        records.collect()
    };
    let (first, last) = (entries(1, BEGINNING), entries(records.max(1), 1));
    let is_sound = first.is_some() && last.is_some();
    let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
    let task = first.iter().find_map(|record| {
        let Event::UserMessage(message) = &record.event else { return None };
        message.content.iter().find_map(ContentBlock::as_text)
    });
    let model = first.iter().find_map(|record| {
        let Event::TurnStart(start) = &record.event else { return None };
        start.model.clone()
    });
    let last = last.last();
    Summary {
        id,
        task: task.map(|task| toolgate::text::shortened(task, LONGEST_TASK)).unwrap_or_default(),
        model,
        time: last.map(|record| record.time.clone()).unwrap_or_default(),
        records,
        is_settled: last.is_none_or(|record| matches!(record.event, Event::TurnEnd(_))),
        is_sound,
    }
}
