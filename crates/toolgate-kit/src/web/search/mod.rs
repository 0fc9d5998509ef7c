//! The `web_search` tool, and the providers that answer it.

mod brave;
mod card;
mod key;
mod provider;
mod text;
mod tool;
mod types;

pub(super) use brave::Brave;
pub use provider::{SearchAnswer, SearchError, SearchProvider, SearchSource};
pub(super) use tool::WebSearchTool;
