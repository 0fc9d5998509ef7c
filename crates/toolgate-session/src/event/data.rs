//! Objects of data, written and read field by field, at any depth of the values in them.

use std::fmt;
use std::io::Write as _;
use std::str::FromStr as _;

use serde_json::{Map, Value};
use toolgate::{CallId, ContentBlock, JsonValue, UserMessage};

use crate::SessionId;

/// A JSON object is not the data of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// A field is missing, or is not what it should be.
    #[error("`{field}` of a {event} event is missing or is not {expected}")]
    Field {
        /// The event.
        event: String,
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// The type is unknown.
    #[error("`{0}` is no type of event that this version knows")]
    UnknownType(String),
}

/// Writes one object. Nothing in it can fail: it is memory.
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    pub(super) fn end(self) {
        self.out.push(b'}');
    }

    fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        push_text(self.out, name);
        self.out.push(b':');
        self.out
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        push_text(self.name(name), text);
    }

    pub(super) fn some_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub(super) fn number(&mut self, name: &str, number: u64) {
        push_display(self.name(name), number);
    }

    pub(super) fn flag(&mut self, name: &str, flag: bool) {
        push_display(self.name(name), flag);
    }

    pub(super) fn json(&mut self, name: &str, value: &JsonValue) {
        push_display(self.name(name), value);
    }

    pub(super) fn some_json(&mut self, name: &str, value: Option<&JsonValue>) {
        if let Some(value) = value {
            self.json(name, value);
        }
    }

    pub(super) fn list<T>(&mut self, name: &str, items: &[T], mut push: impl FnMut(&mut Vec<u8>, &T)) {
        let out = self.name(name);
        out.push(b'[');
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            push(out, item);
        }
        out.push(b']');
    }

    pub(super) fn content(&mut self, name: &str, content: &[ContentBlock]) {
        self.list(name, content, push_block);
    }

    pub(super) fn object(&mut self, name: &str, write: impl FnOnce(&mut Writer<'_>)) {
        let mut inner = Writer::begin(self.name(name));
        write(&mut inner);
        inner.end();
    }
}

pub(super) fn push_text(out: &mut Vec<u8>, text: &str) {
    // Writing a text to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

fn push_display(out: &mut Vec<u8>, value: impl fmt::Display) {
    let _ = write!(out, "{value}");
}

fn push_block(out: &mut Vec<u8>, block: &ContentBlock) {
    match block {
        ContentBlock::Text { text } => {
            let mut writer = Writer::begin(out);
            writer.text("type", "text");
            writer.text("text", text);
            writer.end();
        }
        ContentBlock::Image { data, mime_type } => {
            let mut writer = Writer::begin(out);
            writer.text("type", "image");
            writer.text("data", data);
            writer.text("mimeType", mime_type);
            writer.end();
        }
        ContentBlock::Other(block) => push_display(out, block.json()),
    }
}

pub(super) fn push_context(out: &mut Vec<u8>, context: &UserMessage) {
    let mut writer = Writer::begin(out);
    writer.text("source", context.source());
    writer.content("content", context.content());
    writer.some_json("meta", context.meta());
    writer.end();
}

/// Reads one object.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    event: &'a str,
    members: &'a Map<String, Value>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(event: &'a str, members: &'a Map<String, Value>) -> Self {
        Self { event, members }
    }

    fn fault(self, field: &'static str, expected: &'static str) -> EventError {
        EventError::Field { event: self.event.to_owned(), field, expected }
    }

    pub(super) fn has(self, field: &str) -> bool {
        self.members.contains_key(field)
    }

    pub(super) fn text(self, field: &'static str) -> Result<String, EventError> {
        self.some_text(field)?.ok_or_else(|| self.fault(field, "a text"))
    }

    pub(super) fn some_text(self, field: &'static str) -> Result<Option<String>, EventError> {
        match self.members.get(field) {
            None => Ok(None),
            Some(value) => {
                value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| self.fault(field, "a text"))
            }
        }
    }

    pub(super) fn call_id(self, field: &'static str) -> Result<CallId, EventError> {
        self.text(field).map(CallId::from)
    }

    pub(super) fn session(self, field: &'static str) -> Result<SessionId, EventError> {
        SessionId::from_str(&self.text(field)?).map_err(|_| self.fault(field, "the id of a session"))
    }

    pub(super) fn number(self, field: &'static str) -> Result<u64, EventError> {
        let number = self.members.get(field).and_then(Value::as_u64);
        number.ok_or_else(|| self.fault(field, "a whole number"))
    }

    pub(super) fn flag(self, field: &'static str) -> Result<bool, EventError> {
        let flag = self.members.get(field).and_then(Value::as_bool);
        flag.ok_or_else(|| self.fault(field, "true or false"))
    }

    pub(super) fn json(self, field: &'static str) -> Result<JsonValue, EventError> {
        self.some_json(field)?.ok_or_else(|| self.fault(field, "there"))
    }

    pub(super) fn some_json(self, field: &'static str) -> Result<Option<JsonValue>, EventError> {
        match self.members.get(field) {
            None => Ok(None),
            Some(value) => part(value).map(Some).ok_or_else(|| self.fault(field, "lossless JSON")),
        }
    }

    /// The members of a list, each read by `read`.
    pub(super) fn list<T>(
        self,
        field: &'static str,
        read: impl Fn(&'a Value) -> Option<Result<T, EventError>>,
    ) -> Result<Vec<T>, EventError> {
        let fault = || self.fault(field, "a list of what belongs there");
        let items = self.members.get(field).and_then(Value::as_array).ok_or_else(fault)?;
        items.iter().map(|item| read(item).unwrap_or_else(|| Err(fault()))).collect()
    }

    pub(super) fn texts(self, field: &'static str) -> Result<Vec<String>, EventError> {
        self.list(field, |item| item.as_str().map(|text| Ok(text.to_owned())))
    }

    pub(super) fn objects<T>(
        self,
        field: &'static str,
        read: impl Fn(Reader<'a>) -> Result<T, EventError>,
    ) -> Result<Vec<T>, EventError> {
        self.list(field, |item| item.as_object().map(|members| read(Reader::new(self.event, members))))
    }

    pub(super) fn some_object<T>(
        self,
        field: &'static str,
        read: impl Fn(Reader<'a>) -> Result<T, EventError>,
    ) -> Result<Option<T>, EventError> {
        match self.members.get(field) {
            None => Ok(None),
            Some(Value::Object(members)) => read(Reader::new(self.event, members)).map(Some),
            Some(_) => Err(self.fault(field, "an object")),
        }
    }

    pub(super) fn content(self, field: &'static str) -> Result<Vec<ContentBlock>, EventError> {
        self.list(field, |item| ContentBlock::from_json(&part(item)?).ok().map(Ok))
    }

    pub(super) fn contexts(self, field: &'static str) -> Result<Vec<UserMessage>, EventError> {
        self.objects(field, |context| {
            let message = UserMessage::new(context.text("source")?, context.content("content")?);
            Ok(match context.some_json("meta")? {
                Some(meta) => message.with_meta(meta),
                None => message,
            })
        })
    }

    /// One of the words of a closed set.
    pub(super) fn word<T: Copy>(
        self,
        field: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, EventError> {
        let Some(text) = self.some_text(field)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        found.map(Some).ok_or_else(|| self.fault(field, "a word that this version knows"))
    }

    pub(super) fn must<T>(self, field: &'static str, value: Option<T>) -> Result<T, EventError> {
        value.ok_or_else(|| self.fault(field, "there"))
    }
}

/// A part of a parsed value as a value of its own.
fn part(value: &Value) -> Option<JsonValue> {
    JsonValue::copy_of(value).ok()
}
