//! Mistakes in the options of a tool; one mistake, one message.

use toolgate::{ToolError, tool};

#[tool(
    name = "",
    description = " ",
    concurrency_safe = true,
    timeout = "0s",
    kind = write,
    effect = safe,
    render = "path",
    retries = 3,
    concurrency_safe,
    deny_unknown_fields(all)
)]
async fn all_wrong() -> Result<(), ToolError> {
    Ok(())
}

/// One.
#[tool(timeout = "soon", name = "a\nb", kind)]
async fn some_wrong() -> Result<(), ToolError> {
    Ok(())
}

/// Two.
#[tool(timeout = 10, present_call)]
async fn forms_wrong() -> Result<(), ToolError> {
    Ok(())
}

fn register<T: toolgate::Tool>(_tool: T) {}

fn main() {
    register(all_wrong);
    register(some_wrong);
    register(forms_wrong);
}
