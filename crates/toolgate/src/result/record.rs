//! A result as one line of JSON text. Values are written where they stand, at any depth, and never copied.

use std::fmt::Write as _;

use super::{ToolExecutionResult, ToolOutcome};
use crate::tool::{ContentBlock, UserMessage};

/// Writes the record that [`ToolExecutionResult::to_record_text`] promises.
pub(super) fn text_of(result: &ToolExecutionResult) -> String {
    let mut out = String::new();
    match result.outcome() {
        ToolOutcome::Success { value, concludes_turn } => {
            out.push_str("{\"isError\":false,\"value\":");
            push(&mut out, value);
            if *concludes_turn {
                out.push_str(",\"concludesTurn\":true");
            }
        }
        ToolOutcome::Failure { error } => {
            out.push_str("{\"isError\":true,\"error\":{\"message\":");
            push_text(&mut out, error.message());
            if let Some(info) = error.info() {
                out.push_str(",\"name\":");
                push_text(&mut out, info.name());
                out.push_str(",\"code\":");
                push_text(&mut out, info.code());
            }
            out.push_str(",\"cause\":");
            push_text(&mut out, error.cause().as_str());
            if let Some(hook) = error.hook() {
                out.push_str(",\"hook\":");
                push_text(&mut out, hook);
            }
            out.push('}');
        }
    }
    out.push_str(",\"content\":");
    push_content(&mut out, result.content());
    if let Some(meta) = result.meta() {
        out.push_str(",\"meta\":");
        push(&mut out, meta);
    }
    if !result.additional_contexts().is_empty() {
        out.push_str(",\"additionalContexts\":");
        push_list(&mut out, result.additional_contexts(), push_context);
    }
    out.push('}');
    out
}

fn push_context(out: &mut String, context: &UserMessage) {
    out.push_str("{\"source\":");
    push_text(out, context.source());
    out.push_str(",\"content\":");
    push_content(out, context.content());
    if let Some(meta) = context.meta() {
        out.push_str(",\"meta\":");
        push(out, meta);
    }
    out.push('}');
}

fn push_content(out: &mut String, content: &[ContentBlock]) {
    push_list(out, content, |out, block| match block {
        ContentBlock::Text { text } => {
            out.push_str("{\"type\":\"text\",\"text\":");
            push_text(out, text);
            out.push('}');
        }
        ContentBlock::Image { data, mime_type } => {
            out.push_str("{\"type\":\"image\",\"data\":");
            push_text(out, data);
            out.push_str(",\"mimeType\":");
            push_text(out, mime_type);
            out.push('}');
        }
        ContentBlock::Other(block) => push(out, block.json()),
    });
}

fn push_list<T>(out: &mut String, items: &[T], mut item: impl FnMut(&mut String, &T)) {
    out.push('[');
    for (index, one) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        item(out, one);
    }
    out.push(']');
}

fn push_text(out: &mut String, text: &str) {
    // A text is always representable, so printing it as JSON cannot fail.
    push(out, serde_json::Value::from(text));
}

fn push(out: &mut String, json: impl std::fmt::Display) {
    // Writing into a String does not fail.
    let _ = write!(out, "{json}");
}
