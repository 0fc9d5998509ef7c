//! The `todo_write` tool: the agent's own list of what is to be done.

mod card;
mod lists;
mod plugin;
mod tool;
mod types;

pub use lists::TodoLists;
pub use plugin::{TodoTool, todo_tool};
pub use types::{Todo, TodoStatus};
