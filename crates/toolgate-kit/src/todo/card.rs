//! The card and the text of the todo tool.

use toolgate::{ContentBlock, JsonValue, ToolCallKind, ToolCallView};

use super::types::{Todo, TodoArgs, TodoOutput, TodoStatus};
use crate::text::{blocks, counted};

/// The list that is being written, as a checklist.
pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let TodoArgs { todos } = args.decode().ok()?;
    Some(ToolCallView::Generic {
        title: format!("Plan {}", counted(todos.len() as u64, "step", "steps")),
        kind: Some(ToolCallKind::Other),
        raw_input: Some(args.clone()),
        content: Some(vec![ContentBlock::text(checklist(&todos))]),
        locations: None,
    })
}

/// What the model reads: the list, and how much of it is left.
pub(super) fn render(output: &TodoOutput) -> Vec<ContentBlock> {
    let todos = &output.todos;
    if todos.is_empty() {
        return blocks("The list is empty.".to_owned(), &[]);
    }
    let open = todos.iter().filter(|todo| todo.status != TodoStatus::Completed).count();
    blocks(checklist(todos), &[format!("{open} of {} to do.", todos.len())])
}

fn checklist(todos: &[Todo]) -> String {
    let line = |todo: &Todo| {
        let mark = match todo.status {
            TodoStatus::Pending => ' ',
            TodoStatus::InProgress => '>',
            TodoStatus::Completed => 'x',
        };
        let content = todo.content.lines().collect::<Vec<_>>().join(" ");
        format!("[{mark}] {content}")
    };
    todos.iter().map(line).collect::<Vec<_>>().join("\n")
}
