//! [`worker_main`]: the whole life of a worker process, from its start to its one program's end.

use std::process::exit;

use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::program::Globals;
use crate::system;

use super::confine;
use super::frame::{FromWorker, ToWorker};
use super::pipe::{self, Heard, PipeLink};
use super::programs;

/// The stack of the thread that runs the program, reserved before the size of the program is known.
pub(super) const STACK: usize = 512 << 20;

/// The longest source for which that stack suffices.
pub(super) const MOST_SOURCE: usize = 256 << 10;

/// The deepest stack of a program's own functions for which it suffices.
pub(super) const MOST_STACK: usize = 8 << 20;

/// What a binary does when it was started as a worker: gives up its powers, says that it is ready, runs one program
/// that arrives on the standard input, and exits. Everything it says goes to the standard output, for a
/// [`WorkerPool`](crate::WorkerPool).
pub fn worker_main() -> ! {
    system::close_inherited();
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    // A panic is told by the exit; nothing else may be written.
    std::panic::set_hook(Box::new(|_| {}));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(live);
    let code = match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) | Err(_) => 70,
    };
    exit(code)
}

/// Has the allocator shrink its heap once: the first time, it looks into a file whether it may.
fn settle_heap() {
    let parts: Vec<Vec<u8>> = (0..64).map(|_| Vec::with_capacity(100 << 10)).collect();
    drop(std::hint::black_box(parts));
}

/// Gives the exit code.
fn live() -> i32 {
    settle_heap();
    let Ok(mut link) = PipeLink::open() else { return 71 };
    if !programs::warm() || confine::confine().is_err() {
        return 71;
    }
    pipe::say(&FromWorker::Ready, None);
    let Heard::Frame(ToWorker::Run { python, source, names, limits }, _) = link.hear(None) else { return 0 };
    let limits = Limits::from(limits);
    confine::limit(limits.cpu, limits.memory);
    let outcome =
        if (MOST_SOURCE < source.len() && source.len() <= limits.source) || limits.stack > MOST_STACK {
            let failure = Failure::new(FailureKind::Limit, "the program is larger than a worker takes");
            Outcome { failure: Some(failure), ..Outcome::default() }
        } else {
            programs::run(python, &source, &Globals { names }, &limits, link)
        };
    // Where an engine had it, it was told already.
    pipe::say(&FromWorker::done(&outcome), outcome.result.as_ref());
    0
}
