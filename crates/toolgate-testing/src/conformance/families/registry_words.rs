//! What a registry case observes, in the words of the format.

use serde_json::{Map, Value, json};
use toolgate::registry::DefinitionProblem;
use toolgate::{
    JsonValue, PresentationError, RegistrationError, RestrictionError, ToolDefinition, ToolSchema, WireError,
};

use super::super::cases::Malformed;
use super::super::script::Site;

impl Site {
    pub(super) fn schemas(&self) -> Vec<ToolSchema> {
        match self {
            Self::Runtime(runtime) => runtime.schemas(),
            Self::Scope(scope) => scope.schemas(),
        }
    }

    pub(super) fn wire_schemas(&self) -> Result<Vec<ToolSchema>, WireError> {
        match self {
            Self::Runtime(runtime) => runtime.wire_schemas(),
            Self::Scope(scope) => scope.wire_schemas(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<ToolDefinition> {
        match self {
            Self::Runtime(runtime) => runtime.get(name),
            Self::Scope(scope) => scope.get(name),
        }
    }
}

pub(super) fn names(schemas: &[ToolSchema]) -> Value {
    schemas.iter().map(|schema| schema.name.as_str()).collect()
}

/// A schema entry, complete.
pub(super) fn entry(schema: &ToolSchema) -> Result<Value, Malformed> {
    let entry = JsonValue::encode(schema).map_err(|error| Malformed::new(error.to_string()))?;
    // What was encoded is never deep, so copying it may recurse.
    Ok(entry.as_value().clone())
}

/// The types of the parameters by name, and which are required.
pub(super) fn shape(parameters: &JsonValue) -> Value {
    let declared = parameters.get("properties").and_then(Value::as_object).into_iter().flatten();
    let types: Map<String, Value> =
        declared.map(|(name, node)| (name.clone(), node.get("type").cloned().unwrap_or_default())).collect();
    let required = parameters.get("required").cloned().unwrap_or_else(|| json!([]));
    json!({ "properties": types, "required": required })
}

/// The kind of the first problem that the format has a word for.
pub(super) fn registration_kind(error: &RegistrationError) -> &'static str {
    match error.problems().first() {
        Some(DefinitionProblem::DuplicateName) => "duplicate-name",
        Some(DefinitionProblem::ReservedName) => "reserved-name",
        Some(DefinitionProblem::InvalidOutputSchema(_)) => "invalid-output-schema",
        Some(DefinitionProblem::InvalidTimeout(_)) => "invalid-timeout",
        Some(DefinitionProblem::InvalidName(_)) => "invalid-name",
        Some(DefinitionProblem::InvalidParameters(_)) => "invalid-parameters",
        Some(DefinitionProblem::Panicked(_)) => "panicked",
        Some(DefinitionProblem::MissingOutputSchema) => "missing-output-schema",
        Some(DefinitionProblem::ScopeClosed) | None => "scope-closed",
    }
}

pub(super) fn restriction_kind(error: &RestrictionError) -> &'static str {
    match error {
        RestrictionError::EmptyFilter => "empty-filter",
        RestrictionError::ReservedName => "reserved-name",
        RestrictionError::UnknownNames(_) | RestrictionError::OwnNames(_) => "unknown-name",
        RestrictionError::ScopeClosed => "scope-closed",
    }
}

pub(super) fn presentation_kind(error: &PresentationError) -> &'static str {
    match error {
        PresentationError::Conflict => "presentation-conflict",
        PresentationError::ScopeClosed => "scope-closed",
    }
}

pub(super) fn wire_kind(error: &WireError) -> &'static str {
    match error {
        WireError::NoCodeRuntime => "no-code-runtime",
        WireError::UnknownLanguage(_) => "unknown-language",
    }
}
