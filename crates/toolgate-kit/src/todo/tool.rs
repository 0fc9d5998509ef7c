//! The `todo_write` tool itself.

use std::borrow::Cow;
use std::time::Duration;

use toolgate::result::code;
use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError,
};

use super::card;
use super::lists::TodoLists;
use super::types::{TodoArgs, TodoOutput};
use crate::change::agent_of;

/// How many things one list holds.
const MOST_TODOS: usize = 100;

/// How long one of them may be, in bytes.
const LONGEST: usize = 1000;

/// Keeps the list of what an agent has to do. Fails with `INVALID_ARGS` for a list above its bounds, and keeps the one
/// before. It never waits, so there is nothing to cancel.
#[derive(Debug)]
pub(super) struct TodoWriteTool {
    lists: TodoLists,
}

impl TodoWriteTool {
    pub(super) fn new(lists: TodoLists) -> Self {
        Self { lists }
    }
}

impl Tool for TodoWriteTool {
    type Args = TodoArgs;
    type Output = TodoOutput;

    fn name(&self) -> Cow<'static, str> {
        "todo_write".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Keep a list of the steps of a larger task, for yourself and for the user who watches. Always send the whole \
         list: it takes the place of the one before. Mark a step as in_progress before you begin it and as completed \
         as soon as it is done; have one in progress at a time. Not needed for a task of one or two steps."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(5))
    }

    async fn run(&self, args: TodoArgs, cx: RunContext) -> Result<TodoOutput, ToolError> {
        let TodoArgs { todos } = args;
        if todos.len() > MOST_TODOS {
            return Err(too_much(format!(
                "the list has {} items, and at most {MOST_TODOS} are kept",
                todos.len()
            )));
        }
        for (index, todo) in todos.iter().enumerate() {
            let longest = todo.content.len().max(todo.active_form.as_ref().map_or(0, String::len));
            if longest > LONGEST {
                let number = index + 1;
                return Err(too_much(format!("item {number} is longer than {LONGEST} bytes")));
            }
            if todo.content.trim().is_empty() {
                return Err(too_much(format!("item {} has no content", index + 1)));
            }
        }
        self.lists.set(agent_of(&cx), todos.clone());
        Ok(TodoOutput { todos })
    }

    fn render(&self, _args: &JsonValue, output: &TodoOutput) -> Option<Vec<ContentBlock>> {
        Some(card::render(output))
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Idempotent
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Other
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args)
    }
}

fn too_much(what: String) -> ToolError {
    let message =
        format!("{what}; the list before is kept\nhint: write fewer and shorter steps, one sentence each");
    ToolError::coded(code::TOOL_ARGS_ERROR, code::INVALID_ARGS, message)
}
