//! [`TodoTool`]: the todo tool as a plugin.

use std::error::Error;

use toolgate::{Plugin, PluginContext, Registrar as _};

use super::lists::TodoLists;
use super::tool::TodoWriteTool;

/// The tool `todo_write`, with which an agent keeps a list of its steps.
///
/// The lists are in memory, one for each agent, and go with the plugin.
#[must_use]
pub fn todo_tool() -> TodoTool {
    TodoTool { lists: TodoLists::default() }
}

/// The todo tool; made by [`todo_tool`]. Install it in one runtime only: agents of two runtimes are not told apart.
#[derive(Debug)]
pub struct TodoTool {
    lists: TodoLists,
}

impl TodoTool {
    /// The lists that the tool keeps, for whoever shows them.
    #[must_use]
    pub fn lists(&self) -> TodoLists {
        self.lists.clone()
    }
}

impl Plugin for TodoTool {
    fn name(&self) -> &str {
        "todo-tool"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        cx.register(TodoWriteTool::new(self.lists.clone()))?;
        Ok(())
    }
}
