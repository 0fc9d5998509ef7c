//! `todo_write`: one list for each agent, bounded.

use serde_json::{Value, json};
use toolgate::{CancellationToken, Scope, ToolCall, ToolExecutionResult, ToolRuntime};
use toolgate_kit::{TodoStatus, todo_tool};

fn list(contents: &[(&str, &str)]) -> Value {
    let todos = contents.iter().map(|(content, status)| json!({ "content": content, "status": status }));
    json!({ "todos": todos.collect::<Vec<_>>() })
}

async fn write(agent: &Scope, args: Value) -> ToolExecutionResult {
    agent.execute(ToolCall::new("todo_write", args, CancellationToken::new())).await
}

#[tokio::test]
async fn each_agent_keeps_its_list() {
    let tool = todo_tool();
    let lists = tool.lists();
    let runtime = ToolRuntime::builder().plugin(tool).build().unwrap();
    let (first, second) = (runtime.scope("first"), runtime.scope("second"));
    let args = list(&[("Read the code", "completed"), ("Fix\nit", "in_progress"), ("Test it", "pending")]);
    let result = write(&first, args).await;
    assert_eq!(
        result.content().iter().filter_map(|block| block.as_text()).collect::<Vec<_>>(),
        ["[x] Read the code\n[>] Fix it\n[ ] Test it", "2 of 3 to do."]
    );
    assert!(!write(&second, list(&[("Other", "pending")])).await.is_error());
    assert_eq!(
        (lists.of(Some(&first)).len(), lists.of(Some(&second)).len(), lists.of(None).len()),
        (3, 1, 0)
    );
    assert_eq!(lists.of(Some(&first))[1].status, TodoStatus::InProgress);
    let active =
        json!({ "todos": [{ "content": "Test", "status": "in_progress", "activeForm": "Testing" }] });
    assert!(!write(&first, active).await.is_error());
    assert_eq!(lists.of(Some(&first))[0].active_form.as_deref(), Some("Testing"));
    assert_eq!(write(&first, list(&[])).await.text(), "The list is empty.");
    assert!(lists.of(Some(&first)).is_empty());
}

#[tokio::test]
async fn a_list_that_is_too_much_is_not_kept() {
    let tool = todo_tool();
    let lists = tool.lists();
    let runtime = ToolRuntime::builder().plugin(tool).build().unwrap();
    let agent = runtime.scope("agent");
    assert!(!write(&agent, list(&[("Kept", "pending")])).await.is_error());
    for args in [
        list(&vec![("x", "pending"); 101]),
        list(&[(&"x".repeat(1001), "pending")]),
        list(&[(" ", "pending")]),
        list(&[("x", "begun")]),
        json!({ "todos": [{ "content": "x" }] }),
    ] {
        let result = write(&agent, args).await;
        assert_eq!(result.code(), Some("INVALID_ARGS"), "{}", result.text());
        assert_eq!(lists.of(Some(&agent))[0].content, "Kept");
    }
    // Agents come and go; the lists of the last ones stay.
    for number in 0..256 {
        let agent = runtime.scope(&format!("agent-{number}"));
        assert!(!write(&agent, list(&[("x", "pending")])).await.is_error());
        agent.close();
    }
    assert!(lists.of(Some(&agent)).is_empty());
}
