//! [`Frames`]: what is done with each message of a server.
//!
//! Called by both transports with one whole message at a time. It never fails a connection: a message that cannot be
//! taken becomes an error for the one request that it answers, a refusal of what the server asked, or a count.

use std::fmt::Write as _;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde::Deserialize as _;
use serde_json::Value;
use toolgate::{JsonValue, ParseLimits};

use super::ledger::Asked;
use super::{FrameLimits, Ledger, RawAnswer, Skim, Skimmed, page};
use crate::transport::Diagnostics;

/// How many levels a message may have that `rmcp` gets: as many as its own parser takes.
pub(crate) const RMCP_LEVELS: usize = 127;

/// What is to be done with a message.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// `rmcp` gets it as it was sent.
    Sent(JsonValue),
    /// `rmcp` gets this instead.
    Mended(JsonValue),
    /// The server asked for something in a way that cannot be taken; it gets this answer.
    Refused(Box<ClientJsonRpcMessage>),
    /// It is no message, or one that nobody waits for. It has been counted.
    Nothing,
}

/// The judge of one connection. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    pub(crate) limits: FrameLimits,
    pub(crate) ledger: Ledger,
    pub(crate) notes: Diagnostics,
}

impl Frames {
    /// Judges one message.
    pub(crate) fn judge(&self, text: &[u8]) -> Verdict {
        let text = text.trim_ascii();
        if text.is_empty() {
            self.notes.noise_line(text);
            return Verdict::Nothing;
        }
        match JsonValue::parse_slice(text, self.limits.parse) {
            Ok(message) => self.judge_value(message, text),
            Err(error) => {
                let mut skim = Skim::default();
                skim.feed(text);
                let skimmed = skim.finish();
                if text.first() != Some(&b'{') || (skimmed.id.is_none() && !skimmed.has_method) {
                    self.notes.noise_line(text);
                    return Verdict::Nothing;
                }
                self.refuse(skimmed, &error.to_string(), Some(text))
            }
        }
    }

    /// A message was longer than messages may be.
    pub(crate) fn too_long(&self, skimmed: Skimmed) -> Verdict {
        let reason = format!("it is longer than {} bytes", self.limits.max_bytes);
        if skimmed.id.is_none() && !skimmed.has_method {
            self.notes.noise_line(reason.as_bytes());
            return Verdict::Nothing;
        }
        self.refuse(skimmed, &reason, None)
    }

    /// Every request that waits gets an error with this reason.
    pub(crate) fn abandon(&self, reason: &str) -> Vec<ServerJsonRpcMessage> {
        let error =
            |id| ServerJsonRpcMessage::error(ErrorData::internal_error(reason.to_owned(), None), Some(id));
        self.ledger.abandon().into_iter().map(error).collect()
    }

    fn judge_value(&self, message: JsonValue, text: &[u8]) -> Verdict {
        let Some(shape) = Shape::of(&message) else {
            self.notes.noise_line(text);
            return Verdict::Nothing;
        };
        let too_deep = || format!("it has more than {RMCP_LEVELS} levels");
        match shape {
            Shape::Request(_) | Shape::Notification if !is_deeper(&message, RMCP_LEVELS) => {
                Verdict::Sent(message)
            }
            Shape::Request(id) => self.refuse(Skimmed { id: Some(id), has_method: true }, &too_deep(), None),
            Shape::Notification => self.refuse(Skimmed { id: None, has_method: true }, &too_deep(), None),
            Shape::Error(None) if !is_deeper(&message, RMCP_LEVELS) => Verdict::Sent(message),
            Shape::Error(None) => self.refuse(Skimmed::default(), &too_deep(), None),
            Shape::Error(Some(id)) => match self.ledger.answered(&id) {
                Some((asked, _)) if is_deeper(&message, RMCP_LEVELS) => self.fail(asked, &too_deep()),
                Some(_) => Verdict::Sent(message),
                None => self.unasked(&id),
            },
            Shape::Result(id) => match self.ledger.answered(&id) {
                Some((asked, kind)) => self.judge_answer(message, asked, kind),
                None => self.unasked(&id),
            },
        }
    }

    fn judge_answer(&self, message: JsonValue, id: RequestId, kind: Asked) -> Verdict {
        let is_deep = is_deeper(&message, RMCP_LEVELS);
        match kind {
            Asked::Tools => match page::mend_value(&message) {
                Some(mended) if !is_deeper(&mended.message, RMCP_LEVELS) => self.mended(mended),
                None if !is_deep => Verdict::Sent(message),
                Some(_) | None => self.fail(id, &format!("it has more than {RMCP_LEVELS} levels")),
            },
            Asked::Call => {
                self.ledger.keep(id, RawAnswer::of(message.clone()));
                if is_deep { Verdict::Mended(hollow(&message)) } else { Verdict::Sent(message) }
            }
            Asked::Other if is_deep => self.fail(id, &format!("it has more than {RMCP_LEVELS} levels")),
            Asked::Other => Verdict::Sent(message),
        }
    }

    fn mended(&self, mended: page::Mended) -> Verdict {
        self.notes.quarantine(mended.quarantined);
        Verdict::Mended(mended.message)
    }

    /// A message cannot be taken. `text` is given where a page of tools may be mended.
    fn refuse(&self, skimmed: Skimmed, reason: &str, text: Option<&[u8]>) -> Verdict {
        match skimmed {
            Skimmed { id: Some(id), has_method: true } => {
                self.notes.refused(reason);
                let error =
                    ErrorData::invalid_request(format!("the request cannot be taken: {reason}"), None);
                Verdict::Refused(Box::new(ClientJsonRpcMessage::error(error, Some(id))))
            }
            Skimmed { id: Some(id), has_method: false } => match self.ledger.answered(&id) {
                Some((_, Asked::Tools)) if let Some(mended) = self.mend(text) => self.mended(mended),
                Some((asked, _)) => self.fail(asked, reason),
                None => self.unasked(&id),
            },
            Skimmed { id: None, .. } => {
                self.notes.refused(reason);
                Verdict::Nothing
            }
        }
    }

    fn mend(&self, text: Option<&[u8]>) -> Option<page::Mended> {
        let limits = ParseLimits { max_depth: self.limits.parse.max_depth, ..self.limits.parse };
        let mended = page::mend_text(text?, limits)?;
        (!is_deeper(&mended.message, RMCP_LEVELS)).then_some(mended)
    }

    /// The request fails that a message answers.
    pub(crate) fn fail(&self, id: RequestId, reason: &str) -> Verdict {
        self.notes.refused(reason);
        let error = unfit(reason);
        let error = JsonValue::object([
            ("code".to_owned(), JsonValue::from(i64::from(error.code.0))),
            ("message".to_owned(), JsonValue::from(error.message.into_owned())),
        ]);
        let id = match id {
            RequestId::Number(number) => JsonValue::from(number),
            RequestId::String(text) => JsonValue::from(text.to_string()),
        };
        Verdict::Mended(JsonValue::object([
            ("jsonrpc".to_owned(), JsonValue::from("2.0")),
            ("id".to_owned(), id),
            ("error".to_owned(), error),
        ]))
    }

    fn unasked(&self, id: &RequestId) -> Verdict {
        let mut reason = String::new();
        let _ = write!(reason, "it answers the request {id}, which nobody waits for");
        self.notes.refused(&reason);
        Verdict::Nothing
    }
}

/// The error of a request whose answer cannot be taken. Its code is that of JSON-RPC for a text that is not fit.
fn unfit(reason: &str) -> ErrorData {
    ErrorData::new(ErrorCode::PARSE_ERROR, format!("the server's answer cannot be taken: {reason}"), None)
}

/// What a judged message is to `rmcp`.
pub(crate) fn to_rmcp(message: &JsonValue) -> Result<ServerJsonRpcMessage, serde_json::Error> {
    ServerJsonRpcMessage::deserialize(message.as_value())
}

enum Shape {
    Request(RequestId),
    Notification,
    Result(RequestId),
    Error(Option<RequestId>),
}

impl Shape {
    /// What a value is in JSON-RPC, if it is anything.
    fn of(message: &Value) -> Option<Self> {
        let message = message.as_object()?;
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return None;
        }
        let id = match message.get("id") {
            Some(Value::Number(number)) => Some(RequestId::Number(number.as_i64()?)),
            Some(Value::String(text)) => Some(RequestId::String(text.as_str().into())),
            Some(Value::Null) | None => None,
            Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => return None,
        };
        match (message.get("method"), id, message.get("result"), message.get("error")) {
            (Some(Value::String(_)), Some(id), None, None) => Some(Self::Request(id)),
            (Some(Value::String(_)), None, None, None) => Some(Self::Notification),
            (None, Some(id), Some(_), None) => Some(Self::Result(id)),
            (None, id, None, Some(error)) => is_error(error).then_some(Self::Error(id)),
            _ => None,
        }
    }
}

fn is_error(error: &Value) -> bool {
    let code = error.get("code").and_then(Value::as_i64);
    code.is_some_and(|code| i32::try_from(code).is_ok()) && error.get("message").is_some_and(Value::is_string)
}

/// A call's answer that is too deep for `rmcp`, without what makes it so. The bridge has the whole.
fn hollow(message: &Value) -> JsonValue {
    let member = |from: &Value, name: &str| from.get(name).and_then(|part| JsonValue::copy_of(part).ok());
    let mut result = vec![("content".to_owned(), JsonValue::array([]))];
    let whole = message.get("result").unwrap_or(&Value::Null);
    for name in ["isError", "resultType"] {
        if whole.get(name).is_some_and(|part| part.is_boolean() || part.is_string()) {
            result.extend(member(whole, name).map(|part| (name.to_owned(), part)));
        }
    }
    let mut hollow = vec![("jsonrpc".to_owned(), JsonValue::from("2.0"))];
    hollow.extend(member(message, "id").map(|id| ("id".to_owned(), id)));
    hollow.push(("result".to_owned(), JsonValue::object(result)));
    JsonValue::object(hollow)
}

/// Whether a value has more levels than that. It looks no deeper.
pub(crate) fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        Value::Array(items) => {
            levels == 0 || items.iter().any(|item| is_deeper(item, levels.saturating_sub(1)))
        }
        Value::Object(members) => {
            levels == 0 || members.values().any(|member| is_deeper(member, levels.saturating_sub(1)))
        }
    }
}
