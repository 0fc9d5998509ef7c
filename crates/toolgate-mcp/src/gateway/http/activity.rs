//! [`Activity`]: whether a session over HTTP is still in use.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What is known of the use of one session.
#[derive(Debug)]
pub(in super::super) struct Activity {
    /// Fires when the session is closed.
    pub(in super::super) gone: CancellationToken,
    used: Mutex<Used>,
}

#[derive(Debug)]
struct Used {
    /// Requests, streams and calls under way.
    busy: usize,
    last: Instant,
}

/// Something under way; the session is in use until it is dropped.
#[derive(Debug)]
pub(in super::super) struct Busy(Arc<Activity>);

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        let used = Mutex::new(Used { busy: 0, last: Instant::now() });
        Arc::new(Self { gone: CancellationToken::new(), used })
    }

    /// Keeps the session in use.
    pub(in super::super) fn busy(self: &Arc<Self>) -> Busy {
        self.lock().busy += 1;
        Busy(Arc::clone(self))
    }

    /// Whether nothing is under way, and has not been for that time.
    pub(super) fn is_idle(&self, time: Duration) -> bool {
        let used = self.lock();
        used.busy == 0 && used.last.elapsed() >= time
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        // Every lock is held for plain assignments only, so a poisoned one still holds whole values.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut used = self.0.lock();
        used.busy = used.busy.saturating_sub(1);
        used.last = Instant::now();
    }
}
