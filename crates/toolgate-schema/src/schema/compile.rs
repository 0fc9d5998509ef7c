//! From a checked raw schema to the flat list of nodes.
//!
//! Called by `CompiledSchema::compile` only. It trusts the check that it makes first and judges nothing itself.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::excerpt::Excerpt;
use crate::json::JsonValue;

use super::check::check;
use super::compiled::{Compiled, Limits, Node, NodeId, ObjectNode, Property};
use super::kind::SchemaType;
use super::literal::{Literal, LiteralSet};
use super::violation::UnsupportedSchema;

/// From how many properties on a name is looked up in a map.
const INDEXED: usize = 12;

/// How many allowed values a message lists.
const LISTED: usize = 10;

pub(super) fn compile(raw: JsonValue) -> Result<Compiled, UnsupportedSchema> {
    let violations = check(&raw);
    if !violations.is_empty() {
        return Err(UnsupportedSchema { violations });
    }
    let mut compiler = Compiler { nodes: vec![Node::Any], open: vec![(raw.as_value(), NodeId::ROOT)] };
    while let Some((schema, id)) = compiler.open.pop() {
        let node = compiler.node(schema);
        if let Some(place) = compiler.nodes.get_mut(id.0 as usize) {
            *place = node;
        }
    }
    let nodes = compiler.nodes;
    Ok(Compiled { raw, nodes })
}

struct Compiler<'a> {
    nodes: Vec<Node>,
    /// Schemas that have a place in `nodes` and are not compiled yet.
    open: Vec<(&'a Value, NodeId)>,
}

impl<'a> Compiler<'a> {
    /// Gives a schema its place.
    fn reserve(&mut self, schema: &'a Value) -> NodeId {
        // A schema of four thousand million nodes does not fit into memory.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node::Any);
        self.open.push((schema, id));
        id
    }

    fn node(&mut self, schema: &'a Value) -> Node {
        let Value::Object(members) = schema else { return Node::Any };
        if let Some(Value::Array(branches)) = members.get("oneOf") {
            return Node::OneOf(branches.iter().map(|branch| self.reserve(branch)).collect());
        }
        let kind = members.get("type").and_then(Value::as_str).and_then(SchemaType::named);
        match kind {
            None => Node::Any,
            Some(SchemaType::Object) => Node::Object(Box::new(self.object(members))),
            Some(SchemaType::Array) => Node::Array(members.get("items").map(|items| self.reserve(items))),
            Some(
                scalar @ (SchemaType::String
                | SchemaType::Number
                | SchemaType::Integer
                | SchemaType::Boolean
                | SchemaType::Null),
            ) => Node::Scalar(scalar, limits(members)),
        }
    }

    fn object(&mut self, members: &'a Map<String, Value>) -> ObjectNode {
        let names = members.get("required").and_then(Value::as_array).into_iter().flatten();
        let required_names: Vec<&str> = names.filter_map(Value::as_str).collect();
        let distinct: HashSet<&str> = required_names.iter().copied().collect();
        let declared = members.get("properties").and_then(Value::as_object).into_iter().flatten();
        let properties: Box<[Property]> = declared
            .map(|(name, schema)| Property {
                name: Box::from(name.as_str()),
                node: self.reserve(schema),
                required: distinct.contains(name.as_str()),
            })
            .collect();
        let places: HashMap<Box<str>, usize> =
            properties.iter().enumerate().map(|(place, property)| (property.name.clone(), place)).collect();
        let required = required_names.iter().filter_map(|name| places.get(*name).copied()).collect();
        ObjectNode {
            required,
            required_count: distinct.len(),
            closed: members.get("additionalProperties") == Some(&Value::Bool(false)),
            index: (properties.len() >= INDEXED).then_some(places),
            properties,
        }
    }
}

fn limits(members: &Map<String, Value>) -> Option<Box<Limits>> {
    let values = members.get("enum").and_then(Value::as_array);
    let constant = members.get("const");
    if values.is_none() && constant.is_none() {
        return None;
    }
    Some(Box::new(Limits {
        allowed: values.map(|values| LiteralSet::of(values)),
        constant: constant.and_then(Literal::of),
        allowed_text: values.map(|values| listed(values)).unwrap_or_default().into(),
        constant_text: constant.map(shown).unwrap_or_default().into(),
    }))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", Excerpt::name(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

fn listed(values: &[Value]) -> String {
    let mut texts: Vec<String> = values.iter().take(LISTED).map(shown).collect();
    let more = values.len().saturating_sub(LISTED);
    if more > 0 {
        texts.push(format!("or one of {more} more"));
    }
    texts.join(", ")
}
