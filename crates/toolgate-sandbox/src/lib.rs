//! Runs one program with hard limits and answers its host calls.
//!
//! A [`Program`] is the body of an asynchronous function. It runs in a [`Sandbox`] with a fresh state, under
//! [`Limits`] that end it whatever it does, and reaches nothing but the language's own values, `console`, timers and
//! the names of its [`Globals`] on `tools`. Every call of such a name is a [`HostCall`] that the host answers. What
//! is left of the run is an [`Outcome`].
//!
//! Programs are written in TypeScript, or, with the feature `python` and in workers only, in Python.
//!
//! - [`InProcess`] runs a program on a thread of its own, for embedders.
//! - [`WorkerPool`] runs each program in a process of its own that has given up everything but computing; it is killed
//!   after use, at the limit, and when the run is cancelled.
//!
//! Nothing here knows what a tool is, prints, or touches files, sockets or the environment for a program.

mod ending;
mod in_process;
mod json_text;
mod limits;
mod link;
mod outcome;
mod output;
mod program;
#[cfg(feature = "python")]
mod python;
mod system;
mod threads;
mod typescript;
mod watch;
mod worker;

pub use in_process::InProcess;
pub use limits::Limits;
/// The allocator of a binary that runs workers: `#[global_allocator] static A: ProgramAllocator = ProgramAllocator;`. It is
/// the system's, and counts what is in use; in a worker it ends the process when a program in Python has more than its
/// limit. Without it, programs in Python are refused.
#[cfg(feature = "python")]
pub use monty_alloc::LimitedAllocator as ProgramAllocator;
pub use outcome::{Failure, FailureKind, Outcome, Printed};
pub use program::{Globals, HostCall, HostReply, Language, Program, Reply, Sandbox};
pub use worker::{WorkerCommand, WorkerPool, worker_main};
