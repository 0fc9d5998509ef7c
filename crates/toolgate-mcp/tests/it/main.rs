//! The Model Context Protocol both ways, through the public API, over real pipes and sockets.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing step fails its test"
)]

mod gateway;
