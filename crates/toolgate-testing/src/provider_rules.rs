//! What strict providers ask of a request, checked over its JSON body.
//!
//! [`ModelServer`](crate::ModelServer) refuses what does not pass; tests check bodies with it directly. It is stricter than
//! any one provider: each call is answered exactly once, right behind the message that asks for it and in its order; ids
//! are unique; nothing is empty; roles take turns where a protocol wants that.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

/// The protocol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Chat completions.
    Chat,
    /// Messages.
    Messages,
}

/// What a strict provider has against the body of a request.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn check(dialect: Dialect, body: &Value) -> Result<(), String> {
    match dialect {
        Dialect::Chat => check_chat(body),
        Dialect::Messages => check_messages(body),
    }
}

fn check_chat(body: &Value) -> Result<(), String> {
    for tool in list(body, "tools") {
        check_tool(&tool["function"], "parameters")?;
    }
    let mut asked = HashSet::new();
    let mut open: VecDeque<String> = VecDeque::new();
    for (place, message) in list(body, "messages").iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            return Err(format!("messages[{place}]: {open:?} must be answered first"));
        }
        match role {
            "system" if place == 0 => {}
            "user" if !is_empty(&message["content"]) => {}
            "assistant" => {
                let calls = list(message, "tool_calls");
                if calls.is_empty() && is_empty(&message["content"]) {
                    return Err(format!("messages[{place}]: an empty answer"));
                }
                for call in calls {
                    let id = call["id"].as_str().unwrap_or_default();
                    check_id(id, &mut asked)?;
                    let function = call.get("function").unwrap_or(&Value::Null);
                    check_name(function.get("name").unwrap_or(&Value::Null))?;
                    let arguments = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
                    let arguments: Value = serde_json::from_str(arguments)
                        .map_err(|error| format!("messages[{place}]: the arguments of {id}: {error}"))?;
                    if !arguments.is_object() {
                        return Err(format!("messages[{place}]: the arguments of {id} are no object"));
                    }
                    open.push_back(id.to_owned());
                }
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                answer_next(&mut open, id).map_err(|why| format!("messages[{place}]: {why}"))?;
                if !message["content"].is_string() {
                    return Err(format!("messages[{place}]: a result is a text"));
                }
            }
            role => return Err(format!("messages[{place}]: an empty or misplaced message of {role:?}")),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} must be answered first")) }
}

fn check_messages(body: &Value) -> Result<(), String> {
    if !body["max_tokens"].is_u64() {
        return Err("max_tokens: field required".to_owned());
    }
    for tool in list(body, "tools") {
        check_tool(tool, "input_schema")?;
    }
    let mut asked = HashSet::new();
    let mut open: VecDeque<String> = VecDeque::new();
    for (place, message) in list(body, "messages").iter().enumerate() {
        let expected = if place % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != expected {
            return Err(format!("messages[{place}]: roles must alternate"));
        }
        let blocks = list(message, "content");
        if blocks.is_empty() {
            return Err(format!("messages[{place}]: an empty message"));
        }
        let mut results_are_over = false;
        for block in blocks {
            let kind = block["type"].as_str().unwrap_or_default();
            results_are_over |= kind != "tool_result";
            match kind {
                "text" if !block["text"].as_str().unwrap_or_default().trim().is_empty() => {}
                "image" => {}
                "tool_use" if block["input"].is_object() => {
                    let id = block["id"].as_str().unwrap_or_default();
                    check_id(id, &mut asked)?;
                    check_name(&block["name"])?;
                    open.push_back(id.to_owned());
                }
                "tool_result" if !results_are_over => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    answer_next(&mut open, id).map_err(|why| format!("messages[{place}]: {why}"))?;
                }
                kind => return Err(format!("messages[{place}]: an empty or misplaced block {kind:?}")),
            }
        }
        if expected == "user" && !open.is_empty() {
            return Err(format!("messages[{place}]: {open:?} must be answered first"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} must be answered first")) }
}

fn check_tool(tool: &Value, schema: &str) -> Result<(), String> {
    check_name(&tool["name"])?;
    let schema = &tool[schema];
    let name = &tool["name"];
    if schema["type"] != "object" {
        return Err(format!("{name}: the schema must have type object"));
    }
    match ["oneOf", "anyOf", "allOf", "enum", "not"].iter().find(|key| !schema[**key].is_null()) {
        Some(key) => Err(format!("{name}: the schema must not have {key} at its root")),
        None => Ok(()),
    }
}

fn check_name(name: &Value) -> Result<(), String> {
    let text = name.as_str().unwrap_or_default();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fits = (1..=64).contains(&text.len()) && text.chars().all(is_allowed);
    if fits { Ok(()) } else { Err(format!("{name} is no name of a tool")) }
}

/// Results come in the order in which they were asked for.
fn answer_next(open: &mut VecDeque<String>, id: &str) -> Result<(), String> {
    match open.pop_front() {
        Some(next) if next == id => Ok(()),
        Some(next) => Err(format!("{id:?} comes where {next:?} must be answered")),
        None => Err(format!("{id:?} was not asked for")),
    }
}

fn check_id(id: &str, asked: &mut HashSet<String>) -> Result<(), String> {
    if id.is_empty() || id.len() > 40 {
        return Err(format!("{id:?} is no id of a call"));
    }
    if asked.insert(id.to_owned()) { Ok(()) } else { Err(format!("{id:?} was asked for before")) }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_empty(content: &Value) -> bool {
    match content {
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}
