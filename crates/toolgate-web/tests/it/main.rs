//! The server over real sockets: who gets in, what foreign text can do, and what browsers are told.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that fails fails its test"
)]

mod access;
mod approvals;
mod cards;
mod foreign;
mod kept;
mod stream;
mod support;
mod timeline;
mod tools;
mod turns;
