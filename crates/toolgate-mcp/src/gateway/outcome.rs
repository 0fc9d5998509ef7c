//! The result of a call as the protocol carries it.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock as WireBlock};
use serde::Deserialize as _;
use toolgate::result::code;
use toolgate::{ContentBlock, FailureCause, ToolDefinition, ToolExecutionResult, ToolFailure, ToolOutcome};

use super::catalog::structured_schema;
use crate::frame::is_deeper;

/// How many levels a value may have inside a message: clients' parsers take 128, and the message has some around it.
pub(super) const MOST_LEVELS: usize = 120;

/// What a client gets. A failure is a result that says so; a tool that is not there is an error of the request, because
/// the protocol has it so.
pub(super) fn response(
    tool: Option<&ToolDefinition>,
    result: &ToolExecutionResult,
) -> Result<CallToolResult, ErrorData> {
    match result.outcome() {
        ToolOutcome::Failure { error } if is_missing(tool, error) => {
            Err(ErrorData::invalid_params(error.message().to_owned(), None))
        }
        ToolOutcome::Failure { .. } => Ok(CallToolResult::error(content(result))),
        ToolOutcome::Success { value, .. } => {
            let is_structured = tool.is_some_and(|tool| structured_schema(tool).is_some());
            if is_structured && is_deeper(value.as_value(), MOST_LEVELS) {
                let message = format!(
                    "Error: the tool's value has more than {MOST_LEVELS} levels, which the protocol cannot carry"
                );
                return Ok(CallToolResult::error(vec![WireBlock::text(message)]));
            }
            let mut response = CallToolResult::success(content(result));
            response.structured_content = is_structured.then(|| value.as_value().clone());
            Ok(response)
        }
    }
}

/// Whether there is no such tool, as the pipeline finds, or as a policy does that has no rule for what is not there. What a
/// tool says of another one is its own failure.
fn is_missing(tool: Option<&ToolDefinition>, error: &ToolFailure) -> bool {
    error.cause() == FailureCause::UnknownTool || (tool.is_none() && error.code() == Some(code::UNKNOWN_TOOL))
}

/// The content, and after it what the call leaves for the model's next request: the client makes that request.
fn content(result: &ToolExecutionResult) -> Vec<WireBlock> {
    let contexts = result.additional_contexts().iter().flat_map(|context| context.content());
    result.content().iter().chain(contexts).map(block).collect()
}

fn block(block: &ContentBlock) -> WireBlock {
    match block {
        ContentBlock::Text { text } => WireBlock::text(text.clone()),
        ContentBlock::Image { data, mime_type } => WireBlock::image(data.clone(), mime_type.clone()),
        ContentBlock::Other(other) => {
            let json = other.json();
            let known = if is_deeper(json.as_value(), MOST_LEVELS) {
                None
            } else {
                WireBlock::deserialize(json.as_value()).ok()
            };
            known.unwrap_or_else(|| WireBlock::text(json.to_text()))
        }
    }
}
