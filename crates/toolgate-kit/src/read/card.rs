//! The cards of the read tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::{FileLocation, JsonValue, ToolCallKind, ToolCallView, ToolResult, ToolResultView};

use super::text::lines_of;
use super::types::ReadOutput;
use crate::text::text_argument;
use crate::workspace::shown_text;

/// What the card needs besides the content. The lines themselves are in the content already.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadMeta {
    path: String,
    offset: u64,
    shown_lines: u64,
    total_lines: u64,
    lang: Option<String>,
}

pub(super) fn meta(output: &ReadOutput) -> Option<JsonValue> {
    let meta = ReadMeta {
        path: output.path.clone(),
        offset: output.offset,
        shown_lines: output.lines.len() as u64,
        total_lines: output.total_lines,
        lang: output.language.clone(),
    };
    JsonValue::encode(&meta).ok()
}

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let path = text_argument(args, "file_path")?;
    let line = args.as_value().get("offset").and_then(|offset| offset.as_u64());
    let from = line.map(|line| format!(" from line {line}")).unwrap_or_default();
    Some(ToolCallView::Generic {
        title: format!("Read {}{from}", shown_text(path)),
        kind: Some(ToolCallKind::Read),
        raw_input: Some(args.clone()),
        content: None,
        locations: Some(vec![FileLocation { path: path.to_owned(), line }]),
    })
}

pub(super) fn result(result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let ReadMeta { path, offset, shown_lines, total_lines, lang } = result.meta?.decode().ok()?;
    let lines = match shown_lines {
        0 => Vec::new(),
        count => lines_of(result.content.first()?.as_text()?, offset, count)?,
    };
    let content = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    let content = Some(content).filter(|_| !lines.is_empty());
    Some(ToolResultView::Read { title: None, path, offset, lines, total_lines, lang, content })
}
