//! The seven types a schema can name, and which values belong to each.

use std::fmt;

use serde_json::Value;

use crate::json::{is_integer, is_negative_zero};

/// A type that the `type` keyword can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchemaType {
    /// An object.
    Object,
    /// A list.
    Array,
    /// A text.
    String,
    /// A number.
    Number,
    /// A number without a fraction; `1.0` is one.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
}

impl SchemaType {
    /// The name that the `type` keyword uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    /// The type that the `type` keyword names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "object" => Some(Self::Object),
            "array" => Some(Self::Array),
            "string" => Some(Self::String),
            "number" => Some(Self::Number),
            "integer" => Some(Self::Integer),
            "boolean" => Some(Self::Boolean),
            "null" => Some(Self::Null),
            _ => None,
        }
    }

    /// The most general type of a value, for messages.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Whether a value is of this type; a number must also be lossless. Members of containers are not looked at.
    pub(crate) fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Object, Value::Object(_))
            | (Self::Array, Value::Array(_))
            | (Self::String, Value::String(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Null, Value::Null) => true,
            (Self::Number, Value::Number(number)) => !is_negative_zero(number),
            (Self::Integer, Value::Number(number)) => is_integer(number),
            _ => false,
        }
    }

    /// The type with its article, for messages.
    pub(crate) const fn with_article(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Integer => "an integer",
            Self::Boolean => "a boolean",
            Self::Null => "null",
        }
    }
}

impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
