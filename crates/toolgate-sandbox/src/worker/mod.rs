//! Programs in worker processes: this binary again, with nothing but two pipes.
//!
//! The host's side: `pool` starts workers before they are needed, `process` is one of them, `session` runs a program
//! in it. The worker's side: `child` is its main function, `confine` takes its powers away, `pipe` is its link.
//! `frame` is what they say to each other; the host distrusts every word of it.

mod child;
mod confine;
mod frame;
mod pipe;
mod pool;
mod process;
mod session;

pub use child::worker_main;
pub use pool::{WorkerCommand, WorkerPool};
