//! The `delete` tool: a file, or a directory.

mod card;
mod path;
mod tool;
mod tree;
mod types;

pub(crate) use tool::DeleteTool;
