//! The `glob` tool: files by name.

mod card;
mod find;
mod text;
mod tool;
mod types;

pub(crate) use tool::GlobTool;
