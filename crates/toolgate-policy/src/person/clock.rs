//! The clock that stands still while a person is asked.
//!
//! Told by [`People`](super::People), read by the deadlines. It keeps the time of whole call trees, under the id of the
//! call that a model made: what a sub-call asks stops the time of the program around it as well. It knows neither who
//! is asked nor why.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use toolgate::CallId;

/// Says for which calls a person is being asked. Cheap to clone; clones are the same clock.
///
/// Calls of one root call share one time. Root ids are chosen by whoever makes calls; two agents that use the same id at
/// the same time share it too, and their deadlines then come later, never earlier.
#[derive(Clone, Debug, Default)]
pub struct PersonClock(Arc<Mutex<HashMap<CallId, Kept>>>);

/// A tree and how many look at it, which changes under the lock of all trees.
#[derive(Debug, Default)]
struct Kept {
    tree: Arc<Tree>,
    watches: usize,
}

/// The time of one call tree, while somebody asks or waits in it.
#[derive(Debug, Default)]
struct Tree {
    asked: Mutex<Asked>,
    /// A question was opened or closed.
    changed: Notify,
}

/// How long people have been asked.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    open: u32,
    since: Option<Instant>,
    before: Duration,
}

impl Asked {
    fn total(&self, now: Instant) -> Duration {
        let open = self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        self.before.saturating_add(open)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every lock is held for plain assignments only, so a poisoned one still holds whole values.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PersonClock {
    /// Stops the time of the call `root` and of all calls below it, until the guard is dropped. Guards add up.
    #[must_use = "time goes on when the guard is dropped"]
    pub fn stop(&self, root: &CallId) -> StoppedClock {
        let watch = self.watch(root);
        watch.change(|asked, now| {
            asked.since.get_or_insert(now);
            asked.open = asked.open.saturating_add(1);
        });
        StoppedClock(watch)
    }

    /// Waits until `limit` has passed from now, not counting the time in which a person is asked for the call `root` or
    /// one below it. For the clocks of others, such as the wall time of a program. Dropping it stops nothing.
    pub fn elapse(&self, root: &CallId, limit: Duration) -> impl Future<Output = ()> + Send + use<> {
        self.watch(root).elapse(Instant::now(), limit)
    }

    /// Looks at the time of a call tree.
    pub(crate) fn watch(&self, root: &CallId) -> Watch {
        let mut trees = lock(&self.0);
        let kept = trees.entry(root.clone()).or_default();
        kept.watches = kept.watches.saturating_add(1);
        Watch { clock: self.clone(), root: root.clone(), tree: Arc::clone(&kept.tree) }
    }
}

/// While it lives, no time passes for its call tree. Made by [`PersonClock::stop`].
#[derive(Debug)]
pub struct StoppedClock(Watch);

impl Drop for StoppedClock {
    fn drop(&mut self) {
        self.0.change(|asked, now| {
            asked.open = asked.open.saturating_sub(1);
            if asked.open == 0 {
                asked.before = asked.total(now);
                asked.since = None;
            }
        });
    }
}

/// Somebody who looks at the time of a call tree. The tree is kept while anybody does.
#[derive(Debug)]
pub(crate) struct Watch {
    clock: PersonClock,
    root: CallId,
    tree: Arc<Tree>,
}

impl Watch {
    /// Waits until `limit` has passed since `begun`, not counting the time in which a person was asked.
    pub(crate) async fn elapse(self, begun: Instant, limit: Duration) {
        let asked_before = self.asked().total(Instant::now());
        loop {
            // Made before looking, so that no change is missed in between.
            let mut changed = pin!(self.tree.changed.notified());
            let (now, asked) = (Instant::now(), self.asked());
            if asked.open > 0 {
                changed.await;
                continue;
            }
            let stood_still = asked.total(now).saturating_sub(asked_before);
            let used = now.saturating_duration_since(begun).saturating_sub(stood_still);
            let Some(left) = limit.checked_sub(used).filter(|left| !left.is_zero()) else { return };
            select(pin!(sleep(left)), changed.as_mut()).await;
        }
    }

    fn asked(&self) -> Asked {
        *lock(&self.tree.asked)
    }

    fn change(&self, change: impl FnOnce(&mut Asked, Instant)) {
        change(&mut lock(&self.tree.asked), Instant::now());
        self.tree.changed.notify_waiters();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut trees = lock(&self.clock.0);
        if let Entry::Occupied(mut kept) = trees.entry(self.root.clone()) {
            kept.get_mut().watches = kept.get().watches.saturating_sub(1);
            if kept.get().watches == 0 {
                kept.remove();
            }
        }
    }
}
