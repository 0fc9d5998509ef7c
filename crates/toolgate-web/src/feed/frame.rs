//! [`Frame`]: one server-sent event, made once for all browsers.

use axum::body::Bytes;
use maud::Markup;
use serde_json::{Value, json};

/// An event as it is sent. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The last record that it tells of; none for what is in no log. A browser that comes back names the last one that it
    /// has seen.
    pub(crate) seq: Option<u64>,
    pub(crate) bytes: Bytes,
}

impl Frame {
    /// An event that is in no log.
    pub(crate) fn passing(name: &str, data: &Value) -> Self {
        // The text of JSON has no line breaks.
        Self { seq: None, bytes: format!("event: {name}\ndata: {data}\n\n").into() }
    }

    /// What records did to the page.
    pub(crate) fn changes(seq: u64, changes: Vec<Value>) -> Self {
        let data = Value::Array(changes);
        Self { seq: Some(seq), bytes: format!("id: {seq}\nevent: entries\ndata: {data}\n\n").into() }
    }

    /// Too much happened: the page has to be loaded again.
    pub(crate) fn reload(seq: u64) -> Self {
        Self { seq: Some(seq), bytes: format!("id: {seq}\nevent: reload\ndata: {{}}\n\n").into() }
    }

    /// Nothing, so that a connection that is gone is noticed.
    pub(crate) fn heartbeat() -> Self {
        Self { seq: None, bytes: Bytes::from_static(b": still here\n\n") }
    }
}

/// A new element at the end of a list.
pub(crate) fn added(list: &str, id: &str, markup: Markup) -> Value {
    json!({ "in": list, "id": id, "html": markup.into_string() })
}

/// An element in the place of the one with its id.
pub(crate) fn changed(id: &str, markup: Markup) -> Value {
    json!({ "id": id, "html": markup.into_string() })
}
