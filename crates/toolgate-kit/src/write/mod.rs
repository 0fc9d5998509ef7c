//! The `write` tool: a whole file.

mod card;
mod file;
mod text;
mod tool;
mod types;

pub(crate) use tool::WriteTool;
