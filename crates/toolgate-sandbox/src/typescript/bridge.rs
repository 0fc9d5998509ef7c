//! [`Bridge`]: the state that one run shares between its engine and the functions that the program can call.
//!
//! It belongs to one thread. It owns values of the program, which must be gone before the engine is; `clear` does
//! that, and the engine calls it however a run ends.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use rquickjs::{Function, Object, Persistent, Value};
use rustix::time::{ClockId, clock_gettime};

use crate::limits::Limits;
use crate::link::Link;
use crate::outcome::{Failure, FailureKind};
use crate::output::Output;

use super::timers::Timers;

/// A call that waits for its answer.
pub(super) struct PendingCall {
    pub(super) resolve: Persistent<Function<'static>>,
    pub(super) reject: Persistent<Function<'static>>,
    /// Made where the program called, so that its error knows the place.
    pub(super) trace: Persistent<Object<'static>>,
    /// What its arguments take.
    pub(super) bytes: usize,
}

/// A promise that was rejected while nobody handled it.
pub(super) struct Rejection {
    pub(super) promise: Persistent<Value<'static>>,
    pub(super) reason: Persistent<Value<'static>>,
}

/// The calls of a run.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) made: u64,
    pub(super) pending: HashMap<u64, PendingCall>,
    /// Bytes of the arguments of pending calls.
    pub(super) bytes: usize,
    /// Calls whose promise nobody has awaited yet.
    pub(super) untouched: BTreeSet<u64>,
}

/// Rejections that are remembered; a program that makes more fails by one of these.
pub(super) const MOST_REJECTIONS: usize = 1_000;

/// A flood is counted up to this multiple of the output limit.
const FLOOD: u64 = 16;

/// Nothing runs longer, whatever it is allowed.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// The state of one run.
pub(super) struct Bridge<L> {
    pub(super) limits: Limits,
    pub(super) link: RefCell<L>,
    pub(super) output: RefCell<Output>,
    pub(super) timers: RefCell<Timers>,
    pub(super) calls: RefCell<Calls>,
    pub(super) rejections: RefCell<Vec<Rejection>>,
    /// What a callback threw while nobody could catch it.
    pub(super) uncaught: RefCell<Option<Failure>>,
    /// When the wall time is used up.
    pub(super) end: Instant,
    /// The processor time that this thread had used before.
    used: Duration,
    /// When the processor time is to be asked for again, which is a system call. It passes no faster than the wall
    /// time, so until then it cannot be used up.
    look: Cell<Instant>,
    stop: RefCell<Option<Failure>>,
}

impl<L: Link> Bridge<L> {
    pub(super) fn new(limits: &Limits, link: L, started: Instant) -> Self {
        Self {
            limits: limits.clone(),
            link: RefCell::new(link),
            output: RefCell::new(Output::new(limits.output)),
            timers: RefCell::default(),
            calls: RefCell::default(),
            rejections: RefCell::default(),
            uncaught: RefCell::default(),
            end: started + limits.wall.min(LONGEST),
            used: processor_time(),
            look: Cell::new(started + limits.cpu.min(LONGEST)),
            stop: RefCell::default(),
        }
    }

    /// Ends the run; the first reason counts.
    pub(super) fn stop(&self, kind: FailureKind, message: impl Into<String>) {
        let mut stop = self.stop.borrow_mut();
        if stop.is_none() {
            *stop = Some(Failure::new(kind, message));
        }
    }

    /// Why the run must end, if it must.
    pub(super) fn stopped(&self) -> Option<Failure> {
        self.stop.borrow().clone()
    }

    /// Whether the run must end: asked between jobs, and some ten thousand times a second while program code runs.
    pub(super) fn is_over(&self) -> bool {
        if self.stop.borrow().is_some() {
            return true;
        }
        let now = Instant::now();
        if self.link.try_borrow().is_ok_and(|link| link.is_cancelled()) {
            self.stop(FailureKind::Abort, "the run was cancelled");
        } else if now >= self.end {
            self.stop(
                FailureKind::Timeout,
                format!("the program ran for longer than {:?}", self.limits.wall),
            );
        } else if now >= self.look.get() && self.has_no_processor_time(now) {
            self.stop(
                FailureKind::Timeout,
                format!("the program computed for longer than {:?}", self.limits.cpu),
            );
        } else {
            return false;
        }
        true
    }

    /// Whether the processor time is used up; where it is not, says when that may be so.
    fn has_no_processor_time(&self, now: Instant) -> bool {
        let left = self.limits.cpu.saturating_sub(processor_time().saturating_sub(self.used));
        self.look.set(now + left.min(LONGEST));
        left.is_zero()
    }

    /// Takes a printed line.
    pub(super) fn print(&self, line: String) {
        let mut output = self.output.borrow_mut();
        if let Some(kept) = output.line(line) {
            self.link.borrow_mut().log(kept);
        }
        if output.is_overflown() {
            let printed = output.printed();
            if printed.bytes + printed.lines > FLOOD.saturating_mul(output.limit() as u64) {
                drop(output);
                self.stop(FailureKind::OutputLimit, self.flood());
            }
        }
    }

    /// The words for a run that printed too much.
    pub(super) fn flood(&self) -> String {
        let output = self.output.borrow();
        let printed = output.printed();
        format!(
            "the program printed {} lines ({} bytes with their ends), more than the {} bytes it may print and return",
            printed.lines,
            printed.bytes + printed.lines,
            output.limit()
        )
    }

    /// Drops every value of the program.
    pub(super) fn clear(&self) {
        let calls = std::mem::take(&mut *self.calls.borrow_mut());
        drop(calls.pending);
        self.timers.borrow_mut().clear();
        self.rejections.borrow_mut().clear();
    }
}

/// The processor time of this thread, which runs nothing but the program.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}
