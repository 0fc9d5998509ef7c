//! The cards of the edit tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::{FileDiff, FileLocation, JsonValue, Nullable, ToolCallView, ToolResult, ToolResultView};

use super::file::edits;
use super::types::{Edit, EditArgs, EditOutput};
use crate::change::{LineChanges, diff_view};
use crate::text::text_argument;
use crate::workspace::shown_text;

/// What the card needs besides the arguments: the hunks as they were applied.
#[derive(Serialize, Deserialize)]
struct EditMeta {
    path: String,
    changes: LineChanges,
}

pub(super) fn meta(output: &EditOutput) -> Option<JsonValue> {
    JsonValue::encode(&EditMeta { path: output.path.clone(), changes: output.changes.clone() }).ok()
}

/// The replacements as they were asked for: where they are in the file is not known yet.
pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let args: EditArgs = args.decode().ok()?;
    let path = &args.file_path;
    let diff = |edit: Edit| FileDiff {
        path: path.clone(),
        old_text: Nullable::Value(edit.old_string),
        new_text: edit.new_string,
    };
    let diffs = edits(&args).ok()?.into_iter().map(diff).collect();
    Some(ToolCallView::Diff {
        title: title(path),
        diffs,
        locations: Some(vec![FileLocation { path: path.clone(), line: None }]),
    })
}

pub(super) fn result(args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let EditMeta { path, changes } = result.meta?.decode().ok()?;
    Some(diff_view(&title(text_argument(args, "file_path")?), &path, &changes))
}

fn title(path: &str) -> String {
    format!("Edit {}", shown_text(path))
}
