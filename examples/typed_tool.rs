//! A tool with types of its own: the schema follows from the Rust types, and the projections say what a model reads.
//!
//! Prints:
//!
//! ```text
//! parameters: {"type":"object","properties":{"celsius":{"type":"number","description":"Degrees Celsius."},"digits":{"type":"integer","description":"Digits after the point; one where absent."}},"required":["celsius"]}
//! model reads: 36.6 °C is 97.9 °F
//! program gets: {"fahrenheit":97.88000000000001,"is_fever":false}
//! refused: Error: invalid arguments: `celsius` is required but missing
//! ```

#![expect(clippy::print_stdout, reason = "printing is what an example is for")]

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate::prelude::*;

/// Converts temperatures.
struct Convert;

#[derive(Deserialize, Schema)]
struct Args {
    /// Degrees Celsius.
    celsius: f64,
    /// Digits after the point; one where absent.
    digits: Option<u8>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Temperature {
    fahrenheit: f64,
    is_fever: bool,
}

impl Tool for Convert {
    type Args = Args;
    type Output = Temperature;

    fn name(&self) -> Cow<'static, str> {
        "convert".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Convert degrees Celsius to Fahrenheit.".into()
    }

    async fn run(&self, args: Args, _cx: RunContext) -> Result<Temperature, ToolError> {
        Ok(Temperature { fahrenheit: args.celsius * 1.8 + 32.0, is_fever: args.celsius > 38.0 })
    }

    fn render(&self, args: &JsonValue, output: &Temperature) -> Option<Vec<ContentBlock>> {
        let args: Args = args.decode().ok()?;
        let digits = usize::from(args.digits.unwrap_or(1));
        let text = format!("{} °C is {:.digits$} °F", args.celsius, output.fahrenheit);
        Some(vec![ContentBlock::text(text)])
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), toolgate::SetupError> {
    let runtime = ToolRuntime::builder().tool(Convert).build()?;
    for schema in runtime.schemas() {
        println!("parameters: {}", schema.parameters);
    }

    let cancel = CancellationToken::new();
    let result = runtime.execute(ToolCall::new("convert", json!({ "celsius": 36.6 }), cancel.clone())).await;
    println!("model reads: {}", result.text());
    if let Some(value) = result.value() {
        println!("program gets: {value}");
    }

    let refused = runtime.execute(ToolCall::new("convert", json!({}), cancel)).await;
    println!("refused: {}", refused.text());
    Ok(())
}
