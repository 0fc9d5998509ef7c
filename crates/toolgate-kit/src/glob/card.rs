//! The cards of the glob tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::tool::SearchShape;
use toolgate::{JsonValue, ToolCallKind, ToolCallView, ToolResult, ToolResultView};

use super::text::paths_of;
use super::types::GlobOutput;
use crate::text::text_argument;
use crate::workspace::shown_text;

/// What the card needs besides the content. The paths themselves are in the content already.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GlobMeta {
    shown_paths: u64,
    total: u64,
    truncated: bool,
}

pub(super) fn meta(output: &GlobOutput) -> Option<JsonValue> {
    let shown_paths = output.paths.len() as u64;
    JsonValue::encode(&GlobMeta { shown_paths, total: output.total, truncated: output.truncated }).ok()
}

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let pattern = text_argument(args, "pattern")?;
    let place = text_argument(args, "path").map(|path| format!(" in {}", shown_text(path)));
    Some(ToolCallView::Generic {
        title: format!("Find {}{}", shown_text(pattern), place.unwrap_or_default()),
        kind: Some(ToolCallKind::Search),
        raw_input: Some(args.clone()),
        content: None,
        locations: None,
    })
}

pub(super) fn result(result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let GlobMeta { shown_paths, total, truncated } = result.meta?.decode().ok()?;
    let paths = match shown_paths {
        0 => Vec::new(),
        count => paths_of(result.content.first()?.as_text()?, count)?,
    };
    Some(ToolResultView::Search { title: None, shape: SearchShape::Paths { paths }, truncated, total })
}
