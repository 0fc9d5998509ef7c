//! [`Patience`]: whether it is worth looking again for what is about to come, rather than to sleep until it does.
//!
//! Used on both sides of the pipes. To be woken by another process costs more than most calls of a program do; so each
//! side looks for the other's next words for a moment. Who looks in vain, because what he waits for is slow or because
//! the other has no processor, sleeps the next times, and each time that this happens in a row for twice as many.

use std::time::{Duration, Instant};

/// How long one looks: some times what it costs to be woken.
const WORTH: Duration = Duration::from_micros(30);

/// The most waits that are slept through before one looks again.
const MOST_SLEEPS: u32 = 255;

/// Whether it is worth looking again.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// Since when nothing has come.
    since: Option<Instant>,
    /// How many waits are still slept through.
    sleeps: u32,
    /// How many those were that the last look in vain has cost.
    last_sleeps: u32,
}

impl Patience {
    /// Asked when there is nothing: whether to look again.
    pub(super) fn looks_again(&mut self) -> bool {
        if self.sleeps > 0 {
            return false;
        }
        if self.since.get_or_insert_with(Instant::now).elapsed() < WORTH {
            return true;
        }
        self.last_sleeps = (2 * self.last_sleeps + 1).min(MOST_SLEEPS);
        // This one, and so many more.
        self.sleeps = self.last_sleeps + 1;
        false
    }

    /// Something has come.
    pub(super) fn is_rewarded(&mut self) {
        self.sleeps = self.sleeps.saturating_sub(1);
        if self.since.take().is_some() && self.sleeps == 0 {
            self.last_sleeps = 0;
        }
    }
}
