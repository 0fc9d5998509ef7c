//! The Model Context Protocol over real pipes and sockets, with servers that do what they should not.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod client;
#[cfg(target_os = "linux")]
mod frames;
mod gateway;
mod http;
#[cfg(unix)]
mod oauth;
#[cfg(target_os = "linux")]
mod stdio;
mod stub;
#[cfg(target_os = "linux")]
mod upstream;
