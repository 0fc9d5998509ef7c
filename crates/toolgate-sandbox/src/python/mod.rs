//! Python: a subset of the language, which runs on Monty with a fresh state, in workers only.
//!
//! `run` is called by a worker on a thread with a large stack, in a process that has the allocator which counts what
//! a program uses. In the order of a run: `scan` looks at the source, `engine` runs it, `host` is what it can reach,
//! `calls` knows who waits for what, `encode` and `decode` carry values across, `fault` says what went wrong.

mod awaited;
mod calls;
mod clock;
mod decode;
mod encode;
mod engine;
mod fault;
mod host;
mod scan;

pub(crate) use engine::run;
