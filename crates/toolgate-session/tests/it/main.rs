//! The session log through its public API. Every back end is held to the same tables.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a failing helper fails its test"
)]

mod backends;
mod damage;
mod entries;
mod events;
mod forged;
mod recovery;
mod replay;
mod summary;
mod support;
mod torn;
mod writers;
