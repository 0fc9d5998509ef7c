//! [`ParameterSchema`]: the authored parameters of a tool.

use std::fmt;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::json::{JsonValue, RawJson, copy};
use crate::schema::CompiledSchema;

use super::value::{declare, empty_map};
use super::{AuthorFault, ValueSchema, translate};

/// The parameters of a tool: an implicit open object, kept as a map of author-form nodes.
///
/// Builders accept anything; mistakes are reported by [`compile`](Self::compile). A map that was read with
/// [`from_json`](Self::from_json) or `Deserialize` has been asserted already.
#[derive(Clone, PartialEq)]
pub struct ParameterSchema(RawJson);

impl ParameterSchema {
    /// No parameters yet.
    #[must_use]
    pub fn new() -> Self {
        Self(RawJson::from(empty_map()))
    }

    /// Adds a parameter that must be present.
    #[must_use]
    pub fn required(self, name: impl Into<String>, schema: ValueSchema) -> Self {
        self.optional(name, schema.required())
    }

    /// Adds a parameter that may be absent.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, schema: ValueSchema) -> Self {
        declare(self.0.as_value_mut(), name.into(), schema);
        self
    }

    /// Reads an author-form parameter map.
    ///
    /// # Errors
    /// The first fault, as [`compile`](Self::compile) would report it.
    pub fn from_json(author: &Value) -> Result<Self, AuthorFault> {
        translate::translate_parameters(author)?;
        Ok(Self(copy(author)))
    }

    /// The author-form parameter map.
    #[must_use]
    pub fn author_form(&self) -> &Value {
        self.0.as_value()
    }

    /// Translates to a raw object schema of the enforced subset.
    ///
    /// # Errors
    /// The first fault.
    pub fn to_json_schema(&self) -> Result<JsonValue, AuthorFault> {
        translate::translate_parameters(&self.0)
    }

    /// Translates and compiles.
    ///
    /// # Errors
    /// The first fault.
    pub fn compile(&self) -> Result<CompiledSchema, AuthorFault> {
        translate::compile(self.to_json_schema()?)
    }
}

impl Default for ParameterSchema {
    fn default() -> Self {
        Self::new()
    }
}

impl<'de> Deserialize<'de> for ParameterSchema {
    /// Reads an author-form map of at most 128 levels; fails with the first fault.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let author = JsonValue::deserialize(deserializer)?;
        Self::from_json(&author).map_err(serde::de::Error::custom)
    }
}

/// The author-form parameter map.
impl fmt::Debug for ParameterSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParameterSchema").field(&self.0).finish()
    }
}
