//! How long to wait before a connection is tried again.

use std::time::{Duration, Instant};

/// The first pause that is one; it doubles from attempt to attempt.
const FIRST: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);
/// How long a connection lasts that counts as a good one.
const GOOD: Duration = Duration::from_secs(30);

/// The attempts so far.
#[derive(Debug, Default)]
pub(crate) struct Retry {
    /// Attempts that failed, and connections that ended soon, since the last good one.
    failures: u32,
    up_since: Option<Instant>,
}

impl Retry {
    /// A connection has come about.
    pub(crate) fn is_up(&mut self) {
        self.up_since = Some(Instant::now());
    }

    /// The pause after a failed attempt, or after the end of a connection. The first end of a connection has none: most
    /// often the server was only started anew.
    pub(crate) fn pause(&mut self) -> Duration {
        let was_up = self.up_since.take();
        if was_up.is_some_and(|since| since.elapsed() >= GOOD) {
            self.failures = 0;
        }
        let failures = self.failures;
        self.failures = failures.saturating_add(1);
        if failures == 0 && was_up.is_some() {
            return Duration::ZERO;
        }
        FIRST.saturating_mul(1 << failures.min(16)).min(LONGEST)
    }
}
