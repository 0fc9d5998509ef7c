//! Calls that wait for an answer in a later request (2026-07-28): the client gets the questions and a handle, and asks
//! again with both. The call itself goes on waiting here, so what it has done is not done again.
//!
//! Handles are secrets: 128 random bits. One is good once, for the same caller and the same call, and for a bounded time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::asking::Ask;
use super::call::{AskedFor, RunningCall};

/// A call that waits, with its questions by their keys.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) call: RunningCall,
    pub(super) asks: Vec<(String, Ask)>,
    /// Who may take it up.
    pub(super) caller: u64,
}

/// All of them. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    waiting: Arc<Mutex<HashMap<String, (Waiting, DropGuard)>>>,
    most: usize,
    time: Duration,
}

impl Parked {
    pub(super) fn new(most: usize, time: Duration) -> Self {
        Self { waiting: Arc::default(), most, time }
    }

    /// Lets a call wait; gives its handle. None where too many wait, or there is no randomness to make a handle of: the
    /// call is dropped then, and so cancelled.
    pub(super) fn park(
        &self,
        waiting: Waiting,
        tasks: &TaskTracker,
        until: CancellationToken,
    ) -> Option<String> {
        let handle = super::http::Secret::generate().ok()?.reveal().to_owned();
        let taken = CancellationToken::new();
        {
            let mut all = self.lock();
            if all.len() >= self.most {
                return None;
            }
            all.insert(handle.clone(), (waiting, taken.clone().drop_guard()));
        }
        let (parked, expiring) = (self.clone(), handle.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = taken.cancelled() => {}
                () = tokio::time::sleep(parked.time) => drop(parked.take(&expiring)),
                () = until.cancelled() => drop(parked.take(&expiring)),
            }
        });
        Some(handle)
    }

    /// Takes a call up again, for the caller and the call that it was parked for.
    pub(super) fn resume(&self, handle: &str, caller: u64, asked_for: &AskedFor) -> Option<Waiting> {
        let mut all = self.lock();
        let (waiting, _) = all.get(handle)?;
        if waiting.caller != caller || waiting.call.asked_for != *asked_for {
            return None;
        }
        all.remove(handle).map(|(waiting, _)| waiting)
    }

    fn take(&self, handle: &str) -> Option<Waiting> {
        self.lock().remove(handle).map(|(waiting, _)| waiting)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Waiting, DropGuard)>> {
        // Every lock is held for plain inserts and look-ups, so a poisoned one still holds whole values.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
