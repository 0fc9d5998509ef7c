//! The part of a node that is said of the members of objects and lists.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::reader::Reader;
use super::{Kind, NAME_BYTES, Object, Property, Shape, Tuple, Undeclared, Union};
use crate::losses::LossReason;
use crate::pointer::Pointer;

/// The most positions of a list that are declared one by one.
const POSITIONS: usize = 8;

/// Whether a list's first items have schemas of their own.
pub(super) fn is_tuple(members: &Map<String, Value>) -> bool {
    positions(members).is_some_and(|(_, items)| !items.is_empty() && items.len() <= POSITIONS)
}

/// The schemas of a list's first items, under their keyword.
fn positions(members: &Map<String, Value>) -> Option<(&'static str, &[Value])> {
    ["prefixItems", "items"]
        .into_iter()
        .find_map(|keyword| Some((keyword, members.get(keyword)?.as_array()?.as_slice())))
}

impl<'a> Reader<'a> {
    pub(super) fn array(&mut self, members: &'a Map<String, Value>, at: &Pointer, depth: usize) -> Kind<'a> {
        let Some((keyword, items)) = positions(members).filter(|(_, items)| !items.is_empty()) else {
            let items = match members.get("items") {
                Some(schema @ (Value::Object(_) | Value::Bool(_))) => {
                    self.node(schema, &at.key("items"), depth + 1)
                }
                Some(Value::Array(_)) | None => Shape::new(&at.key("items"), Kind::Any),
                Some(Value::Null | Value::Number(_) | Value::String(_)) => {
                    let at = at.key("items");
                    self.lose(&at, LossReason::NotASchema);
                    Shape::new(&at, Kind::Any)
                }
            };
            return Kind::Array(Box::new(items));
        };
        let list = at.key(keyword);
        if !self.has_room(items.len(), &list) {
            return Kind::Array(Box::new(Shape::new(&list, Kind::Any)));
        }
        let items: Vec<Shape<'a>> = items
            .iter()
            .enumerate()
            .map(|(index, schema)| self.node(schema, &list.index(index), depth + 1))
            .collect();
        let after = if keyword == "items" { "additionalItems" } else { "items" };
        let rest = match members.get(after) {
            None => Some(Shape::new(&at.key(after), Kind::Any)),
            Some(schema) => Some(self.node(schema, &at.key(after), depth + 1)),
        };
        let rest = rest.filter(|shape| !matches!(shape.kind, Kind::Never));
        if items.len() > POSITIONS {
            self.lose(&list, LossReason::Positions);
            return Kind::Array(Box::new(any_position(items, rest, &list)));
        }
        let least = members.get("minItems").and_then(Value::as_u64).unwrap_or_default();
        let least = usize::try_from(least).unwrap_or(usize::MAX).min(items.len());
        Kind::Tuple(Tuple { items, least, rest: rest.map(Box::new) })
    }

    pub(super) fn object(&mut self, members: &'a Map<String, Value>, at: &Pointer, depth: usize) -> Kind<'a> {
        let open = |undeclared| Kind::Object(Object { properties: Vec::new(), undeclared });
        let required = self.required(members, at);
        let place = at.key("properties");
        let declared = match members.get("properties") {
            Some(Value::Object(declared)) => Some(declared),
            None => None,
            Some(_) => {
                self.lose(&place, LossReason::Malformed("properties".to_owned()));
                None
            }
        };
        let names = declared.into_iter().flat_map(Map::keys).map(String::as_str);
        // Names that are only required are properties too, of any type.
        let is_declared = |name: &str| declared.is_some_and(|declared| declared.contains_key(name));
        let mut seen = HashSet::new();
        let only_required: Vec<&'a str> =
            required.iter().copied().filter(|name| !is_declared(name) && seen.insert(*name)).collect();
        if names.clone().chain(only_required.iter().copied()).any(|name| name.len() > NAME_BYTES) {
            self.lose(&place, LossReason::PropertyName);
            return open(Undeclared::Anything);
        }
        let weight = |name: &str| 1 + name.len() / 16;
        let weights: usize = names.chain(only_required.iter().copied()).map(weight).sum();
        if !self.has_room(weights, &place) {
            return open(Undeclared::Anything);
        }
        let is_required: HashSet<&str> = required.into_iter().collect();
        let mut properties = Vec::new();
        for (name, schema) in declared.into_iter().flatten() {
            // The node itself is counted when it is read.
            self.spend(name.len() / 16, &place);
            let shape = self.node(schema, &place.key(name), depth + 1);
            properties.push(Property { name, required: is_required.contains(name.as_str()), shape });
        }
        for name in only_required {
            self.spend(weight(name), &place);
            properties.push(Property { name, required: true, shape: Shape::new(&place, Kind::Any) });
        }
        Kind::Object(Object { properties, undeclared: self.undeclared(members, at, depth) })
    }

    fn required(&mut self, members: &'a Map<String, Value>, at: &Pointer) -> Vec<&'a str> {
        let Some(required) = members.get("required") else { return Vec::new() };
        match required.as_array() {
            Some(names) if names.iter().all(Value::is_string) => {
                names.iter().filter_map(Value::as_str).collect()
            }
            Some(_) | None => {
                self.lose(&at.key("required"), LossReason::Malformed("required".to_owned()));
                Vec::new()
            }
        }
    }

    fn undeclared(&mut self, members: &'a Map<String, Value>, at: &Pointer, depth: usize) -> Undeclared<'a> {
        // Keys that match a pattern are not undeclared, and no type knows patterns.
        if members.contains_key("patternProperties") {
            return Undeclared::Anything;
        }
        let Some(schema) = members.get("additionalProperties") else { return Undeclared::Anything };
        let shape = self.node(schema, &at.key("additionalProperties"), depth + 1);
        match shape.kind {
            Kind::Any => Undeclared::Anything,
            Kind::Never => Undeclared::Nothing,
            Kind::Null
            | Kind::Boolean
            | Kind::Integer
            | Kind::Number
            | Kind::String
            | Kind::Literals(_)
            | Kind::Array(_)
            | Kind::Tuple(_)
            | Kind::Object(_)
            | Kind::Union(_)
            | Kind::Named(_) => Undeclared::Of(Box::new(shape)),
        }
    }
}

/// One type for all positions of a list.
fn any_position<'a>(items: Vec<Shape<'a>>, rest: Option<Shape<'a>>, at: &Pointer) -> Shape<'a> {
    let mut branches: Vec<Shape<'a>> = items.into_iter().chain(rest).collect();
    if branches.iter().any(|shape| shape.kind.is_any()) {
        return Shape::new(at, Kind::Any);
    }
    match branches.len() {
        0 | 1 => branches.pop().unwrap_or_else(|| Shape::new(at, Kind::Never)),
        _ => Shape::new(at, Kind::Union(Union { branches, exclusive: None })),
    }
}
