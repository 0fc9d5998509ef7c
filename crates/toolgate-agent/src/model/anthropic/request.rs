//! The body of a messages request. The same request gives the same bytes.

use serde_json::{Value, json};
use toolgate::{ContentBlock, ToolSchema};
use toolgate_session::RequestedCall;
use toolgate_session::replay::Message;

use crate::arguments::history_arguments;
use crate::model::ModelRequest;
use crate::model::names::wire_name;
use crate::model::projection::project;
use crate::model::provider::Provider;
use crate::model::wire::{CallNumbers, plugin_text, some_list, with};

/// The limit of an answer where the provider's settings have none: the protocol wants one.
const OUTPUT_TOKENS: u64 = 8_192;

/// The whole body.
pub(super) fn body(provider: &Provider, request: &ModelRequest) -> Vec<u8> {
    let body = json!({
        "model": provider.model,
        "max_tokens": provider.output_tokens.unwrap_or(OUTPUT_TOKENS),
        "messages": messages(request),
        "stream": true,
    });
    let system = (!request.system.is_empty()).then(|| json!(request.system));
    let body = with(body, "system", system);
    with(body, "tools", some_list(request.tools.iter().map(tool))).to_string().into_bytes()
}

fn tool(tool: &ToolSchema) -> Value {
    let projection = project(tool);
    json!({
        "name": wire_name(&tool.name),
        "description": projection.description,
        "input_schema": projection.parameters,
    })
}

/// The conversation, in which the two roles take turns: neighbours of one role become one message.
fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut numbers = CallNumbers::default();
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            Message::User { source, content } => ("user", user(source.as_deref(), content)),
            Message::Assistant { content, calls } => ("assistant", assistant(content, calls, &mut numbers)),
            Message::Tool { call_id, content, is_error } => {
                let result = json!({ "type": "tool_result", "tool_use_id": numbers.id(call_id) });
                let result = with(result, "content", some_list(content.iter().filter_map(block)));
                ("user", vec![with(result, "is_error", is_error.then(|| json!(true)))])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn user(source: Option<&str>, content: &[ContentBlock]) -> Vec<Value> {
    let said = content.iter().map(|block| match (source, block.as_text()) {
        (Some(_), Some(text)) => ContentBlock::text(plugin_text(source, text)),
        _ => block.clone(),
    });
    said.filter_map(|said| block(&said)).collect()
}

fn assistant(content: &[ContentBlock], calls: &[RequestedCall], numbers: &mut CallNumbers) -> Vec<Value> {
    let text = content.iter().filter_map(block);
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| {
            let input =
                serde_json::from_str(&history_arguments(&call.arguments)).unwrap_or_else(|_| json!({}));
            let (id, name) = (numbers.give(&call.call_id), wire_name(&call.name));
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        })
        .collect();
    text.chain(calls).collect()
}

/// A block; none for a text that says nothing, which the protocol refuses.
fn block(block: &ContentBlock) -> Option<Value> {
    let text = |text: &str| (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }));
    match block {
        ContentBlock::Text { text: said } => text(said),
        ContentBlock::Image { data, mime_type } => {
            let source = json!({ "type": "base64", "media_type": mime_type, "data": data });
            Some(json!({ "type": "image", "source": source }))
        }
        ContentBlock::Other(other) => match block.as_text() {
            Some(said) => text(said),
            None => text(&other.json().to_text()),
        },
    }
}
