//! Spill: oversized results leave the conversation and stay within reach.
//!
//! ```text
//! listener   what is too large (content) ─ keep it (store: shelf, folder) ─ head, tail and notice (window, notice)
//! tools      handle ─ may the caller read it? (access) ─ window, search or pointer (window, search, scan)
//! ```
//!
//! A handle is drawn at random and leads to a file only through the memory of this process. Nothing here decides about
//! a call: reading is granted by asking the policy that is there.

mod access;
mod blocking;
mod cleaning;
mod codes;
mod config;
mod content;
mod entry;
mod error;
mod excerpt;
mod folder;
mod handle;
mod listener;
mod notice;
mod plugin;
mod pointer;
mod scan;
mod search;
mod shelf;
mod store;
mod tools;
mod window;

pub use codes::SPILL_CATALOG;
pub use config::{SpillConfig, SpillConfigError, ToolSpill};
pub use folder::SpillFolderError;
pub use plugin::Spill;
