//! The cards of the bash tool: pure functions of arguments and durable result.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toolgate::{JsonValue, ToolCallView, ToolResult, ToolResultView};

use super::types::BashOutput;
use crate::text::text_argument;

/// What the card needs besides the content. The output itself is in the content already.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BashMeta {
    has_output: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    signal: Option<String>,
}

pub(super) fn meta(output: &BashOutput) -> Option<JsonValue> {
    let meta = BashMeta {
        has_output: !output.output.is_empty(),
        exit_code: output.exit_code,
        signal: output.signal.clone(),
    };
    JsonValue::encode(&meta).ok()
}

pub(super) fn call(args: &JsonValue, root: &Path) -> Option<ToolCallView> {
    let folder = text_argument(args, "workdir").map_or_else(|| root.to_owned(), |folder| root.join(folder));
    Some(ToolCallView::Terminal {
        title: text_argument(args, "command")?.to_owned(),
        description: text_argument(args, "description").map(str::to_owned),
        cwd: Some(folder.to_string_lossy().into_owned()),
    })
}

pub(super) fn result(result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let BashMeta { has_output, exit_code, signal } = result.meta?.decode().ok()?;
    let output = if has_output { result.content.first()?.as_text() } else { None };
    if output.is_none() && exit_code.is_none() && signal.is_none() {
        // A job: all there is to show is what the model read.
        return None;
    }
    Some(ToolResultView::Terminal { title: None, output: output.map(str::to_owned), exit_code, signal })
}
