//! The `edit` tool: parts of a file.

mod card;
mod decode;
mod file;
mod line_ends;
mod nearest;
mod replacement;
mod text;
mod tool;
mod types;

pub(crate) use tool::EditTool;
