//! Programs that run for real, in every placement.

#![expect(clippy::expect_used, reason = "a failing helper fails its test")]

mod attacks;
mod host;
mod python;
mod semantics;
mod strip;
mod worker;
