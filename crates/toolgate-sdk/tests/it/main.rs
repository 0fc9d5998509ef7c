//! The declarations of toolgate-sdk: tables of texts, and, with the feature `checkers`, real type checkers over
//! generated schemas and programs. Those are installed by npm, so a plain `cargo test` does without them.

#![expect(clippy::expect_used, reason = "a failing helper fails its test")]
#![cfg_attr(
    feature = "checkers",
    expect(
        clippy::unwrap_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a failing helper fails its test"
    )
)]

#[cfg(feature = "checkers")]
mod checkers;
mod discovery;
#[cfg(feature = "checkers")]
mod erasure;
#[cfg(feature = "checkers")]
mod foreign;
#[cfg(feature = "checkers")]
mod generate;
#[cfg(feature = "checkers")]
mod hostile;
mod index;
#[cfg(feature = "checkers")]
mod limits;
mod losses;
#[cfg(feature = "checkers")]
mod programs;
mod python;
#[cfg(feature = "checkers")]
mod random;
mod tools;
mod typescript;
