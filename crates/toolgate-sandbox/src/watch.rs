//! [`Watch`]: whether a run must end, and why: by the clock, by the processor time, or because somebody said so.
//!
//! Used by the engines, on the thread that runs the program. It stops nothing by itself.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind};

/// Nothing runs longer, whatever it is allowed.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// Watches one run.
pub(crate) struct Watch {
    wall: Duration,
    cpu: Duration,
    /// When the wall time is used up.
    pub(crate) end: Instant,
    /// The processor time that this thread had used before.
    used: Duration,
    /// When the processor time is to be asked for again, which is a system call. It passes no faster than the wall
    /// time, so until then it cannot be used up.
    look: Cell<Instant>,
    stop: RefCell<Option<Failure>>,
}

impl Watch {
    pub(crate) fn new(limits: &Limits, started: Instant) -> Self {
        Self {
            wall: limits.wall,
            cpu: limits.cpu,
            end: started + limits.wall.min(LONGEST),
            used: processor_time(),
            look: Cell::new(started + limits.cpu.min(LONGEST)),
            stop: RefCell::default(),
        }
    }

    /// Ends the run; the first reason counts.
    pub(crate) fn stop(&self, kind: FailureKind, message: impl Into<String>) {
        let mut stop = self.stop.borrow_mut();
        if stop.is_none() {
            *stop = Some(Failure::new(kind, message));
        }
    }

    /// Ends the run on its caller's wish.
    pub(crate) fn cancel(&self) {
        self.stop(FailureKind::Abort, "the run was cancelled");
    }

    /// Ends the run because its calls have no host any more.
    pub(crate) fn desert(&self) {
        self.stop(FailureKind::Abort, "nobody answers the calls of the program any more");
    }

    /// Why the run must end, if it must.
    pub(crate) fn stopped(&self) -> Option<Failure> {
        self.stop.borrow().clone()
    }

    /// Whether the run must end: asked some ten thousand times a second while program code runs.
    pub(crate) fn is_over(&self) -> bool {
        if self.stop.borrow().is_some() {
            return true;
        }
        let now = Instant::now();
        if now >= self.end {
            let message = format!("the program ran for longer than {:?}", self.wall);
            self.stop(FailureKind::Timeout, message);
        } else if now >= self.look.get() && self.has_no_processor_time(now) {
            let message = format!("the program computed for longer than {:?}", self.cpu);
            self.stop(FailureKind::Timeout, message);
        } else {
            return false;
        }
        true
    }

    /// Whether the processor time is used up; where it is not, says when that may be so.
    fn has_no_processor_time(&self, now: Instant) -> bool {
        let left = self.cpu.saturating_sub(processor_time().saturating_sub(self.used));
        self.look.set(now + left.min(LONGEST));
        left.is_zero()
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
