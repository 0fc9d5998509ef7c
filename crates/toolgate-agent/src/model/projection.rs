//! The parameters of a tool as providers take them, and what they cannot say (case K32).
//!
//! Providers want an object at the root and no alternatives beside it. The tool itself still checks the whole schema;
//! what a model is not told as a schema it is told in words, and whoever runs the agent gets the list.

use serde_json::{Map, Value, json};
use toolgate::ToolSchema;

/// Keywords that providers refuse at the root.
const REFUSED_AT_ROOT: [&str; 9] = ["oneOf", "anyOf", "allOf", "not", "enum", "const", "if", "then", "else"];

/// A tool as a provider is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// What the tool does, and in words what its parameters cannot say.
    pub description: String,
    /// A JSON Schema with an object at its root.
    pub parameters: Value,
    /// What the schema lost.
    pub losses: Vec<String>,
}

/// Something that a schema says and a provider is not told as a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaLoss {
    /// The tool.
    pub tool: String,
    /// What is lost, in words, such as `` `anyOf` at the root is told in words ``.
    pub what: String,
}

/// What the schemas of some tools lose.
#[must_use]
pub fn losses(tools: &[ToolSchema]) -> Vec<SchemaLoss> {
    let of_tool = |tool: &ToolSchema| {
        let name = tool.name.clone();
        project(tool).losses.into_iter().map(move |what| SchemaLoss { tool: name.clone(), what })
    };
    tools.iter().flat_map(of_tool).collect()
}

/// Makes of a tool what every provider takes.
#[must_use]
pub fn project(tool: &ToolSchema) -> Projection {
    let mut description = tool.description.clone();
    let mut losses = Vec::new();
    let Ok(Value::Object(whole)) = serde_json::from_str::<Value>(&tool.parameters.to_text()) else {
        losses.push("its parameters are no schema object, or too deep for a provider".to_owned());
        return Projection { description, parameters: json!({ "type": "object" }), losses };
    };
    let mut root = resolved_root(whole, &mut losses);
    let refused: Map<String, Value> = REFUSED_AT_ROOT
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), root.shift_remove(*key)?)))
        .collect();
    for alternatives in ["oneOf", "anyOf", "allOf"].iter().filter_map(|key| refused.get(*key)?.as_array()) {
        for branch in alternatives {
            adopt_properties(&mut root, branch);
        }
    }
    if !refused.is_empty() {
        let keys: Vec<String> = refused.keys().map(|key| format!("`{key}`")).collect();
        losses.push(format!("{} at the root is told in words", keys.join(", ")));
        let rule = Value::Object(refused);
        description.push_str(&format!("\n\nThe arguments must also match this JSON Schema: {rule}"));
    }
    match root.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => drop(root.insert("type".to_owned(), json!("object"))),
        Some(other) => {
            losses.push(format!("the type {other} of the root is told as `object`"));
            root.insert("type".to_owned(), json!("object"));
        }
    }
    if !root.contains_key("properties") {
        root.insert("properties".to_owned(), json!({}));
    }
    Projection { description, parameters: Value::Object(root), losses }
}

/// A root that only refers to one of its own definitions, as that definition.
fn resolved_root(mut root: Map<String, Value>, losses: &mut Vec<String>) -> Map<String, Value> {
    // A definition may be another reference; a circle ends with the number of definitions.
    for _ in 0..16 {
        let Some(Value::String(reference)) = root.get("$ref") else { return root };
        let found = reference.strip_prefix('#').map(|pointer| pointer.to_owned());
        let target = found.and_then(|pointer| Value::Object(root.clone()).pointer(&pointer).cloned());
        let Some(Value::Object(target)) = target else { break };
        let reference = root.shift_remove("$ref");
        if Some(&Value::Object(target.clone())) == reference.as_ref() {
            break;
        }
        for (key, value) in target {
            root.entry(key).or_insert(value);
        }
    }
    if let Some(reference) = root.shift_remove("$ref") {
        losses.push(format!("the reference {reference} at the root cannot be resolved"));
    }
    root
}

/// Properties that only a branch has are told as properties that may be absent.
fn adopt_properties(root: &mut Map<String, Value>, branch: &Value) {
    let Some(found) = branch.get("properties").and_then(Value::as_object) else { return };
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        for (name, schema) in found {
            properties.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
}
