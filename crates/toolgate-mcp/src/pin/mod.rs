//! Pins: what a server's tools said of themselves when they were first trusted, kept in a lock file, so that a
//! definition that changes later is noticed before a model reads it (K46).
//!
//! The first list of a server is pinned as it is. From then on a tool whose definition differs waits for approval, and so
//! does one that is new, unless the server's settings pin new ones at once; the others work on. A tool that is gone keeps
//! its pin, so that it cannot come back as another one.

mod definition;
mod diff;
mod lock_file;
mod pins;

pub use lock_file::LockFileError;
pub use pins::{Drift, DriftKind, PinError, Pins};

pub(crate) use pins::Verdict;
