//! The cards of the write tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::{FileDiff, FileLocation, JsonValue, Nullable, ToolCallView, ToolResult, ToolResultView};

use super::types::{WriteOutcome, WriteOutput};
use crate::change::{LineChanges, diff_view};
use crate::text::text_argument;
use crate::workspace::shown_text;

/// What the card needs besides the arguments. The new content is there already.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WriteMeta {
    path: String,
    outcome: WriteOutcome,
    changes: Option<LineChanges>,
}

pub(super) fn meta(output: &WriteOutput) -> Option<JsonValue> {
    let WriteOutput { path, outcome, changes, .. } = output;
    let meta = WriteMeta { path: path.clone(), outcome: *outcome, changes: changes.clone() };
    JsonValue::encode(&meta).ok()
}

/// The whole content, because nobody knows yet what is there.
pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let path = text_argument(args, "file_path")?;
    Some(ToolCallView::Diff {
        title: title(path),
        diffs: vec![new_file(path, text_argument(args, "content")?)],
        locations: Some(vec![FileLocation { path: path.to_owned(), line: None }]),
    })
}

pub(super) fn result(args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let WriteMeta { path, outcome, changes } = result.meta?.decode().ok()?;
    match (outcome, changes) {
        (WriteOutcome::Created, _) => {
            let diffs = vec![new_file(&path, text_argument(args, "content")?)];
            Some(ToolResultView::Diff { title: None, diffs })
        }
        (WriteOutcome::Replaced, Some(changes)) => {
            let title = title(text_argument(args, "file_path")?);
            Some(diff_view(&title, &path, &changes))
        }
        // There is no image from before, or nothing happened: the content says so.
        (WriteOutcome::Replaced, None) | (WriteOutcome::Unchanged, _) => None,
    }
}

fn title(path: &str) -> String {
    format!("Write {}", shown_text(path))
}

fn new_file(path: &str, content: &str) -> FileDiff {
    FileDiff { path: path.to_owned(), old_text: Nullable::Null, new_text: content.to_owned() }
}
