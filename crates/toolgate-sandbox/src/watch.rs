//! [`Watch`]: whether a run must end, and why: by the clock, by the processor time, or because somebody said so.
//!
//! Used by the engines, on the thread that runs the program. It stops nothing by itself.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind};

/// Watches one run.
pub(crate) struct Watch {
    wall: Duration,
    cpu: Duration,
    /// When the wall time is used up.
    pub(crate) end: Instant,
    /// The processor time that this thread had used before.
    used: Duration,
    stop: RefCell<Option<Failure>>,
}

impl Watch {
    pub(crate) fn new(limits: &Limits, started: Instant) -> Self {
        Self {
            wall: limits.wall,
            cpu: limits.cpu,
            end: started + limits.wall.min(Duration::from_secs(30 * 86_400)),
            used: processor_time(),
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
        if Instant::now() >= self.end {
            let message = format!("the program ran for longer than {:?}", self.wall);
            self.stop(FailureKind::Timeout, message);
        } else if processor_time().saturating_sub(self.used) >= self.cpu {
            let message = format!("the program computed for longer than {:?}", self.cpu);
            self.stop(FailureKind::Timeout, message);
        } else {
            return false;
        }
        true
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
