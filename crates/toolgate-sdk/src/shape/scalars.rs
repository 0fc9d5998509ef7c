//! The part of a node that `type`, `enum` and `const` say.

use serde_json::{Map, Value};

use super::keywords::{is_of_arrays, is_of_objects};
use super::reader::Reader;
use super::{Kind, Literal, Object, Shape, Undeclared, Union};
use crate::losses::LossReason;
use crate::pointer::Pointer;

/// The most values that are listed.
const VALUES: usize = 256;

/// The most bytes of text that they may have together.
const VALUE_BYTES: usize = 8 * 1024;

/// The names of types, in the order of the specification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    fn named(name: &str) -> Option<Self> {
        match name {
            "null" => Some(Self::Null),
            "boolean" => Some(Self::Boolean),
            "integer" => Some(Self::Integer),
            "number" => Some(Self::Number),
            "string" => Some(Self::String),
            "array" => Some(Self::Array),
            "object" => Some(Self::Object),
            _ => None,
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
            }
            Self::Null | Self::Boolean | Self::Number | Self::String | Self::Array | Self::Object => {
                self == Self::of(value)
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// What the node itself says of a value, apart from references and combinations.
    pub(super) fn own(
        &mut self,
        members: &'a Map<String, Value>,
        at: &Pointer,
        depth: usize,
    ) -> Option<Kind<'a>> {
        let types = self.types(members, at);
        if let Some(kind) = self.values(members, &types, at) {
            return Some(kind);
        }
        let types = if types.is_empty() { self.assumed(members, at) } else { types };
        let mut kinds: Vec<Kind<'a>> =
            types.into_iter().map(|name| self.typed(name, members, at, depth)).collect();
        match kinds.len() {
            0 | 1 => kinds.pop(),
            _ => {
                let branches = kinds.into_iter().map(|kind| Shape::new(at, kind)).collect();
                Some(Kind::Union(Union { branches, exclusive: None }))
            }
        }
    }

    /// The types that are named, each once; a number includes the integers.
    fn types(&mut self, members: &Map<String, Value>, at: &Pointer) -> Vec<Type> {
        let Some(named) = members.get("type") else { return Vec::new() };
        let names = match named {
            Value::Array(names) => names.as_slice(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                std::slice::from_ref(named)
            }
        };
        let mut types = Vec::new();
        for name in names {
            match name.as_str().and_then(Type::named) {
                Some(name) if !types.contains(&name) => types.push(name),
                Some(_) => {}
                None => {
                    // One unknown name may stand for any value, so the others say nothing.
                    self.lose(&at.key("type"), LossReason::Malformed("type".to_owned()));
                    return Vec::new();
                }
            }
        }
        if types.contains(&Type::Number) {
            types.retain(|name| *name != Type::Integer);
        }
        types
    }

    /// The type that a node's keywords are for, where it names none.
    fn assumed(&mut self, members: &Map<String, Value>, at: &Pointer) -> Vec<Type> {
        let assumed = if members.keys().any(|key| is_of_objects(key)) {
            (Type::Object, "object")
        } else if members.keys().any(|key| is_of_arrays(key)) {
            (Type::Array, "array")
        } else {
            return Vec::new();
        };
        self.lose(at, LossReason::AssumedType(assumed.1.to_owned()));
        vec![assumed.0]
    }

    fn typed(&mut self, name: Type, members: &'a Map<String, Value>, at: &Pointer, depth: usize) -> Kind<'a> {
        match name {
            Type::Null => Kind::Null,
            Type::Boolean => Kind::Boolean,
            Type::Integer => Kind::Integer,
            Type::Number => Kind::Number,
            Type::String => Kind::String,
            Type::Array => self.array(members, at, depth),
            Type::Object => self.object(members, at, depth),
        }
    }

    /// The values that `const` or `enum` allow, where they can be listed.
    fn values(&mut self, members: &'a Map<String, Value>, types: &[Type], at: &Pointer) -> Option<Kind<'a>> {
        let (keyword, values) = match (members.get("const"), members.get("enum")) {
            (Some(constant), _) => ("const", std::slice::from_ref(constant)),
            (None, Some(Value::Array(values))) => ("enum", values.as_slice()),
            (None, None) => return None,
            (None, Some(_)) => {
                self.lose(&at.key("enum"), LossReason::Malformed("enum".to_owned()));
                return None;
            }
        };
        let at = at.key(keyword);
        let is_allowed = |value: &&Value| types.is_empty() || types.iter().any(|name| name.holds(value));
        let mut literals = Vec::new();
        let mut bytes = 0;
        for (index, value) in values.iter().filter(is_allowed).enumerate() {
            let literal = match value {
                Value::Null => Literal::Null,
                Value::Bool(value) => Literal::Boolean(*value),
                Value::Number(number) => Literal::Number(number),
                Value::String(text) => {
                    bytes += text.len();
                    Literal::Text(text)
                }
                Value::Array(_) | Value::Object(_) => {
                    self.lose(&at, LossReason::Literal);
                    return kinds_of(values, types, &at);
                }
            };
            if index >= VALUES || bytes > VALUE_BYTES || !self.spend(1, &at) {
                self.lose(&at, LossReason::ManyValues);
                return kinds_of(values, types, &at);
            }
            literals.push(literal);
        }
        Some(if literals.is_empty() { Kind::Never } else { Kind::Literals(literals) })
    }
}

/// The types of a list of values that is not declared as such. `None` leaves it to the node's `type`.
fn kinds_of<'a>(values: &[Value], types: &[Type], at: &Pointer) -> Option<Kind<'a>> {
    if !types.is_empty() {
        return None;
    }
    let mut found = Vec::new();
    for value in values {
        let name = Type::of(value);
        if !found.contains(&name) {
            found.push(name);
        }
    }
    let any = || Box::new(Shape::new(at, Kind::Any));
    let mut kinds: Vec<Kind<'a>> = found
        .into_iter()
        .map(|name| match name {
            Type::Null => Kind::Null,
            Type::Boolean => Kind::Boolean,
            Type::Integer | Type::Number => Kind::Number,
            Type::String => Kind::String,
            Type::Array => Kind::Array(any()),
            Type::Object => Kind::Object(Object { properties: Vec::new(), undeclared: Undeclared::Anything }),
        })
        .collect();
    if kinds.len() < 2 {
        return kinds.pop();
    }
    let branches = kinds.into_iter().map(|kind| Shape::new(at, kind)).collect();
    Some(Kind::Union(Union { branches, exclusive: None }))
}
