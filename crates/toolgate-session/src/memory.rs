//! [`MemoryBackend`]: sessions that end with the process, for tests and for those who want no trace.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Backend, Entry, Journal, Record, SessionId, StoreError};

/// Keeps sessions in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryBackend(Arc<Mutex<BTreeMap<SessionId, Session>>>);

#[derive(Debug, Default)]
struct Session {
    lines: Vec<Vec<u8>>,
    is_open: bool,
}

impl MemoryBackend {
    /// A back end without sessions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for MemoryBackend {
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let mut sessions = self.sessions();
        if sessions.contains_key(&id) {
            return Err(StoreError::Exists(id));
        }
        sessions.insert(id, Session { lines: Vec::new(), is_open: true });
        Ok(Box::new(MemoryJournal { backend: self.clone(), id }))
    }

    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let mut sessions = self.sessions();
        let session = sessions.get_mut(&id).ok_or(StoreError::NotFound(id))?;
        if session.is_open {
            return Err(StoreError::Busy(id));
        }
        session.is_open = true;
        Ok(Box::new(MemoryJournal { backend: self.clone(), id }))
    }

    fn read(&self, id: SessionId, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let sessions = self.sessions();
        let session = sessions.get(&id).ok_or(StoreError::NotFound(id))?;
        let skipped = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        let lines = session.lines.iter().skip(skipped).take(most);
        lines
            .map(|line| {
                let record = Record::from_line(line);
                let damaged =
                    |error: crate::RecordError| StoreError::Damaged { id, reason: error.to_string() };
                record.map(|record| Entry::Record(Box::new(record))).map_err(damaged)
            })
            .collect()
    }

    fn torn_tail(&self, id: SessionId) -> Result<Option<Range<u64>>, StoreError> {
        self.read(id, 1, 0).map(|_| None)
    }

    fn acknowledged(&self, id: SessionId) -> Result<u64, StoreError> {
        let sessions = self.sessions();
        sessions.get(&id).map(|session| session.lines.len() as u64).ok_or(StoreError::NotFound(id))
    }

    fn list(&self) -> Result<Vec<SessionId>, StoreError> {
        Ok(self.sessions().keys().copied().collect())
    }
}

struct MemoryJournal {
    backend: MemoryBackend,
    id: SessionId,
}

impl Journal for MemoryJournal {
    fn last(&self) -> u64 {
        self.backend.acknowledged(self.id).unwrap_or(0)
    }

    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        let mut sessions = self.backend.sessions();
        let session = sessions.get_mut(&self.id).ok_or(StoreError::NotFound(self.id))?;
        session.lines.extend_from_slice(lines);
        Ok(())
    }
}

impl Drop for MemoryJournal {
    fn drop(&mut self) {
        if let Some(session) = self.backend.sessions().get_mut(&self.id) {
            session.is_open = false;
        }
    }
}
