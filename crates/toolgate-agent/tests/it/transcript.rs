//! What providers ask of a conversation, checked strictly; and a back end that fails.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use toolgate_session::replay::{Message, messages};
use toolgate_session::{Backend, Entry, Event, Journal, SessionId, StoreError};

/// Panics unless every call has one `tool/call` and one `tool/result`, in that order, and the conversation is one that
/// strict providers accept: results stand right behind the message that asked for them, in its order, and nothing is
/// open.
pub(crate) fn is_valid(events: &[Event]) {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for event in events {
        match event {
            Event::ToolCall(call) => {
                let count = counts.entry(call.call_id.to_string()).or_default();
                assert_eq!(*count, (0, 0), "{} was called before", call.call_id);
                count.0 += 1;
            }
            Event::ToolResult(result) => {
                let count = counts.entry(result.call_id.to_string()).or_default();
                assert_eq!(*count, (1, 0), "{} has no open call", result.call_id);
                count.1 += 1;
            }
            _ => {}
        }
    }
    assert!(counts.values().all(|count| *count == (1, 1)), "{counts:?}");
    let mut asked = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages(events) {
        match message {
            Message::Tool { call_id, content, .. } => {
                assert!(!open.is_empty(), "{call_id} answers nothing");
                assert_eq!(open.remove(0), call_id.to_string());
                assert!(!content.is_empty(), "{call_id} has an empty result");
            }
            Message::User { content, .. } => {
                assert!(open.is_empty(), "{open:?} have no result");
                assert!(!content.is_empty(), "an empty message");
            }
            Message::Assistant { content, calls } => {
                assert!(open.is_empty(), "{open:?} have no result");
                assert!(!(content.is_empty() && calls.is_empty()), "an empty answer");
                open = calls.iter().map(|call| call.call_id.to_string()).collect();
                assert!(open.iter().all(|id| asked.insert(id.clone())), "{open:?} were asked for before");
            }
        }
    }
    assert!(open.is_empty(), "{open:?} have no result");
    let counted: HashSet<String> = counts.into_keys().collect();
    assert_eq!(asked, counted, "what was asked for is what was called");
}

/// A back end whose journal fails after some appends.
pub(crate) struct FailingBackend {
    inner: Arc<dyn Backend>,
    good: usize,
}

impl FailingBackend {
    pub(crate) fn new(inner: Arc<dyn Backend>, good: usize) -> Self {
        Self { inner, good }
    }
}

struct FailingJournal {
    inner: Box<dyn Journal>,
    id: SessionId,
    good: usize,
}

impl Backend for FailingBackend {
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        Ok(Box::new(FailingJournal { inner: self.inner.create(id)?, id, good: self.good }))
    }

    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        self.inner.open(id)
    }

    fn read(&self, id: SessionId, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.inner.read(id, from, most)
    }

    fn torn_tail(&self, id: SessionId) -> Result<Option<Range<u64>>, StoreError> {
        self.inner.torn_tail(id)
    }

    fn acknowledged(&self, id: SessionId) -> Result<u64, StoreError> {
        self.inner.acknowledged(id)
    }

    fn list(&self) -> Result<Vec<SessionId>, StoreError> {
        self.inner.list()
    }
}

impl Journal for FailingJournal {
    fn last(&self) -> u64 {
        self.inner.last()
    }

    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        let Some(good) = self.good.checked_sub(1) else {
            return Err(StoreError::Damaged { id: self.id, reason: "the disk is full".to_owned() });
        };
        self.good = good;
        self.inner.append(lines)
    }
}
