//! The protocol over real pipes, in frames written by hand: what an editor sends, and what it must get.

#![cfg(unix)]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a helper that fails fails its test"
)]

mod disconnects;
mod editor;
mod host;
mod hostile;
mod offers;
mod questions;
mod sessions;
mod settings;
