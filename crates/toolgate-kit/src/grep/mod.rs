//! The `grep` tool: lines of text files by regular expression.

mod card;
mod excerpt;
mod expression;
mod file;
mod search;
mod stoppable;
mod text;
mod tool;
mod types;
mod weight;

pub(crate) use tool::GrepTool;
