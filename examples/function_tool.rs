//! Tools from plain async functions: `#[tool]` on a function, and `tool_fn` around a closure.
//!
//! Prints:
//!
//! ```text
//! add: 5
//! greet: hello, Ada
//! count_down: 3 2 1, said after the result: next time start higher
//! add fails: Error: 255 is as far as this goes
//! ```

#![expect(clippy::print_stdout, reason = "printing is what an example is for")]

use serde_json::json;
use toolgate::prelude::*;

/// Add two small numbers.
#[tool(concurrency_safe)]
async fn add(
    /// The first number.
    a: u8,
    /// The second number.
    b: u8,
) -> Result<u8, ToolError> {
    a.checked_add(b).ok_or_else(|| ToolError::new("255 is as far as this goes"))
}

/// Count down from a number.
#[tool(timeout = "10s")]
async fn count_down(from: u8, cx: &RunContext) -> Result<String, ToolError> {
    // A long job looks at its cancellation, and may leave a message for the model's next step.
    let mut numbers = Vec::new();
    for number in (1..=from).rev() {
        if cx.is_cancelled() {
            break;
        }
        numbers.push(number.to_string());
    }
    cx.defer_context(UserMessage::text("count_down", "next time start higher"));
    Ok(numbers.join(" "))
}

#[derive(serde::Deserialize, Schema)]
struct Greet {
    /// Whom to greet.
    name: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), toolgate::SetupError> {
    let greet = tool_fn("greet", "Greet somebody.", |args: Greet, _cx: RunContext| async move {
        Ok(format!("hello, {}", args.name))
    });
    let runtime = ToolRuntime::builder().tool(add).tool(count_down).tool(greet).build()?;
    let call = |name: &str, args| runtime.execute(ToolCall::new(name, args, CancellationToken::new()));

    println!("add: {}", call("add", json!({ "a": 2, "b": 3 })).await.text());
    println!("greet: {}", call("greet", json!({ "name": "Ada" })).await.text());
    let counted = call("count_down", json!({ "from": 3 })).await;
    let said: Vec<_> = counted.additional_contexts().iter().flat_map(UserMessage::content).collect();
    let said = said.iter().filter_map(|block| block.as_text()).collect::<Vec<_>>().join(" ");
    println!("count_down: {}, said after the result: {said}", counted.text());
    println!("add fails: {}", call("add", json!({ "a": 250, "b": 30 })).await.text());
    Ok(())
}
