//! [`Link`]: how an engine reaches its host, whether that is in the same process or at the other end of a pipe.
//!
//! An engine is single-threaded and owns its link. A link never runs program code.

use std::time::Instant;

use toolgate_schema::JsonValue;

use crate::outcome::Outcome;
use crate::program::HostReply;

/// Why an engine was woken.
#[derive(Debug)]
pub(crate) enum Wake {
    /// The call of this number has its answer.
    Answer(u64, HostReply),
    /// The time that was asked for has come.
    Time,
    /// The run is cancelled.
    Cancelled,
    /// Nobody reads calls any more.
    Gone,
}

/// How an engine reaches its host.
pub(crate) trait Link {
    /// Takes a call, to be handed over in order; does not wait.
    fn submit(&mut self, number: u64, name: String, arguments: JsonValue);

    /// Hands over what was submitted and waits for an answer, at most until then.
    fn wait(&mut self, until: Instant) -> Wake;

    /// Hands over everything that was submitted, at most until then.
    fn flush(&mut self, until: Instant);

    /// Tells what was printed.
    fn log(&mut self, line: &str);

    /// Takes what is left of the run, before the engine is taken apart.
    fn ended(&mut self, outcome: &Outcome) {
        let _ = outcome;
    }

    /// Whether the run was cancelled; asked thousands of times a second.
    fn is_cancelled(&self) -> bool;
}
