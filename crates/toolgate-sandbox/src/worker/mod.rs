//! Programs in worker processes: this binary again, with nothing but two pipes.
//!
//! The host's side: `pool` starts workers before they are needed, `process` is one of them, `session` runs a program
//! in it. The worker's side: `child` is its main function, `confine` takes its powers away, `pipe` is its link.
//! `frame` is what they say to each other, and `patience` how they
//! wait for it; the host distrusts every word.

mod child;
mod confine;
mod frame;
mod patience;
mod pipe;
mod pool;
mod process;
mod programs;
mod session;

/// What a worker exits with when its allocator has no more for the program.
const OUT_OF_MEMORY: i32 = 65;

pub use child::worker_main;
pub use pool::{WorkerCommand, WorkerPool};
