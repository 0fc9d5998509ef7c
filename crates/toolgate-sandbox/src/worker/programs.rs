//! The programs of a worker by their language: what is made ready for them, and how one is run.
//!
//! Called by a worker's main function. A worker is ready for every language that was compiled in, because it does not
//! know which one it will get.

use crate::limits::Limits;
use crate::link::{Link, Wake};
use crate::outcome::Outcome;
use crate::program::Globals;
use crate::typescript;

/// Does what the first program would otherwise wait for: pages of code, and the time zone, which is a file. False when
/// a language does not work.
pub(super) fn warm() -> bool {
    let (globals, limits) = (Globals::default(), Limits::default());
    let source = "return [new Date(0).getHours(), await (async () => 1)()]";
    typescript::run(source, &globals, &limits, NoLink).failure.is_none()
        && python::warm(&globals, &limits, NoLink)
}

/// Runs a program to its end.
pub(super) fn run<L: Link + 'static>(
    is_python: bool,
    source: &str,
    globals: &Globals,
    limits: &Limits,
    link: L,
) -> Outcome {
    if is_python {
        return python::run(source, globals, limits, link);
    }
    typescript::run(source, globals, limits, link)
}

#[cfg(feature = "python")]
mod python {
    //! Programs in Python: the memory of the whole process is limited for one.

    use crate::limits::Limits;
    use crate::link::Link;
    use crate::outcome::{Failure, FailureKind, Outcome};
    use crate::program::Globals;
    use crate::python;

    pub(super) fn warm<L: Link>(globals: &Globals, limits: &Limits, link: L) -> bool {
        python::run("return 1", globals, limits, link).failure.is_none()
    }

    pub(super) fn run<L: Link>(source: &str, globals: &Globals, limits: &Limits, link: L) -> Outcome {
        if monty_alloc::set_limit(Some(limits.memory), false).is_err() {
            let message = "this binary cannot limit the memory of Python\n\
                           hint: declare `toolgate_sandbox::ProgramAllocator` as its global allocator";
            let failure = Failure::new(FailureKind::Crash, message);
            return Outcome { failure: Some(failure), ..Outcome::default() };
        }
        python::run(source, globals, limits, link)
    }
}

#[cfg(not(feature = "python"))]
mod python {
    //! Where Python was not compiled in, a pool refuses its programs before they come here.

    use crate::limits::Limits;
    use crate::link::Link;
    use crate::outcome::{Failure, FailureKind, Outcome};
    use crate::program::Globals;

    pub(super) fn warm<L: Link>(_: &Globals, _: &Limits, _: L) -> bool {
        true
    }

    pub(super) fn run<L: Link>(_: &str, _: &Globals, _: &Limits, _: L) -> Outcome {
        let failure = Failure::new(FailureKind::Crash, "the worker runs no Python");
        Outcome { failure: Some(failure), ..Outcome::default() }
    }
}

/// The link of a program that calls nobody.
struct NoLink;

impl Link for NoLink {
    fn submit(&mut self, _number: u64, _name: String, _arguments: toolgate_schema::JsonValue) {}

    fn wait(&mut self, _until: std::time::Instant) -> Wake {
        Wake::Gone
    }

    fn flush(&mut self, _until: std::time::Instant) {}

    fn log(&mut self, _line: &str) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
