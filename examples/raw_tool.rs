//! A tool from plain JSON schemas, as it comes from a file or another server, and a batch of an agent's calls.
//!
//! Prints:
//!
//! ```text
//! declared: {"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}
//! c1 -> started: HELLO
//! c2 -> started: Error: invalid arguments: `text` must be a string, not a number
//! c3 -> started: WORLD
//! after the cancellation: c4 never started
//! ```

#![expect(clippy::print_stdout, reason = "printing is what an example is for")]

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{ParameterSchema, ToolDefinition};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The author language, as a file would hold it. Arguments are checked against it before the body runs.
    let parameters = ParameterSchema::from_json(&json!({ "text": { "type": "string", "required": true } }))?;
    let shout = ToolDefinition::raw("shout", "Say it louder.")
        .parameters(&parameters)
        .output_schema(json!({ "type": "string" }))
        .concurrency_safe_when(|_| true)
        .body(|args, _cx: RunContext| async move {
            let text = args.get("text").and_then(|text| text.as_str()).unwrap_or_default();
            Ok(json!(text.to_uppercase()))
        });
    let runtime = ToolRuntime::builder().tool(shout).build()?;
    for schema in runtime.schemas() {
        println!("declared: {}", schema.parameters);
    }

    let agent = runtime.scope("agent");
    let cancel = CancellationToken::new();
    let call = |id: &str, args| ToolCall::new("shout", args, cancel.clone()).with_id(id);
    let calls = vec![
        call("c1", json!({ "text": "hello" })),
        call("c2", json!({ "text": 7 })),
        call("c3", json!({ "text": "world" })),
    ];
    for done in agent.batch(calls, cancel.clone()).run(|_| {}).await {
        let how = if done.was_started { "started" } else { "never started" };
        println!("{} -> {how}: {}", done.call, done.result.text());
    }

    cancel.cancel();
    for done in agent.batch(vec![call("c4", json!({ "text": "late" }))], cancel.clone()).run(|_| {}).await {
        let how = if done.was_started { "started" } else { "never started" };
        println!("after the cancellation: {} {how}", done.call);
    }
    Ok(())
}
