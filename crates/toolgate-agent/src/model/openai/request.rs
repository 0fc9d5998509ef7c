//! The body of a chat-completions request. The same request gives the same bytes.

use serde_json::{Value, json};
use toolgate::{ContentBlock, ToolSchema};
use toolgate_session::RequestedCall;
use toolgate_session::replay::Message;

use crate::arguments::history_arguments;
use crate::model::ModelRequest;
use crate::model::names::wire_name;
use crate::model::projection::project;
use crate::model::provider::Provider;
use crate::model::wire::{CallNumbers, joined_text, plugin_text, some_list, with};

/// The whole body.
pub(super) fn body(provider: &Provider, request: &ModelRequest) -> Vec<u8> {
    let body = json!({
        "model": provider.model,
        "messages": messages(request),
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    let body = with(body, "tools", some_list(request.tools.iter().map(tool)));
    with(body, "max_tokens", provider.output_tokens.map(Value::from)).to_string().into_bytes()
}

fn tool(tool: &ToolSchema) -> Value {
    let projection = project(tool);
    json!({
        "type": "function",
        "function": {
            "name": wire_name(&tool.name),
            "description": projection.description,
            "parameters": projection.parameters,
        },
    })
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut numbers = CallNumbers::default();
    let mut messages = Vec::new();
    // Pictures of results: a result holds text alone here, so they follow the results of their step.
    let mut pictures: Vec<Value> = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        if !matches!(message, Message::Tool { .. }) {
            flush(&mut pictures, &mut messages);
        }
        messages.push(match message {
            Message::User { source, content } => user(source.as_deref(), content),
            Message::Assistant { content, calls } => assistant(content, calls, &mut numbers),
            Message::Tool { call_id, content, .. } => {
                let id = numbers.id(call_id);
                let mut text = joined_text(content);
                for block in content.iter().filter_map(picture) {
                    text.push_str("\n(a picture follows)");
                    pictures.push(block);
                }
                json!({ "role": "tool", "tool_call_id": id, "content": text.trim_start_matches('\n') })
            }
        });
    }
    flush(&mut pictures, &mut messages);
    messages
}

fn flush(pictures: &mut Vec<Value>, messages: &mut Vec<Value>) {
    if !pictures.is_empty() {
        messages.push(json!({ "role": "user", "content": std::mem::take(pictures) }));
    }
}

fn user(source: Option<&str>, content: &[ContentBlock]) -> Value {
    let text = plugin_text(source, &joined_text(content));
    let pictures: Vec<Value> = content.iter().filter_map(picture).collect();
    if pictures.is_empty() {
        return json!({ "role": "user", "content": text });
    }
    let text = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let parts: Vec<Value> = text.into_iter().chain(pictures).collect();
    json!({ "role": "user", "content": parts })
}

fn assistant(content: &[ContentBlock], calls: &[RequestedCall], numbers: &mut CallNumbers) -> Value {
    let text = joined_text(content);
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { Value::from(text) };
    let calls = calls.iter().map(|call| {
        json!({
            "id": numbers.give(&call.call_id),
            "type": "function",
            "function": { "name": wire_name(&call.name), "arguments": history_arguments(&call.arguments) },
        })
    });
    let calls = some_list(calls);
    with(json!({ "role": "assistant", "content": content }), "tool_calls", calls)
}

fn picture(block: &ContentBlock) -> Option<Value> {
    match block {
        ContentBlock::Image { data, mime_type } => Some(
            json!({ "type": "image_url", "image_url": { "url": format!("data:{mime_type};base64,{data}") } }),
        ),
        ContentBlock::Text { .. } | ContentBlock::Other(_) => None,
    }
}
