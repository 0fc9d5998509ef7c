//! The cards of the grep tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::tool::SearchShape;
use toolgate::{JsonValue, ToolCallKind, ToolCallView, ToolResult, ToolResultView};

use super::text::matches_of;
use super::types::GrepOutput;
use crate::text::{incomplete_title, text_argument};
use crate::workspace::shown_text;

/// What the card needs besides the content. The lines themselves are in the content already.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GrepMeta {
    shown_files: u64,
    shown_lines: u64,
    total: u64,
    truncated: bool,
    skipped: u64,
}

pub(super) fn meta(output: &GrepOutput) -> Option<JsonValue> {
    let meta = GrepMeta {
        shown_files: output.files.len() as u64,
        shown_lines: output.files.iter().map(|file| file.lines.len() as u64).sum(),
        total: output.total,
        truncated: output.truncated,
        skipped: output.skipped,
    };
    JsonValue::encode(&meta).ok()
}

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let pattern = text_argument(args, "pattern")?;
    let place = text_argument(args, "path").map(|path| format!(" in {}", shown_text(path)));
    let include = text_argument(args, "include").map(|include| format!(" ({})", shown_text(include)));
    Some(ToolCallView::Generic {
        title: [
            "Search for ",
            &shown_text(pattern),
            place.as_deref().unwrap_or_default(),
            include.as_deref().unwrap_or_default(),
        ]
        .concat(),
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
    let GrepMeta { shown_files, shown_lines, total, truncated, skipped } = result.meta?.decode().ok()?;
    let matches = match shown_files {
        0 => Vec::new(),
        files => matches_of(result.content.first()?.as_text()?, files, shown_lines)?,
    };
    let title = incomplete_title(call(args).as_ref(), skipped);
    Some(ToolResultView::Search { title, shape: SearchShape::Matches { matches }, truncated, total })
}
