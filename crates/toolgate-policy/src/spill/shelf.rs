//! What is kept, for whom, and what has to go: the bookkeeping of the store, without the files.
//!
//! Called by [`super::store`] under its lock. The quota holds for what is complete and for what is being written.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Instant;

use toolgate::{Scope, ScopeId};

use super::config::Quota;
use super::entry::Entry;
use super::handle::SpillHandle;

/// How many handles are remembered of what is gone.
const MOST_REMEMBERED: usize = 10_000;

/// The contents that are kept now.
pub(super) struct Shelf {
    quota: Quota,
    entries: HashMap<SpillHandle, (Entry, Instant)>,
    /// By number, which is by age.
    order: BTreeMap<u64, SpillHandle>,
    /// What was kept until lately, for whom.
    gone: VecDeque<(SpillHandle, Option<ScopeId>)>,
    /// How much is kept or being written.
    bytes: u64,
    /// How many are being written, and how much of `bytes` is theirs.
    reserved: usize,
    reserved_bytes: u64,
    next: u64,
}

/// There is no room, and removing what is kept would not make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoRoom {
    #[error("{bytes} bytes are more than the quota of {quota}")]
    TooLarge { bytes: u64, quota: u64 },
    #[error("the quota is taken by content that is being written")]
    Busy,
}

/// What is under a handle, as one reader sees it.
pub(super) enum Found {
    Kept(Entry),
    Gone,
    Unknown,
}

impl Shelf {
    pub(super) fn new(quota: Quota) -> Self {
        Self {
            quota,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            gone: VecDeque::new(),
            bytes: 0,
            reserved: 0,
            reserved_bytes: 0,
            next: 1,
        }
    }

    /// Sets so many bytes aside and gives the number to write under. What has to go for it is added to `removed`.
    pub(super) fn reserve(
        &mut self,
        bytes: u64,
        now: Instant,
        removed: &mut Vec<Entry>,
    ) -> Result<u64, NoRoom> {
        self.expire(now, removed);
        if bytes > self.quota.bytes {
            return Err(NoRoom::TooLarge { bytes, quota: self.quota.bytes });
        }
        // Nothing is removed for content that finds no room all the same.
        let is_taken = self.reserved_bytes.saturating_add(bytes) > self.quota.bytes;
        if is_taken || self.reserved >= self.quota.entries {
            return Err(NoRoom::Busy);
        }
        while self.bytes.saturating_add(bytes) > self.quota.bytes
            || self.entries.len() + self.reserved >= self.quota.entries
        {
            removed.push(self.remove_oldest().ok_or(NoRoom::Busy)?);
        }
        self.bytes += bytes;
        self.reserved_bytes += bytes;
        self.reserved += 1;
        let number = self.next;
        self.next += 1;
        Ok(number)
    }

    /// Gives back what was set aside for content that could not be written.
    pub(super) fn release(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
        self.settle(bytes);
    }

    /// Puts content up that was written into reserved room.
    pub(super) fn put(&mut self, entry: Entry, now: Instant) {
        self.settle(entry.bytes());
        self.order.insert(entry.number, entry.handle);
        self.entries.insert(entry.handle, (entry, now));
    }

    /// What was being written is no longer.
    fn settle(&mut self, bytes: u64) {
        self.reserved_bytes = self.reserved_bytes.saturating_sub(bytes);
        self.reserved = self.reserved.saturating_sub(1);
    }

    /// Takes content away that nobody got a handle of.
    pub(super) fn take(&mut self, handle: SpillHandle) -> Option<Entry> {
        let (entry, _) = self.entries.remove(&handle)?;
        self.order.remove(&entry.number);
        self.bytes = self.bytes.saturating_sub(entry.bytes());
        Some(entry)
    }

    /// What is under a handle. Another agent's handle is as unknown as one that never was.
    pub(super) fn find(
        &mut self,
        handle: SpillHandle,
        reader: Option<&Scope>,
        now: Instant,
        removed: &mut Vec<Entry>,
    ) -> Found {
        self.expire(now, removed);
        if let Some((entry, _)) = self.entries.get(&handle) {
            return if may_read(entry.owner, reader) { Found::Kept(entry.clone()) } else { Found::Unknown };
        }
        let mut gone = self.gone.iter().filter(|(known, _)| *known == handle);
        if gone.any(|(_, owner)| may_read(*owner, reader)) { Found::Gone } else { Found::Unknown }
    }

    /// Removes whatever has been kept for its time.
    fn expire(&mut self, now: Instant, removed: &mut Vec<Entry>) {
        let limit = self.quota.expires_after;
        while let Some(born) = self.oldest().map(|(_, born)| *born)
            && now.saturating_duration_since(born) >= limit
        {
            removed.extend(self.remove_oldest());
        }
    }

    fn oldest(&self) -> Option<&(Entry, Instant)> {
        self.order.first_key_value().and_then(|(_, handle)| self.entries.get(handle))
    }

    fn remove_oldest(&mut self) -> Option<Entry> {
        let handle = *self.order.first_key_value()?.1;
        let entry = self.take(handle)?;
        if self.gone.len() >= MOST_REMEMBERED {
            self.gone.pop_front();
        }
        self.gone.push_back((handle, entry.owner));
        Some(entry)
    }
}

/// Whether an agent may know of content at all: its own, and that of the scopes above it. What nobody's agent called
/// is for nobody's agent.
fn may_read(owner: Option<ScopeId>, reader: Option<&Scope>) -> bool {
    match (owner, reader) {
        (Some(owner), Some(reader)) => reader.is_within(owner),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}
