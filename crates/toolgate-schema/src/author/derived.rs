//! Schemas of Rust types (rule S5): from the compile-time nodes to raw schemas of the subset.
//!
//! Called when a typed tool is registered, once per tool.

use serde_json::{Map, Value};

use crate::json::{JsonValue, RawJson};
use crate::node::{Node, NodeKind, Property, Schema};
use crate::schema::{CompiledSchema, ViolationKind};

use super::{AuthorFault, translate};

/// The compiled schema of a type, as an output schema or a part of one.
///
/// # Errors
/// When a hand-written [`Schema`] implementation breaks a rule of the subset; a derived one does not.
pub fn value_schema_of<T: Schema + ?Sized>() -> Result<CompiledSchema, AuthorFault> {
    translate::compile(T::NODE.to_json_schema())
}

/// The compiled schema of a type, as the parameters of a tool.
///
/// The root is open without saying so, as an authored parameter map is, unless the type denies unknown fields.
///
/// # Errors
/// [`ViolationKind::RootNotObject`] when the type is not an object; otherwise as [`value_schema_of`].
pub fn parameter_schema_of<T: Schema + ?Sized>() -> Result<CompiledSchema, AuthorFault> {
    match T::NODE.kind {
        NodeKind::Object { .. } => translate::compile(json_schema(T::NODE, Root::Parameters)),
        NodeKind::String { .. }
        | NodeKind::Literal(_)
        | NodeKind::Number
        | NodeKind::Integer
        | NodeKind::Boolean
        | NodeKind::Null
        | NodeKind::Array(_)
        | NodeKind::Json
        | NodeKind::OneOf(_) => {
            Err(AuthorFault::new(ViolationKind::RootNotObject, String::from("schema.type")))
        }
    }
}

impl Node {
    /// The node as a raw schema of the enforced subset. Objects always say whether they are open.
    #[must_use]
    pub fn to_json_schema(&self) -> JsonValue {
        json_schema(self, Root::Value)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Value,
    Parameters,
}

/// A node and the place in the schema where its JSON goes.
struct Open<'n, 'v> {
    node: &'n Node,
    /// Description given by the property, which replaces that of the node.
    description: Option<&'static str>,
    place: &'v mut Value,
}

fn json_schema(root_node: &Node, root: Root) -> JsonValue {
    let mut schema = RawJson::default();
    let mut open = vec![Open { node: root_node, description: None, place: schema.as_value_mut() }];
    let mut implicit = root == Root::Parameters;
    while let Some(next) = open.pop() {
        let members = members_of(&next, implicit);
        implicit = false;
        *next.place = Value::Object(members);
        if let Value::Object(members) = next.place {
            open_children(next.node, members, &mut open);
        }
    }
    JsonValue::of_lossless(schema.take())
}

/// The keywords of a node, with null in the places of its children.
fn members_of(open: &Open<'_, '_>, implicit: bool) -> Map<String, Value> {
    let mut members = Map::new();
    let mut set = |key: &str, value: Value| {
        members.insert(key.to_owned(), value);
    };
    match open.node.kind {
        NodeKind::String { values } => {
            set("type", Value::from("string"));
            if let Some(values) = values {
                set("enum", Value::from(values.to_vec()));
            }
        }
        NodeKind::Literal(text) => {
            set("type", Value::from("string"));
            set("const", Value::from(text));
        }
        NodeKind::Number => set("type", Value::from("number")),
        NodeKind::Integer => set("type", Value::from("integer")),
        NodeKind::Boolean => set("type", Value::from("boolean")),
        NodeKind::Null => set("type", Value::from("null")),
        NodeKind::Array(_) => {
            set("type", Value::from("array"));
            set("items", Value::Null);
        }
        NodeKind::Object { properties, additional_properties } => {
            set("type", Value::from("object"));
            if !(implicit && additional_properties) {
                set("additionalProperties", Value::Bool(additional_properties));
            }
            let declared = properties.iter().map(|property| (property.name.to_owned(), Value::Null));
            set("properties", Value::Object(declared.collect()));
            let required = properties.iter().filter(|property| property.required);
            let required: Vec<&str> = required.map(|property| property.name).collect();
            if !required.is_empty() {
                set("required", Value::from(required));
            }
        }
        NodeKind::Json => {}
        NodeKind::OneOf(branches) => set("oneOf", Value::Array(vec![Value::Null; branches.len()])),
    }
    if let Some(title) = open.node.title {
        set("title", Value::from(title));
    }
    if let Some(description) = open.description.or(open.node.description) {
        set("description", Value::from(description));
    }
    members
}

/// Opens the places that `members_of` left for the children of a node.
fn open_children<'n, 'v>(node: &'n Node, members: &'v mut Map<String, Value>, open: &mut Vec<Open<'n, 'v>>) {
    match node.kind {
        NodeKind::Array(item) => {
            if let Some(place) = members.get_mut("items") {
                open.push(Open { node: item, description: None, place });
            }
        }
        NodeKind::Object { properties, .. } => {
            let Some(Value::Object(declared)) = members.get_mut("properties") else { return };
            for (name, place) in declared {
                if let Some(property) = declaration(properties, name) {
                    open.push(Open { node: property.node, description: property.description, place });
                }
            }
        }
        NodeKind::OneOf(branches) => {
            let Some(Value::Array(places)) = members.get_mut("oneOf") else { return };
            for (node, place) in branches.iter().zip(places) {
                open.push(Open { node, description: None, place });
            }
        }
        NodeKind::String { .. }
        | NodeKind::Literal(_)
        | NodeKind::Number
        | NodeKind::Integer
        | NodeKind::Boolean
        | NodeKind::Null
        | NodeKind::Json => {}
    }
}

/// The last declaration of a name.
fn declaration(properties: &'static [Property], name: &str) -> Option<&'static Property> {
    properties.iter().rfind(|property| property.name == name)
}
