//! The cards of the fetch tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::tool::WebView;
use toolgate::{JsonValue, ToolCallKind, ToolCallView, ToolResult, ToolResultView};

use super::types::WebFetchOutput;
use crate::text::text_argument;
use crate::workspace::shown_text;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FetchMeta {
    url: String,
    status_code: u16,
    title: Option<String>,
    truncated: bool,
}

pub(super) fn meta(output: &WebFetchOutput) -> Option<JsonValue> {
    let WebFetchOutput { url, status_code, title, truncated, .. } = output;
    let (url, title) = (url.clone(), title.clone());
    JsonValue::encode(&FetchMeta { url, status_code: *status_code, title, truncated: *truncated }).ok()
}

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    Some(ToolCallView::Generic {
        title: format!("Fetch {}", shown_text(text_argument(args, "url")?)),
        kind: Some(ToolCallKind::Fetch),
        raw_input: Some(args.clone()),
        content: None,
        locations: None,
    })
}

pub(super) fn result(result: &ToolResult<'_>) -> Option<ToolResultView> {
    if result.error.is_some() {
        return None;
    }
    let FetchMeta { url, status_code, title, truncated } = result.meta?.decode().ok()?;
    Some(ToolResultView::Web { title, view: WebView::Fetch { url, status_code }, truncated })
}
