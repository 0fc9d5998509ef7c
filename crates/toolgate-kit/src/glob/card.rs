//! The cards of the glob tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::tool::SearchShape;
use toolgate::{JsonValue, ToolCallKind, ToolCallView, ToolResult, ToolResultView};

use super::text::paths_of;
use super::types::GlobOutput;
use crate::text::{incomplete_title, text_argument};
use crate::workspace::shown_text;

/// What the card needs besides the content. The paths themselves are in the content already.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GlobMeta {
    shown_paths: u64,
    total: u64,
    truncated: bool,
    skipped: u64,
}

pub(super) fn meta(output: &GlobOutput) -> Option<JsonValue> {
    let meta = GlobMeta {
        shown_paths: output.paths.len() as u64,
        total: output.total,
        truncated: output.truncated,
        skipped: output.skipped,
    };
    JsonValue::encode(&meta).ok()
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

pub(super) fn result(args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let GlobMeta { shown_paths, total, truncated, skipped } = result.meta?.decode().ok()?;
    let paths = match shown_paths {
        0 => Vec::new(),
        count => paths_of(result.content.first()?.as_text()?, count)?,
    };
    let title = incomplete_title(call(args).as_ref(), skipped);
    Some(ToolResultView::Search { title, shape: SearchShape::Paths { paths }, truncated, total })
}
