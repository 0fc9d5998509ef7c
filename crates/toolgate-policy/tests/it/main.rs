//! The policies through the public API, on real files and processes.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failing helper fails its test")]

#[cfg(unix)]
mod spill;
