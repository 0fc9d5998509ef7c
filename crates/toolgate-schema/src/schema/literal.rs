//! Sets of scalar values, for `enum` and `const`: membership by value.
//!
//! Built by `check` and `compile`, asked by the validator. A large set is hashed, so that membership costs the
//! same however many values are allowed.

use std::collections::HashSet;

use serde_json::Value;

use crate::json::NumberKey;

/// From how many values on a set is hashed.
const HASHED: usize = 16;

/// The values of an `enum`.
#[derive(Debug)]
pub(super) enum LiteralSet {
    /// Compared one by one.
    Few(Box<[Literal]>),
    /// Texts, looked up.
    Texts(HashSet<Box<str>>),
    /// Numbers, looked up.
    Numbers(HashSet<NumberKey>),
}

/// One scalar.
#[derive(Debug)]
pub(super) enum Literal {
    Null,
    Boolean(bool),
    Number(NumberKey),
    String(Box<str>),
}

impl Literal {
    /// The literal of a scalar value.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Boolean(*value)),
            Value::Number(number) => Some(Self::Number(NumberKey::of(number))),
            Value::String(text) => Some(Self::String(Box::from(text.as_str()))),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Whether a value equals the literal.
    pub(super) fn equals(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Boolean(literal), Value::Bool(value)) => literal == value,
            (Self::Number(literal), Value::Number(number)) => *literal == NumberKey::of(number),
            (Self::String(literal), Value::String(text)) => **literal == **text,
            _ => false,
        }
    }
}

impl LiteralSet {
    /// The set of some scalars of one type.
    pub(super) fn of(values: &[Value]) -> Self {
        match values.first() {
            Some(Value::String(_)) if values.len() >= HASHED => {
                Self::Texts(values.iter().filter_map(Value::as_str).map(Box::from).collect())
            }
            Some(Value::Number(_)) if values.len() >= HASHED => {
                Self::Numbers(values.iter().filter_map(Value::as_number).map(NumberKey::of).collect())
            }
            _ => Self::Few(values.iter().filter_map(Literal::of).collect()),
        }
    }

    /// Whether a scalar is in the set.
    pub(super) fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Few(literals), value) => literals.iter().any(|literal| literal.equals(value)),
            (Self::Texts(texts), Value::String(text)) => texts.contains(text.as_str()),
            (Self::Numbers(numbers), Value::Number(number)) => numbers.contains(&NumberKey::of(number)),
            (Self::Texts(_) | Self::Numbers(_), _) => false,
        }
    }
}
