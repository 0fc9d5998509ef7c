//! The watchdog: notices a body that does not give its thread back, which no timer of that thread can.
//!
//! Each thread that polls bodies says in a place of its own what it polls and since when. One thread per policy looks at
//! these places, sleeps while nothing is polled, and ends with the policy. It never touches the body.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use toolgate::ToolExecution;

use super::report::{DeadlineReport, Report, Tally, count};

/// What a thread is polling at the moment.
struct Polling {
    call: ToolExecution,
    since: Instant,
    /// How long it may last before it is told of (again).
    tell_after: Duration,
    /// The policy on whose behalf it is watched.
    watcher: usize,
}

/// The place of one thread.
type Place = Mutex<Option<Polling>>;

/// The places of all threads that have polled a body.
static PLACES: Mutex<Vec<Weak<Place>>> = Mutex::new(Vec::new());

thread_local! {
    static HERE: Arc<Place> = {
        let place = Arc::new(Mutex::new(None));
        lock(&PLACES).push(Arc::downgrade(&place));
        place
    };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every lock is held for a few plain assignments, so a poisoned one still holds whole values.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks after the bodies of one policy.
#[derive(Clone)]
pub(super) struct Watchdog(Arc<Shared>);

struct Shared {
    threshold: Duration,
    report: Arc<Report>,
    tally: Arc<Tally>,
    /// The watching thread, once there was something to watch; none where the system gave none.
    thread: OnceLock<Option<Thread>>,
    /// Whether it sleeps until it is woken.
    is_asleep: AtomicBool,
}

impl Watchdog {
    /// A watchdog that reports a poll of more than `threshold`.
    pub(super) fn new(threshold: Duration, report: Arc<Report>, tally: Arc<Tally>) -> Self {
        Self(Arc::new(Shared {
            threshold,
            report,
            tally,
            thread: OnceLock::new(),
            is_asleep: AtomicBool::new(false),
        }))
    }

    /// Runs a body under the watchdog's eyes.
    pub(super) async fn watch<W: Future>(&self, call: &ToolExecution, work: W) -> W::Output {
        let mut work = pin!(work);
        poll_fn(|cx| {
            let _polling = self.begin(call);
            work.as_mut().poll(cx)
        })
        .await
    }

    fn begin(&self, call: &ToolExecution) -> Busy {
        let polling = Polling {
            call: call.clone(),
            since: Instant::now(),
            tell_after: self.0.threshold,
            watcher: self.0.name(),
        };
        // A thread that is ending has no place any more, and is not watched.
        let before = HERE.try_with(|here| lock(here).replace(polling)).ok();
        self.0.wake();
        Busy { before }
    }
}

/// A poll under way. What the thread was polling around it comes back with its end.
struct Busy {
    before: Option<Option<Polling>>,
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            let ended = HERE.try_with(|here| std::mem::replace(&mut *lock(here), before));
            // The call may be the last handle on somebody's tool; it is dropped here, outside the lock.
            drop(ended);
        }
    }
}

impl Shared {
    /// What this policy is called in the places.
    fn name(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn wake(self: &Arc<Self>) {
        let thread = self.thread.get_or_init(|| {
            let watched = Arc::downgrade(self);
            let tick = (self.threshold / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
            let spawned = thread::Builder::new()
                .name("toolgate-watchdog".to_owned())
                .spawn(move || watch_until_dropped(&watched, tick));
            match spawned {
                Ok(handle) => Some(handle.thread().clone()),
                Err(error) => {
                    tracing::warn!(target: "toolgate", "blocked threads will go unnoticed: {error}");
                    None
                }
            }
        });
        if self.is_asleep.load(Ordering::SeqCst)
            && self.is_asleep.swap(false, Ordering::SeqCst)
            && let Some(thread) = thread
        {
            thread.unpark();
        }
    }

    /// Looks at every place once. Gives whether a body of this policy is being polled, and whom to tell of.
    fn look(&self) -> (bool, Vec<DeadlineReport>) {
        let (mut is_busy, mut blocked) = (false, Vec::new());
        lock(&PLACES).retain(|place| {
            let Some(place) = place.upgrade() else { return false };
            if let Some(polling) = &mut *lock(&place)
                && polling.watcher == self.name()
            {
                is_busy = true;
                let length = polling.since.elapsed();
                if length >= polling.tell_after {
                    polling.tell_after = length.saturating_mul(2);
                    blocked.push(DeadlineReport::ThreadBlocked { call: polling.call.clone(), length });
                }
            }
            true
        });
        (is_busy, blocked)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.is_asleep.store(false, Ordering::SeqCst);
        if let Some(Some(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

/// The watching thread: looks, tells, and sleeps while there is nothing to look at.
fn watch_until_dropped(watched: &Weak<Shared>, tick: Duration) {
    loop {
        // Awake for a tick at least, so that many short calls wake this thread once and not each.
        thread::sleep(tick);
        let Some(shared) = watched.upgrade() else { return };
        // Said before looking: a poll that begins after the look finds a sleeper to wake.
        shared.is_asleep.store(true, Ordering::SeqCst);
        let (is_busy, blocked) = shared.look();
        for report in blocked {
            count(&shared.tally.threads_blocked);
            // A report that panics must not end the watch.
            let told = catch_unwind(AssertUnwindSafe(|| (shared.report)(&report)));
            if told.is_err() {
                tracing::error!(target: "toolgate", "the deadline report panicked");
            }
        }
        if is_busy {
            shared.is_asleep.store(false, Ordering::SeqCst);
            continue;
        }
        drop(shared);
        sleep_until_woken(watched);
    }
}

fn sleep_until_woken(watched: &Weak<Shared>) {
    loop {
        // Holding the policy while asleep would keep it alive for ever.
        match watched.upgrade() {
            Some(shared) if shared.is_asleep.load(Ordering::SeqCst) => drop(shared),
            Some(_) | None => return,
        }
        thread::park();
    }
}
