//! What a client sends, one JSON-RPC message at a time, before `rmcp` parses it.
//!
//! Called by both transports with one whole message. `rmcp` parses with serde, which rounds large integers, keeps the last
//! of two equal keys and stops at 128 levels. So the project's own parser judges every message, and the arguments of a
//! call are taken out: they go to the pipeline as they were sent, at any depth that it takes, or fail that one call with
//! the reason (K21, K24). Nothing here opens or writes to a connection.

use std::collections::HashSet;

use rmcp::model::{
    CallToolRequestMethod, ClientJsonRpcMessage, ConstString as _, ErrorCode, ErrorData, GetExtensions as _,
    RequestId, ServerJsonRpcMessage,
};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use toolgate::{JsonValue, ParseLimits};

use crate::frame::{RMCP_LEVELS, Skim, Skimmed, is_deeper, outline};

/// The arguments of a call as the client sent them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Arguments {
    Missing,
    Given(JsonValue),
    /// They are no value, for this reason.
    Unreadable(String),
}

/// What is to be done with a message.
#[derive(Debug)]
pub(super) enum Verdict {
    Taken(Taken),
    /// The client gets this answer.
    Refused(Box<ServerJsonRpcMessage>),
    /// It is no message, or one that expects no answer and cannot be taken.
    Nothing,
}

/// A message that `rmcp` gets.
#[derive(Debug)]
pub(super) struct Taken {
    /// The message, without the arguments of a call.
    pub(super) message: JsonValue,
    /// The arguments, where it is a call.
    pub(super) arguments: Option<Arguments>,
}

impl Taken {
    /// The message as `rmcp` has it, with the arguments beside it.
    pub(super) fn into_rmcp(self) -> Result<ClientJsonRpcMessage, Box<ServerJsonRpcMessage>> {
        match ClientJsonRpcMessage::deserialize(self.message.as_value()) {
            Ok(mut message) => {
                if let (ClientJsonRpcMessage::Request(request), Some(arguments)) =
                    (&mut message, self.arguments)
                {
                    request.request.extensions_mut().insert(arguments);
                }
                Ok(message)
            }
            Err(error) => Err(refusal(ErrorCode::INVALID_REQUEST, &error.to_string(), id_of(&self.message))),
        }
    }
}

/// Judges one message.
pub(super) fn judge(text: &[u8]) -> Verdict {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Verdict::Nothing;
    }
    match JsonValue::parse_slice(text, ParseLimits::default()) {
        Ok(message) => judge_value(&message),
        Err(error) => match mend(text) {
            Some(taken) => sound(taken),
            None => {
                let mut skim = Skim::default();
                skim.feed(text);
                refuse(skim.finish(), ErrorCode::PARSE_ERROR, &error.to_string())
            }
        },
    }
}

/// A message was longer than messages may be.
pub(super) fn too_long(skimmed: Skimmed, most: usize) -> Verdict {
    refuse(skimmed, ErrorCode::INVALID_REQUEST, &format!("it is longer than {most} bytes"))
}

fn judge_value(message: &Value) -> Verdict {
    let Some(members) = message.as_object() else {
        let reason = if message.is_array() { "batches are not supported" } else { "it is no object" };
        return Verdict::Refused(refusal(ErrorCode::INVALID_REQUEST, reason, None));
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        let reason = "it does not say that it is JSON-RPC 2.0";
        return Verdict::Refused(refusal(ErrorCode::INVALID_REQUEST, reason, id_of(message)));
    }
    let arguments = match members.get("params") {
        Some(Value::Object(params)) if is_call(members.get("method")) => match params.get("arguments") {
            Some(arguments) => match JsonValue::copy_of(arguments) {
                Ok(arguments) => Some(Arguments::Given(arguments)),
                Err(error) => Some(Arguments::Unreadable(error.to_string())),
            },
            None => Some(Arguments::Missing),
        },
        _ => None,
    };
    let rest = without_arguments(members, arguments.is_some());
    match JsonValue::new(rest) {
        Ok(message) => sound(Taken { message, arguments }),
        Err(error) => {
            Verdict::Refused(refusal(ErrorCode::INVALID_REQUEST, &error.to_string(), id_of(message)))
        }
    }
}

/// Lets a message pass, unless `rmcp` would not.
fn sound(taken: Taken) -> Verdict {
    if is_deeper(&taken.message, RMCP_LEVELS) {
        let skimmed =
            Skimmed { id: id_of(&taken.message), has_method: taken.message.get("method").is_some() };
        return refuse(
            skimmed,
            ErrorCode::INVALID_REQUEST,
            &format!("it has more than {RMCP_LEVELS} levels"),
        );
    }
    Verdict::Taken(taken)
}

fn without_arguments(members: &Map<String, Value>, is_call: bool) -> Value {
    let member = |(name, value): (&String, &Value)| {
        let params = value.as_object().filter(|_| is_call && name == "params");
        let value = match params {
            Some(params) => {
                let rest = params.iter().filter(|(name, _)| *name != "arguments");
                Value::Object(rest.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            None => value.clone(),
        };
        (name.clone(), value)
    };
    Value::Object(members.iter().map(member).collect())
}

/// A call whose arguments alone are what the parser refuses.
fn mend(text: &[u8]) -> Option<Taken> {
    let members = unique(outline::members(text)?)?;
    let mut message = Vec::new();
    let mut arguments = None;
    let method = members.iter().find(|(name, _)| name == "method")?;
    if !is_call(Some(&serde_json::from_slice(method.1).ok()?)) {
        return None;
    }
    for (name, text) in members {
        let value = if name == "params" {
            let mut params = Vec::new();
            for (name, text) in unique(outline::members(text)?)? {
                let value = JsonValue::parse_slice(text, ParseLimits::default());
                if name == "arguments" {
                    arguments = Some(match value {
                        Ok(value) => Arguments::Given(value),
                        Err(error) => {
                            Arguments::Unreadable(format!("the arguments cannot be taken: {error}"))
                        }
                    });
                } else {
                    params.push((name, value.ok()?));
                }
            }
            JsonValue::object(params)
        } else {
            JsonValue::parse_slice(text, ParseLimits::default()).ok()?
        };
        message.push((name, value));
    }
    Some(Taken { message: JsonValue::object(message), arguments: Some(arguments?) })
}

/// The members, where no name stands twice.
fn unique(members: Vec<(String, &[u8])>) -> Option<Vec<(String, &[u8])>> {
    let names: HashSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    (names.len() == members.len()).then_some(members)
}

fn is_call(method: Option<&Value>) -> bool {
    method.and_then(Value::as_str) == Some(CallToolRequestMethod::VALUE)
}

fn id_of(message: &Value) -> Option<RequestId> {
    RequestId::deserialize(message.get("id")?).ok()
}

fn refuse(skimmed: Skimmed, code: ErrorCode, reason: &str) -> Verdict {
    match skimmed {
        // A notification. What it was about cannot be told.
        Skimmed { id: None, has_method: true } => Verdict::Nothing,
        // An answer of the client that cannot be read is one that says so.
        Skimmed { id: Some(id), has_method: false } => {
            let error = json!({ "code": code.0, "message": format!("the answer cannot be taken: {reason}") });
            let id = serde_json::to_value(id).unwrap_or_default();
            match JsonValue::new(json!({ "jsonrpc": "2.0", "id": id, "error": error })) {
                Ok(message) => Verdict::Taken(Taken { message, arguments: None }),
                Err(_) => Verdict::Nothing,
            }
        }
        Skimmed { id, has_method: _ } => Verdict::Refused(refusal(code, reason, id)),
    }
}

/// The answer to a message that cannot be taken.
pub(super) fn refusal(code: ErrorCode, reason: &str, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    let error = ErrorData::new(code, format!("the message cannot be taken: {reason}"), None);
    Box::new(ServerJsonRpcMessage::error(error, id))
}
