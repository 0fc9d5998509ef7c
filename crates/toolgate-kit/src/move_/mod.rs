//! The `move` tool: a new name or place for a file or directory.

mod card;
mod path;
mod tool;
mod types;

pub(crate) use tool::MoveTool;
