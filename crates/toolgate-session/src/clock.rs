//! The clock that stamps records.

use jiff::Zoned;

/// Tells the time of a record. A test brings its own.
pub trait Clock: Send + 'static {
    /// Now, as RFC 3339 with the offset from UTC, to the millisecond.
    fn now(&mut self) -> String;
}

/// The system's clock, in the system's time zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&mut self) -> String {
        Zoned::now().strftime("%Y-%m-%dT%H:%M:%S.%3f%:z").to_string()
    }
}
