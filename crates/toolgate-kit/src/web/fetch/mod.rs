//! The `web_fetch` tool: one page as text.

mod card;
mod content;
mod page;
mod text;
mod tool;
mod types;

pub(super) use tool::WebFetchTool;
