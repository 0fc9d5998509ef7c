//! The declarations of toolgate-sdk: tables of texts, and real type checkers over generated schemas and programs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod checkers;
mod foreign;
mod generate;
mod hostile;
mod index;
mod limits;
mod losses;
mod programs;
mod python;
mod random;
mod tools;
mod typescript;
