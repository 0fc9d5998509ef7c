//! [`Timers`]: the `setTimeout` of one run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::{Duration, Instant};

use rquickjs::{Function, Persistent, Value};

/// A callback and its arguments.
pub(super) struct Timer {
    pub(super) callback: Persistent<Function<'static>>,
    pub(super) arguments: Persistent<Value<'static>>,
}

/// The timers that wait, in the order of their time.
#[derive(Default)]
pub(super) struct Timers {
    order: BinaryHeap<Reverse<(Instant, u64)>>,
    waiting: HashMap<u64, Timer>,
    made: u64,
}

/// Timers that may wait at one time.
pub(super) const MOST_TIMERS: usize = 10_000;

/// The longest delay, 30 days; nothing runs that long.
const LONGEST: f64 = 2_592_000_000.0;

impl Timers {
    /// Starts a timer of so many milliseconds and gives its number.
    pub(super) fn start(&mut self, milliseconds: f64, timer: Timer) -> u64 {
        let milliseconds = if milliseconds > 0.0 { milliseconds.min(LONGEST) } else { 0.0 };
        let due = Instant::now() + Duration::from_secs_f64(milliseconds / 1_000.0);
        self.made += 1;
        self.order.push(Reverse((due, self.made)));
        self.waiting.insert(self.made, timer);
        self.made
    }

    pub(super) fn cancel(&mut self, number: u64) {
        self.waiting.remove(&number);
        if self.order.len() > 2 * self.waiting.len() + 64 {
            let waiting = &self.waiting;
            self.order.retain(|Reverse((_, number))| waiting.contains_key(number));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// When the next timer is due.
    pub(super) fn next(&mut self) -> Option<Instant> {
        while let Some(Reverse((due, number))) = self.order.peek() {
            if self.waiting.contains_key(number) {
                return Some(*due);
            }
            self.order.pop();
        }
        None
    }

    /// The next timer that is due.
    pub(super) fn due(&mut self, now: Instant) -> Option<Timer> {
        if self.next()? > now {
            return None;
        }
        let Reverse((_, number)) = self.order.pop()?;
        self.waiting.remove(&number)
    }

    pub(super) fn clear(&mut self) {
        self.order.clear();
        self.waiting.clear();
    }
}
