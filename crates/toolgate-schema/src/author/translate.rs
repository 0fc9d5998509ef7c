//! From asserted author-form JSON to a raw schema of the subset.
//!
//! Called after `assert`, whose guarantees it relies on. A copy of the author form is rewritten in place with an
//! explicit list of the nodes still to be rewritten; annotations and values are left as they are.

use serde_json::{Map, Value};

use crate::json::{JsonValue, RawJson, copy};
use crate::path::Root;
use crate::schema::{CompiledSchema, check_at};

use super::AuthorFault;
use super::assert::{assert_parameters, assert_value};

/// Translates one value node.
pub(super) fn translate_value(author: &Value) -> Result<JsonValue, AuthorFault> {
    assert_value(author)?;
    let mut schema = copy(author);
    rewrite(schema.as_value_mut());
    accepted(schema)
}

/// Translates a parameter map: the implicit open object.
pub(super) fn translate_parameters(author: &Value) -> Result<JsonValue, AuthorFault> {
    assert_parameters(author)?;
    let mut members = Map::new();
    members.insert("type".to_owned(), Value::from("object"));
    members.insert("properties".to_owned(), copy(author).take());
    let mut schema = RawJson::from(Value::Object(members));
    rewrite(schema.as_value_mut());
    accepted(schema)
}

/// Compiles a schema that was translated.
pub(super) fn compile(schema: JsonValue) -> Result<CompiledSchema, AuthorFault> {
    CompiledSchema::compile(schema).map_err(AuthorFault::from)
}

/// Judges what the author language leaves to the subset: literal types and annotations.
fn accepted(schema: RawJson) -> Result<JsonValue, AuthorFault> {
    if let Some(violation) = check_at(&schema, Root::SCHEMA).first() {
        return Err(AuthorFault::from(violation));
    }
    JsonValue::new(schema).map_err(|error| {
        // Not reached: every place of an accepted schema that can hold a number has been searched.
        AuthorFault::new(crate::schema::ViolationKind::AnnotationNotLossless, error.path().to_owned())
    })
}

fn rewrite(root: &mut Value) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let Value::Object(members) = node else { continue };
        if members.get("type").and_then(Value::as_str) == Some("json") {
            members.shift_remove("type");
        }
        if let Some(Value::Object(properties)) = members.get_mut("properties") {
            let required = take_required(properties);
            if !required.is_empty() {
                members.insert("required".to_owned(), Value::Array(required));
            }
        }
        for (key, value) in members {
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => open.extend(properties.values_mut()),
                ("oneOf", Value::Array(branches)) => open.extend(branches),
                ("items", items) => open.push(items),
                _ => {}
            }
        }
    }
}

/// Takes `required` out of the properties, and returns the names that had it.
fn take_required(properties: &mut Map<String, Value>) -> Vec<Value> {
    let mut required = Vec::new();
    for (name, property) in properties {
        if let Value::Object(members) = property
            && members.shift_remove("required").is_some()
        {
            required.push(Value::String(name.clone()));
        }
    }
    required
}
