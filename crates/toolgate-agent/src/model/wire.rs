//! What all adapters say in the same way: the ids of calls, the text of content, and who speaks.

use std::collections::HashMap;

use serde_json::Value;
use toolgate::{CallId, ContentBlock, text};

/// The ids of calls in one request: `call_1`, `call_2`, … in the order of the conversation.
///
/// Ids of models repeat themselves, and ids of a log are longer than some providers take.
#[derive(Debug, Default)]
pub(super) struct CallNumbers(HashMap<CallId, String>);

impl CallNumbers {
    /// The id of a call that is asked for here.
    pub(super) fn give(&mut self, call: &CallId) -> String {
        let next = self.0.len() + 1;
        self.0.entry(call.clone()).or_insert_with(|| format!("call_{next}")).clone()
    }

    /// The id of a call that was asked for before.
    pub(super) fn id(&self, call: &CallId) -> String {
        self.0.get(call).cloned().unwrap_or_else(|| "call_0".to_owned())
    }
}

/// The texts of some content. A block that is neither text nor picture is told as the JSON that it is.
pub(super) fn joined_text(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match (block.as_text(), block) {
        (Some(text), _) => Some(text.to_owned()),
        (None, ContentBlock::Other(other)) => Some(other.json().to_text()),
        (None, ContentBlock::Text { .. } | ContentBlock::Image { .. }) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// A text with the plugin that says it, so that the model does not take it for the person's.
pub(super) fn plugin_text(source: Option<&str>, said: &str) -> String {
    match source {
        None => said.to_owned(),
        Some(source) => {
            let source = text::Line(source).to_string().replace(['"', '<', '>'], "_");
            format!("<context source=\"{source}\">\n{said}\n</context>")
        }
    }
}

/// An object with one more member, where there is a value for it.
pub(super) fn with(mut object: Value, key: &str, value: Option<Value>) -> Value {
    if let (Some(members), Some(value)) = (object.as_object_mut(), value) {
        members.insert(key.to_owned(), value);
    }
    object
}

/// A list; none where it is empty.
pub(super) fn some_list(items: impl IntoIterator<Item = Value>) -> Option<Value> {
    let items: Vec<Value> = items.into_iter().collect();
    (!items.is_empty()).then_some(Value::Array(items))
}
