//! [`Limits`]: what one program may use. Every limit is hard and ends the run with its own kind of failure.
//!
//! Made by whoever starts a run; nothing here enforces anything.

use std::time::Duration;

/// What one program may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From the start to the end, waiting for host calls and timers included. Beyond it: `timeout`. Nothing runs for
    /// longer than 30 days.
    pub wall: Duration,
    /// Processor time of the program itself; waiting costs nothing. Beyond it: `timeout`.
    pub cpu: Duration,
    /// Bytes of the program's heap. Beyond it the program gets an error that it may catch; uncaught: `memory`. The
    /// arguments of the calls in flight may take half as much of its host. Beyond it: `limit`.
    pub memory: usize,
    /// Bytes of stack for the program's own functions. Beyond it the program gets an error that it may catch;
    /// uncaught: `limit`.
    pub stack: usize,
    /// Bytes of the source text. Beyond it: `limit`, before anything runs.
    pub source: usize,
    /// Bytes of what was printed, and of the result as JSON text, together. Beyond it: `output-limit`.
    pub output: usize,
    /// Host calls of the whole run. Beyond it: `limit`.
    pub calls: usize,
    /// Host calls without an answer at one time. Beyond it: `limit`.
    pub in_flight: usize,
}

impl Limits {
    /// The defaults for programs that share the process with their host: 32 MiB of memory, because the loops of the
    /// language's own functions cannot be interrupted and the heap bounds how long they take.
    #[must_use]
    pub fn in_process() -> Self {
        Self { memory: 32 << 20, ..Self::default() }
    }

    /// Why a program that has made so many calls may not make one more, with so many in flight and so many bytes of
    /// arguments in all of these.
    pub(crate) fn refuse_call(&self, made: u64, in_flight: usize, bytes: usize) -> Option<String> {
        if made >= self.calls as u64 {
            return Some(format!("the program made more than {} calls", self.calls));
        }
        if in_flight >= self.in_flight {
            return Some(format!("the program had more than {} calls in flight", self.in_flight));
        }
        let most = self.memory / 2;
        let refusal =
            || format!("the arguments of the calls in flight take more than {most} bytes of memory");
        (bytes > most).then(refusal)
    }
}

impl Default for Limits {
    /// Five minutes of wall time, 10 s of processor time, 64 MiB of memory, 1 MiB of stack, 256 KiB of source,
    /// 1 MiB of output, 10,000 calls of which 4,096 in flight.
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(300),
            cpu: Duration::from_secs(10),
            memory: 64 << 20,
            stack: 1 << 20,
            source: 256 << 10,
            output: 1 << 20,
            calls: 10_000,
            in_flight: 4_096,
        }
    }
}
