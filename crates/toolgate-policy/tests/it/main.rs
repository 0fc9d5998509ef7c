//! The policies through the public API, on runtimes, files and processes that real programs could have. Where time
//! matters the clock is tokio's own, paused; only what blocks threads runs on the real one.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing helper fails its test, and some tests are about panics"
)]

mod approvals;
mod bodies;
mod cancellation;
mod clock;
mod fail_closed;
mod grants;
mod programs;
mod repeat;
mod rules;
mod shown;
#[cfg(unix)]
mod spill;
mod stages;
mod support;
mod watchdog;
