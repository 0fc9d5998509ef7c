//! [`ValueSchema`]: one authored value node.

use std::fmt;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::json::{JsonValue, RawJson, copy};
use crate::schema::{CompiledSchema, SchemaType};

use super::AuthorFault;
use super::translate;

/// Whether an object accepts keys that it does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Openness {
    /// It does.
    Open,
    /// It does not.
    Closed,
}

/// An authored schema of one value, kept as its author-form JSON.
///
/// Builders accept anything; mistakes are reported by [`compile`](Self::compile). A schema that was read with
/// [`from_json`](Self::from_json) or `Deserialize` has been asserted already.
#[derive(Clone, PartialEq)]
pub struct ValueSchema(RawJson);

impl ValueSchema {
    fn typed(name: &str) -> Self {
        let mut members = Map::new();
        members.insert("type".to_owned(), Value::from(name));
        Self(RawJson::from(Value::Object(members)))
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        if let Value::Object(members) = self.0.as_value_mut() {
            // What is replaced may be deep: its owner drops it.
            drop(members.insert(key.to_owned(), value).map(RawJson::from));
        }
        self
    }

    /// Any text.
    #[must_use]
    pub fn string() -> Self {
        Self::typed(SchemaType::String.as_str())
    }

    /// Any lossless number.
    #[must_use]
    pub fn number() -> Self {
        Self::typed(SchemaType::Number.as_str())
    }

    /// Any number without a fraction.
    #[must_use]
    pub fn integer() -> Self {
        Self::typed(SchemaType::Integer.as_str())
    }

    /// `true` or `false`.
    #[must_use]
    pub fn boolean() -> Self {
        Self::typed(SchemaType::Boolean.as_str())
    }

    /// `null`.
    #[must_use]
    pub fn null() -> Self {
        Self::typed(SchemaType::Null.as_str())
    }

    /// A list whose items all match.
    #[must_use]
    pub fn array(items: Self) -> Self {
        Self::any_array().with("items", items.into_author_form())
    }

    /// A list of anything.
    #[must_use]
    pub fn any_array() -> Self {
        Self::typed(SchemaType::Array.as_str())
    }

    /// An object. Whether it is open is the author's decision, so there is no default.
    #[must_use]
    pub fn object(openness: Openness) -> Self {
        let open = openness == Openness::Open;
        Self::typed(SchemaType::Object.as_str()).with("additionalProperties", Value::Bool(open))
    }

    /// Any JSON value.
    #[must_use]
    pub fn json() -> Self {
        Self::typed("json")
    }

    /// Exactly one of at least two branches.
    #[must_use]
    pub fn one_of(branches: impl IntoIterator<Item = Self>) -> Self {
        let branches = branches.into_iter().map(Self::into_author_form).collect();
        let mut members = Map::new();
        members.insert("oneOf".to_owned(), Value::Array(branches));
        Self(RawJson::from(Value::Object(members)))
    }

    /// Text for the reader of the schema.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.with("description", Value::String(text.into()))
    }

    /// A short name for the reader of the schema.
    #[must_use]
    pub fn title(self, text: impl Into<String>) -> Self {
        self.with("title", Value::String(text.into()))
    }

    /// The value that the reader may assume when there is none. It is an annotation; nothing applies it.
    #[must_use]
    pub fn default(self, value: impl Into<JsonValue>) -> Self {
        self.with("default", copy(&value.into()).take())
    }

    /// Example values for the reader of the schema, usually a list.
    #[must_use]
    pub fn examples(self, values: impl Into<JsonValue>) -> Self {
        self.with("examples", copy(&values.into()).take())
    }

    /// Limits a scalar to the given values (`enum`).
    #[must_use]
    pub fn one_of_values<V: Into<JsonValue>>(self, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(|value| copy(&value.into()).take()).collect();
        self.with("enum", Value::Array(values))
    }

    /// Limits a scalar to one value (`const`).
    #[must_use]
    pub fn constant(self, value: impl Into<JsonValue>) -> Self {
        self.with("const", copy(&value.into()).take())
    }

    /// Declares a property of an object, which may be absent.
    #[must_use]
    pub fn property(mut self, name: impl Into<String>, schema: Self) -> Self {
        if let Value::Object(members) = self.0.as_value_mut() {
            declare(members.entry("properties").or_insert_with(empty_map), name.into(), schema);
        }
        self
    }

    /// Declares a property of an object, which must be present.
    #[must_use]
    pub fn required_property(self, name: impl Into<String>, schema: Self) -> Self {
        self.property(name, schema.required())
    }

    /// Reads author-form JSON.
    ///
    /// # Errors
    /// The first fault, as [`compile`](Self::compile) would report it.
    pub fn from_json(author: &Value) -> Result<Self, AuthorFault> {
        translate::translate_value(author)?;
        Ok(Self(copy(author)))
    }

    /// The author-form JSON.
    #[must_use]
    pub fn author_form(&self) -> &Value {
        self.0.as_value()
    }

    /// Translates to a raw schema of the enforced subset.
    ///
    /// # Errors
    /// The first fault.
    pub fn to_json_schema(&self) -> Result<JsonValue, AuthorFault> {
        translate::translate_value(&self.0)
    }

    /// Translates and compiles.
    ///
    /// # Errors
    /// The first fault.
    pub fn compile(&self) -> Result<CompiledSchema, AuthorFault> {
        translate::compile(self.to_json_schema()?)
    }

    pub(super) fn required(self) -> Self {
        self.with("required", Value::Bool(true))
    }

    pub(super) fn into_author_form(mut self) -> Value {
        self.0.take()
    }
}

pub(super) fn empty_map() -> Value {
    Value::Object(Map::new())
}

/// Adds a property to a map of properties; a second declaration of a name replaces the first.
pub(super) fn declare(map: &mut Value, name: String, schema: ValueSchema) {
    if let Value::Object(properties) = map {
        // The replaced declaration may be deep: its owner drops it.
        drop(properties.insert(name, schema.into_author_form()).map(RawJson::from));
    }
}

impl<'de> Deserialize<'de> for ValueSchema {
    /// Reads author-form JSON of at most 128 levels; fails with the first fault.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let author = JsonValue::deserialize(deserializer)?;
        Self::from_json(&author).map_err(serde::de::Error::custom)
    }
}

/// The author-form JSON.
impl fmt::Debug for ValueSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ValueSchema").field(&self.0).finish()
    }
}
