//! The tools of the kit, called through the runtime as an agent calls them, on real files.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a failing helper fails its test"
)]

mod bench;
mod cancellation;
mod cards;
mod glob;
mod grep;
mod hard_limits;
mod ignore_rules;
mod paths;
mod read;
mod schemas;
mod swapped;
mod web;
