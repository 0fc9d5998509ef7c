//! Reads one schema node after the other: its comment, its parts, and what of it no type says.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};
use toolgate::JsonValue;

use super::combine::Part;
use super::keywords::is_untyped;
use super::{DEPTH, DESCRIPTION_BYTES, Definition, Kind, Model, SCHEMA_NODES, Shape, Union};
use crate::docs::{SCHEMA_BYTES, shortened, visible};
use crate::losses::LossReason;
use crate::pointer::Pointer;

pub(super) struct Reader<'a> {
    pub(super) document: &'a Value,
    losses: Vec<(Pointer, LossReason)>,
    nodes_left: usize,
    description_bytes_left: usize,
    is_too_large: bool,
    definitions: HashMap<String, usize>,
    found: Vec<(Pointer, &'a str, &'a Value)>,
    /// The references whose targets are being read in place.
    pub(super) inlined: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn read(document: &'a Value) -> Model<'a> {
        let mut reader = Self {
            document,
            losses: Vec::new(),
            nodes_left: SCHEMA_NODES,
            description_bytes_left: DESCRIPTION_BYTES,
            is_too_large: false,
            definitions: HashMap::new(),
            found: Vec::new(),
            inlined: Vec::new(),
        };
        let root = reader.node(document, &Pointer::default(), 0);
        // Reading a definition may find further ones. Each starts at level 0, so references do not add up.
        let mut definitions = VecDeque::new();
        while let Some((at, hint, schema)) = reader.found.get(definitions.len()).cloned() {
            let shape = reader.node(schema, &at, 0);
            definitions.push_back(Definition { hint, shape });
        }
        Model { root, definitions: definitions.into(), losses: reader.losses }
    }

    /// Reads a node.
    pub(super) fn node(&mut self, schema: &'a Value, at: &Pointer, depth: usize) -> Shape<'a> {
        if depth > DEPTH {
            // `true` and `{}` lose nothing.
            if !is_open(schema) {
                self.lose(at, LossReason::TooDeep);
            }
            return Shape::new(at, Kind::Any);
        }
        if !self.spend(1, at) {
            return Shape::new(at, Kind::Any);
        }
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => return Shape::new(at, Kind::Never),
            Value::Bool(true) => return Shape::new(at, Kind::Any),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                self.lose(at, LossReason::NotASchema);
                return Shape::new(at, Kind::Any);
            }
        };
        let notes = self.untyped(members, at);
        let kind = self.kind(members, at, depth);
        let description = self.description(members, at);
        Shape { at: at.clone(), kind, description, notes }
    }

    fn kind(&mut self, members: &'a Map<String, Value>, at: &Pointer, depth: usize) -> Kind<'a> {
        let mut parts: Vec<Part<'a>> = Vec::new();
        if let Some(kind) = self.own(members, at, depth) {
            parts.push(Part { keyword: "type", at: at.clone(), kind });
        }
        if let Some(target) = members.get("$ref") {
            let at = at.key("$ref");
            let kind = self.reference(target, &at);
            parts.push(Part { keyword: "$ref", at, kind });
        }
        if let Some(branches) = self.branches(members, "allOf", at) {
            let list = at.key("allOf");
            for (index, branch) in branches.iter().enumerate() {
                let at = list.index(index);
                let kind = self.node(branch, &at, depth + 1).kind;
                parts.push(Part { keyword: "allOf", at, kind });
            }
        }
        for (keyword, exclusive) in [("oneOf", true), ("anyOf", false)] {
            if let Some(branches) = self.branches(members, keyword, at) {
                let at = at.key(keyword);
                let kind = self.union(branches, exclusive, &at, depth);
                parts.push(Part { keyword, at, kind });
            }
        }
        self.combine(parts, depth)
    }

    /// The branches of a keyword, where it is a list that there is room for.
    fn branches(
        &mut self,
        members: &'a Map<String, Value>,
        keyword: &'static str,
        at: &Pointer,
    ) -> Option<&'a [Value]> {
        match members.get(keyword)? {
            Value::Array(branches) if !branches.is_empty() => {
                self.has_room(branches.len(), &at.key(keyword)).then_some(branches)
            }
            Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => {
                self.lose(&at.key(keyword), LossReason::Malformed(keyword.to_owned()));
                None
            }
        }
    }

    fn union(&mut self, branches: &'a [Value], exclusive: bool, at: &Pointer, depth: usize) -> Kind<'a> {
        let mut shapes = Vec::with_capacity(branches.len());
        for (index, branch) in branches.iter().enumerate() {
            let shape = self.node(branch, &at.index(index), depth + 1);
            if !matches!(shape.kind, Kind::Never) {
                shapes.push(shape);
            }
        }
        let is_alone = shapes.len() < 2;
        if shapes.iter().any(|shape| shape.kind.is_any()) {
            if exclusive && !is_alone {
                self.lose(at, LossReason::Overlap);
            }
            return Kind::Any;
        }
        if is_alone {
            return shapes.pop().map_or(Kind::Never, |shape| shape.kind);
        }
        Kind::Union(Union { branches: shapes, exclusive: exclusive.then(|| at.clone()) })
    }

    /// A reference inside the document becomes a definition.
    fn reference(&mut self, target: &'a Value, at: &Pointer) -> Kind<'a> {
        let Some((text, hint, schema)) = self.target(target) else {
            self.lose(at, LossReason::Reference);
            return Kind::Any;
        };
        let next = self.found.len();
        let index = *self.definitions.entry(text.to_owned()).or_insert(next);
        if index == next {
            self.found.push((Pointer::from_text(text), hint, schema));
        }
        Kind::Named(index)
    }

    /// What a reference leads to: its pointer, the last word of that, and the schema.
    fn target(&self, target: &'a Value) -> Option<(&'a str, &'a str, &'a Value)> {
        let pointer = target.as_str()?.strip_prefix('#')?;
        let schema = self.document.pointer(pointer)?;
        let hint = pointer.rsplit('/').next().unwrap_or_default();
        Some((pointer, hint, schema))
    }

    /// Reads the target of a definition in place, where its members are needed. `None` while that is being done.
    pub(super) fn inline(&mut self, index: usize, depth: usize) -> Option<Kind<'a>> {
        let (at, _, schema) = self.found.get(index).cloned()?;
        let text = at.text();
        if self.inlined.contains(&text) {
            return None;
        }
        self.inlined.push(text);
        let kind = self.node(schema, &at, depth + 1).kind;
        self.inlined.pop();
        Some(kind)
    }

    /// Lists the keywords that no type says; those with short values are noted for the comment.
    fn untyped(&mut self, members: &'a Map<String, Value>, at: &Pointer) -> Vec<String> {
        /// Of a note's value, in bytes.
        const MOST: usize = 80;
        let mut notes = Vec::new();
        for (keyword, value) in members {
            let is_default = keyword == "default";
            if !is_default {
                let is_said = keyword == "minItems" && super::members::is_tuple(members);
                if !is_untyped(keyword) || is_said {
                    continue;
                }
                self.lose(&at.key(keyword), LossReason::Keyword(keyword.clone()));
            }
            let is_scalar = !value.is_array() && !value.is_object();
            if is_scalar && self.spend_description(keyword.len() + MOST.min(value_len(value))) {
                let value = JsonValue::new(value.clone()).unwrap_or_default().to_text();
                notes.push(format!("{keyword}: {}", visible(&shortened(&value, MOST))));
            }
        }
        notes
    }

    fn description(&mut self, members: &'a Map<String, Value>, at: &Pointer) -> Option<&'a str> {
        let keyword = if members.contains_key("description") { "description" } else { "title" };
        let text = members.get(keyword)?.as_str().filter(|text| !text.trim().is_empty())?;
        if self.spend_description(text.len().min(SCHEMA_BYTES)) {
            return Some(text);
        }
        self.lose(&at.key(keyword), LossReason::DescriptionLeftOut);
        None
    }

    fn spend_description(&mut self, bytes: usize) -> bool {
        let left = self.description_bytes_left.checked_sub(bytes);
        self.description_bytes_left = left.unwrap_or(self.description_bytes_left);
        left.is_some()
    }

    pub(super) fn lose(&mut self, at: &Pointer, reason: LossReason) {
        self.losses.push((at.clone(), reason));
    }

    /// Whether so many nodes can still be declared. Where they cannot, the first such place is reported.
    pub(super) fn has_room(&mut self, nodes: usize, at: &Pointer) -> bool {
        let has_room = nodes <= self.nodes_left;
        if !has_room && !self.is_too_large {
            self.is_too_large = true;
            self.lose(at, LossReason::TooLarge);
        }
        has_room
    }

    /// Takes so many nodes, if there are as many left.
    pub(super) fn spend(&mut self, nodes: usize, at: &Pointer) -> bool {
        let has_room = self.has_room(nodes, at);
        if has_room {
            self.nodes_left -= nodes;
        }
        has_room
    }
}

/// Whether a schema accepts everything.
fn is_open(schema: &Value) -> bool {
    schema.as_bool() == Some(true) || schema.as_object().is_some_and(Map::is_empty)
}

fn value_len(value: &Value) -> usize {
    value.as_str().map_or(24, str::len)
}
