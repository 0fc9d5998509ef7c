//! [`Bridge`]: the state that one run shares between its engine and the functions that the program can call.
//!
//! It belongs to one thread. It owns values of the program, which must be gone before the engine is; `clear` does
//! that, and the engine calls it however a run ends.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use rquickjs::{Function, Object, Persistent, Value};

use crate::limits::Limits;
use crate::link::Link;
use crate::outcome::{Failure, FailureKind};
use crate::output::Output;
use crate::watch::Watch;

use super::heap::Pressure;
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
    pub(super) pending: BTreeMap<u64, PendingCall>,
    /// Bytes of the arguments of pending calls.
    pub(super) bytes: usize,
    /// Calls whose promise nobody has awaited yet.
    pub(super) untouched: BTreeSet<u64>,
}

/// Rejections that are remembered; a program that makes more fails by one of these.
pub(super) const MOST_REJECTIONS: usize = 1_000;

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
    pub(super) watch: Watch,
    pub(super) pressure: Rc<Pressure>,
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
            watch: Watch::new(limits, started),
            pressure: Rc::default(),
        }
    }

    /// Ends the run; the first reason counts.
    pub(super) fn stop(&self, kind: FailureKind, message: impl Into<String>) {
        self.watch.stop(kind, message);
    }

    /// Why the run must end, if it must.
    pub(super) fn stopped(&self) -> Option<Failure> {
        self.watch.stopped()
    }

    /// Whether the run must end: asked between jobs, and some ten thousand times a second while program code runs.
    pub(super) fn is_over(&self) -> bool {
        if self.link.try_borrow().is_ok_and(|link| link.is_cancelled()) {
            self.watch.cancel();
        }
        let is_over = self.watch.is_over();
        if is_over {
            self.pressure.is_ending.set(true);
        }
        is_over
    }

    /// Takes a printed line.
    pub(super) fn print(&self, line: String) {
        let mut output = self.output.borrow_mut();
        if let Some(kept) = output.line(line) {
            self.link.borrow_mut().log(kept);
        }
        if output.is_flood() {
            self.stop(FailureKind::OutputLimit, output.flood());
        }
    }

    /// Drops every value of the program.
    pub(super) fn clear(&self) {
        let calls = std::mem::take(&mut *self.calls.borrow_mut());
        drop(calls.pending);
        self.timers.borrow_mut().clear();
        self.rejections.borrow_mut().clear();
    }
}
