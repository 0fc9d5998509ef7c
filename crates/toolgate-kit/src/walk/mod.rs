//! Walks the workspace: every file that a pattern may name, in path order, ignored and hidden ones left out.
//!
//! Called by the glob and grep engines. It opens each directory beneath the root's handle, follows no link, holds
//! the names of the directories on the current path only, and asks to stop as it goes. It reads no file except the
//! ignore files.

mod hidden;
mod rules;
mod selection;
mod tree;

pub(crate) use hidden::HiddenNames;
pub(crate) use selection::{Links, Selection};
pub(crate) use tree::{Walk, WalkError};
