//! Programs in Python: what they mean, what they may not, and what is left of them.

#[cfg(feature = "python")]
mod attacks;
#[cfg(feature = "python")]
mod lacks;
#[cfg(feature = "python")]
mod semantics;
#[cfg(feature = "python")]
mod worker;

use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{InProcess, Limits, Program, Sandbox};

use crate::host::{Seen, run_program};

/// A run of a program in Python.
async fn run_in(sandbox: &impl Sandbox, source: &str, limits: Limits) -> Seen {
    run_program(sandbox, Program::python(source), limits, CancellationToken::new()).await
}

#[tokio::test]
async fn python_runs_in_workers_only() {
    let seen = run_in(&InProcess::new(), "return 1", Limits::default()).await;
    assert_eq!(seen.text(), "crash: Python runs in worker processes only");
}

#[cfg(not(feature = "python"))]
#[tokio::test]
async fn a_build_without_python_says_how_to_get_it() {
    let seen = run_in(&crate::host::pool(), "return 1", Limits::default()).await;
    assert_eq!(seen.text(), "crash: this build runs no Python\nhint: build it with `--features python`");
}
