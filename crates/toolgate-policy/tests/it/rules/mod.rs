//! Permission rules: which calls they let pass, and why.

#![expect(clippy::panic, clippy::indexing_slicing, reason = "a failing helper fails its test")]

mod bench;
mod explain;
mod guide;
mod hook;
mod load;
mod paths;
mod property;
mod shell;
mod urls;
