//! A plugin: tools and hooks that come and go together.
//!
//! Prints:
//!
//! ```text
//! without the plugin: Error: there is no tool named `now`
//! with the plugin: it is tea time
//! the plugin's guard: Error: the clock is not to be changed
//! unplugged: Error: there is no tool named `now`
//! a plugin that fails: the plugin "broken" failed to install, because it needs a licence; tools left behind: 0
//! ```

#![expect(clippy::print_stdout, reason = "printing is what an example is for")]

use std::error::Error;

use serde_json::json;
use toolgate::prelude::*;

/// Say what time it is.
#[tool(concurrency_safe)]
async fn now() -> Result<String, ToolError> {
    Ok("it is tea time".to_owned())
}

/// Change the clock.
#[tool]
async fn set_clock(to: String) -> Result<String, ToolError> {
    Ok(format!("it is {to}"))
}

struct Clock;

impl Plugin for Clock {
    fn name(&self) -> &str {
        "clock"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        cx.register(now)?;
        cx.register(set_clock)?;
        cx.guard(|call| (call.name() == "set_clock").then(|| "the clock is not to be changed".into()));
        Ok(())
    }
}

struct Broken;

impl Plugin for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        cx.register(now)?;
        Err("it needs a licence".into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let runtime = ToolRuntime::builder().build()?;
    let call = |name: &str, args| runtime.execute(ToolCall::new(name, args, CancellationToken::new()));

    println!("without the plugin: {}", call("now", json!({})).await.text());
    let clock = runtime.plug(Clock)?;
    println!("with the plugin: {}", call("now", json!({})).await.text());
    println!("the plugin's guard: {}", call("set_clock", json!({ "to": "noon" })).await.text());
    clock.unplug();
    println!("unplugged: {}", call("now", json!({})).await.text());

    if let Err(error) = runtime.plug(Broken) {
        let because = error.source().map(ToString::to_string).unwrap_or_default();
        println!(
            "a plugin that fails: {error}, because {because}; tools left behind: {}",
            runtime.tools().len()
        );
    }
    Ok(())
}
