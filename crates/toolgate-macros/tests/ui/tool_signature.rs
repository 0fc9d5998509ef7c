//! Functions that cannot be tools; one mistake, one message.

use toolgate::{RunContext, ToolError, tool};

/// Not async.
#[tool]
fn not_async(name: String) -> Result<String, ToolError> {
    Ok(name)
}

/// Returns nothing.
#[tool]
async fn returns_nothing() {}

/// Returns no result.
#[tool]
async fn returns_text() -> String {
    String::new()
}

/// Returns an option.
#[tool]
async fn returns_option() -> Result<Option<String>, ToolError> {
    Ok(None)
}

/// Generic.
#[tool]
async fn generic<T: Send>(value: String) -> Result<String, ToolError> {
    Ok(value)
}

/// Borrows.
#[tool]
async fn borrows(path: &str, text: std::borrow::Cow<'_, str>) -> Result<usize, ToolError> {
    Ok(path.len() + text.len())
}

/// Takes any type.
#[tool]
async fn any(value: impl Send) -> Result<(), ToolError> {
    drop(value);
    Ok(())
}

/// Takes its argument apart.
#[tool]
async fn apart((first, second): (u8, u8)) -> Result<u8, ToolError> {
    Ok(first + second)
}

/// Takes two contexts.
#[tool]
async fn two_contexts(first: &RunContext, second: RunContext) -> Result<(), ToolError> {
    let _ = (first, second);
    Ok(())
}

/// Changes its context.
#[tool]
async fn changes_context(#[serde(default)] context: &mut RunContext) -> Result<(), ToolError> {
    let _ = context;
    Ok(())
}

/// Unsafe, and of another language.
#[tool]
async unsafe extern "C" fn foreign() -> Result<(), ToolError> {
    Ok(())
}

#[tool]
async fn undescribed() -> Result<(), ToolError> {
    Ok(())
}

/// No function.
#[tool]
struct Plain;

// A tool with mistakes is still a tool, so that its users are not blamed.
fn register<T: toolgate::Tool>(_tool: T) {}

fn main() {
    register(not_async);
    register(returns_nothing);
    register(undescribed);
    let _ = (Plain, undescribed::call());
}
