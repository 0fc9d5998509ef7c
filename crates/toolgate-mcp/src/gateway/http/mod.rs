//! The gateway over streamable HTTP.
//!
//! Of a request, in this order: its connection is one of a bounded number and sends its head and body in time (`listen`);
//! its credential is known, its path is a profile's, and its message can be taken (`door`); its `Host` and `Origin` are
//! allowed, and its session exists (`rmcp`, on the sessions of `sessions`). Each credential and profile has sessions of
//! its own, so the id of a session is of no use to somebody else. What a session sent is kept for a while (`replay`), for
//! clients that reconnect.

mod access;
mod activity;
mod door;
mod listen;
mod options;
mod replay;
mod sessions;

pub use access::{Access, Credential, Secret};
pub use options::HttpOptions;

pub(super) use activity::{Activity, Busy};
pub(super) use listen::serve;

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that tells one way into a gateway from all others of the process.
pub(super) fn next_caller() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
