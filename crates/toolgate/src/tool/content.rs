//! What the model reads: content blocks, and the user messages that a call may leave for the next step.

use std::fmt;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::JsonValue;

/// One block of a result as the model reads it.
///
/// A block of more than 128 levels cannot be written through serde; `ToolExecutionResult::to_record_text` writes any.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text itself.
        text: String,
    },
    /// An image, carried inline.
    Image {
        /// The bytes, in base64.
        data: String,
        /// The media type, such as `image/png`.
        mime_type: String,
    },
    /// Any other block, made by [`from_json`](Self::from_json). It is carried unchanged.
    Other(OtherBlock),
}

/// A block that this library has no name for: a JSON object with a textual `type`.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherBlock(JsonValue);

impl OtherBlock {
    /// The whole block.
    #[must_use]
    pub fn json(&self) -> &JsonValue {
        &self.0
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }
}

/// Why a JSON value is not a content block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a content block is a JSON object whose `type` is a text")]
pub struct ContentBlockError;

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// An image block from base64 data and its media type.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image { data: data.into(), mime_type: mime_type.into() }
    }

    /// Reads a block from its JSON form. Fields that this library has no name for are kept.
    ///
    /// # Errors
    /// [`ContentBlockError`] where the value is not an object with a textual `type`.
    pub fn from_json(value: &JsonValue) -> Result<Self, ContentBlockError> {
        let object = value.as_value().as_object().ok_or(ContentBlockError)?;
        let kind = object.get("type").and_then(Value::as_str).ok_or(ContentBlockError)?;
        let field = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let known = match (kind, object.len()) {
            ("text", 2) => field("text").map(|text| Self::Text { text }),
            ("image", 3) => {
                field("data").zip(field("mimeType")).map(|(data, mime_type)| Self::Image { data, mime_type })
            }
            _ => None,
        };
        Ok(known.unwrap_or_else(|| Self::Other(OtherBlock(value.clone()))))
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Other(block) if self.kind() == "text" => block.field("text"),
            Self::Image { .. } | Self::Other(_) => None,
        }
    }

    /// The block's `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Text { .. } => "text",
            Self::Image { .. } => "image",
            Self::Other(block) => block.field("type").unwrap_or_default(),
        }
    }

    /// Whether the block is an image, in whatever form it came.
    #[must_use]
    pub fn is_image(&self) -> bool {
        self.kind() == "image"
    }
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text { text } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
                map.end()
            }
            Self::Image { data, mime_type } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("type", "image")?;
                map.serialize_entry("data", data)?;
                map.serialize_entry("mimeType", mime_type)?;
                map.end()
            }
            Self::Other(block) => block.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = JsonValue::deserialize(deserializer)?;
        Self::from_json(&value).map_err(serde::de::Error::custom)
    }
}

/// A message that a call leaves for the next model request (rule P15): an instruction or context of a plugin.
///
/// Cheap to clone. A message keeps its source and metadata on its way through composites.
#[derive(Clone, PartialEq)]
pub struct UserMessage(Arc<UserMessageParts>);

#[derive(PartialEq)]
struct UserMessageParts {
    source: String,
    content: Vec<ContentBlock>,
    meta: Option<JsonValue>,
}

impl UserMessage {
    /// A message of `source`, the plugin that speaks.
    pub fn new(source: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self(Arc::new(UserMessageParts { source: source.into(), content, meta: None }))
    }

    /// A message with one text block.
    pub fn text(source: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(source, vec![ContentBlock::text(text)])
    }

    /// The same message with metadata for those who keep the log.
    #[must_use]
    pub fn with_meta(self, meta: JsonValue) -> Self {
        Self(Arc::new(UserMessageParts {
            source: self.0.source.clone(),
            content: self.0.content.clone(),
            meta: Some(meta),
        }))
    }

    /// Who speaks.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// What is said.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        &self.0.content
    }

    /// The metadata, where there is some.
    #[must_use]
    pub fn meta(&self) -> Option<&JsonValue> {
        self.0.meta.as_ref()
    }

    /// Whether both are the same message, not merely equal ones.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for UserMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserMessage")
            .field("source", &self.0.source)
            .field("content", &self.0.content)
            .finish()
    }
}
