//! The `read` tool: a window of a text file.

mod card;
mod file;
mod language;
mod line;
mod text;
mod tool;
mod types;
mod window;

pub(crate) use tool::ReadTool;
