//! A scripted answer as the events of a protocol.

use serde_json::{Value, json};
use toolgate_agent::model::script::ScriptedAnswer;

/// How many characters of arguments one fragment has.
const FRAGMENT: usize = 7;

/// The events of chat completions.
pub(super) fn chat(answer: &ScriptedAnswer, is_interleaved: bool) -> Vec<String> {
    let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
    let mut chunks = vec![delta(json!({ "role": "assistant", "content": "" }))];
    let words = answer.text.split_inclusive(' ').filter(|word| !word.is_empty());
    chunks.extend(words.map(|word| delta(json!({ "content": word }))));
    let fragments: Vec<Vec<Value>> = answer.calls.iter().enumerate().map(|(index, call)| {
        let begin = json!({ "index": index, "id": call.id, "type": "function", "function": { "name": call.name, "arguments": "" } });
        let rest = pieces(&call.arguments).into_iter().map(|piece| json!({ "index": index, "function": { "arguments": piece } }));
        std::iter::once(begin).chain(rest).collect()
    }).collect();
    let fragments = in_order(fragments, is_interleaved);
    chunks.extend(fragments.into_iter().map(|fragment| delta(json!({ "tool_calls": [fragment] }))));
    chunks.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": answer.stop_word() }] }));
    if let Some(usage) = answer.usage {
        chunks.push(json!({ "choices": [], "usage": { "prompt_tokens": usage.input, "completion_tokens": usage.output } }));
    }
    let events = chunks.into_iter().map(|chunk| format!("data: {chunk}\n\n"));
    events.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

/// The events of messages.
pub(super) fn messages(answer: &ScriptedAnswer, is_interleaved: bool) -> Vec<String> {
    let usage = answer.usage.unwrap_or_default();
    let mut events = vec![
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": usage.input, "output_tokens": 1 } } }),
        json!({ "type": "ping" }),
    ];
    let first_call = usize::from(!answer.text.is_empty());
    if !answer.text.is_empty() {
        events.push(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }));
        for word in answer.text.split_inclusive(' ') {
            events.push(json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word } }));
        }
        events.push(json!({ "type": "content_block_stop", "index": 0 }));
    }
    let fragments: Vec<Vec<Value>> = answer.calls.iter().enumerate().map(|(place, call)| {
        let index = first_call + place;
        let begin = json!({ "type": "content_block_start", "index": index, "content_block": { "type": "tool_use", "id": call.id, "name": call.name, "input": {} } });
        let rest = pieces(&call.arguments).into_iter().map(|piece| {
            json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": piece } })
        });
        let end = json!({ "type": "content_block_stop", "index": index });
        std::iter::once(begin).chain(rest).chain([end]).collect()
    }).collect();
    events.extend(in_order(fragments, is_interleaved));
    let stop = match answer.stop_word() {
        "tool_calls" => "tool_use",
        "length" => "max_tokens",
        "stop" => "end_turn",
        other => other,
    };
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": { "output_tokens": usage.output } }));
    events.push(json!({ "type": "message_stop" }));
    let named = |event: Value| {
        let name = event.get("type").and_then(Value::as_str).unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.into_iter().map(named).collect()
}

/// A text in small fragments.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(FRAGMENT).map(|piece| piece.iter().collect()).collect()
}

/// The fragments of all calls: one call after the other, or one fragment of each in turns.
fn in_order(calls: Vec<Vec<Value>>, is_interleaved: bool) -> Vec<Value> {
    if !is_interleaved {
        return calls.into_iter().flatten().collect();
    }
    let longest = calls.iter().map(Vec::len).max().unwrap_or_default();
    (0..longest).flat_map(|place| calls.iter().filter_map(move |call| call.get(place).cloned())).collect()
}
