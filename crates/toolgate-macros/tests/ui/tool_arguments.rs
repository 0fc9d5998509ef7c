//! Arguments that a model cannot be told how to send; one mistake, one message.

use toolgate::{ToolError, tool};

/// Every argument is wrong.
#[tool(deny_unknown_fields)]
async fn wrong(
    /// Too wide.
    wide: u128,
    #[serde(flatten)] flat: String,
    list: Vec<Option<u8>>,
    #[schema(colour = "red")] red: u8,
    #[serde(rename = "red")] blue: u8,
    #[allow(unused)] unused: u8,
) -> Result<(), ToolError> {
    let _ = (wide, flat, list, red, blue, unused);
    Ok(())
}

fn register<T: toolgate::Tool>(_tool: T) {}

fn main() {
    register(wrong);
}
