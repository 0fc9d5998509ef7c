//! Scopes: what each agent sees. A preset inherits from the runtime, agents inherit from the preset, restrictions
//! mask what is inherited, and a scope's own tools shadow and stay.
//!
//! Prints:
//!
//! ```text
//! everyone: read, write, answer
//! reviewer: read, answer
//! reviewer/agent: read, answer, report
//! the reviewer's write: Error: there is no tool named `write`
//! the agent's answer: from the agent
//! after closing the agent: (nothing)
//! ```

#![expect(clippy::print_stdout, reason = "printing is what an example is for")]

use serde_json::json;
use toolgate::prelude::*;

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

fn saying(name: &'static str, text: &'static str) -> impl Tool {
    tool_fn(
        name,
        format!("Says {text:?}."),
        move |_: Nothing, _: RunContext| async move { Ok(text.to_owned()) },
    )
}

fn names(tools: Vec<toolgate::ToolDefinition>) -> String {
    match tools.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "(nothing)".to_owned(),
        names => names,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = ToolRuntime::builder()
        .tool(saying("read", "a text"))
        .tool(saying("write", "done"))
        .tool(saying("answer", "from everyone"))
        .build()?;
    println!("everyone: {}", names(runtime.tools()));

    let reviewer = runtime.scope("reviewer");
    reviewer.restrict(ToolRestriction::deny(["write"]))?;
    println!("reviewer: {}", names(reviewer.tools()));

    let agent = reviewer.scope("agent");
    agent.register(saying("answer", "from the agent"))?;
    agent.register(saying("report", "a report"))?;
    println!("reviewer/agent: {}", names(agent.tools()));

    let call = |name: &str| ToolCall::new(name, json!({}), CancellationToken::new());
    println!("the reviewer's write: {}", reviewer.execute(call("write")).await.text());
    println!("the agent's answer: {}", agent.execute(call("answer")).await.text());

    agent.close();
    println!("after closing the agent: {}", names(agent.tools()));
    Ok(())
}
