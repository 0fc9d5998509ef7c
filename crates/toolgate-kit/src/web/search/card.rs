//! The cards of the search tool: pure functions of arguments and durable result.

use serde::{Deserialize, Serialize};
use toolgate::tool::{WebSource, WebView};
use toolgate::{JsonValue, ToolCallKind, ToolCallView, ToolResult, ToolResultView};

use super::types::WebSearchOutput;
use crate::text::text_argument;
use crate::workspace::shown_text;

#[derive(Serialize, Deserialize)]
struct SearchMeta {
    sources: Vec<WebSource>,
    answer: Option<String>,
    truncated: bool,
}

pub(super) fn meta(output: &WebSearchOutput) -> Option<JsonValue> {
    let sources = output.sources.iter();
    let sources =
        sources.map(|page| WebSource { title: page.title.clone(), url: page.url.clone() }).collect();
    JsonValue::encode(&SearchMeta { sources, answer: output.answer.clone(), truncated: output.truncated })
        .ok()
}

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    Some(ToolCallView::Generic {
        title: format!("Search the web for {}", shown_text(text_argument(args, "query")?)),
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
    let SearchMeta { sources, answer, truncated } = result.meta?.decode().ok()?;
    Some(ToolResultView::Web { title: None, view: WebView::Search { sources, answer }, truncated })
}
