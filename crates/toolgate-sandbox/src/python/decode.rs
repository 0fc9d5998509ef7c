//! From JSON into the program: host values become the language's own. Integers are exact.

use monty_types::MontyObject;
use num_bigint::BigInt;
use serde_json::Value as Json;

use crate::json_text::MOST_LEVELS;

enum Open<'v> {
    List { items: std::slice::Iter<'v, Json>, made: Vec<MontyObject> },
    Dict { members: serde_json::map::Iter<'v>, key: &'v str, made: Vec<(MontyObject, MontyObject)> },
}

/// It nests too deep for the interpreter.
#[derive(Debug)]
pub(super) struct TooDeep;

impl std::fmt::Display for TooDeep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "has more than {MOST_LEVELS} levels")
    }
}

/// Builds the value.
pub(super) fn decode(value: &Json) -> Result<MontyObject, TooDeep> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = value;
    loop {
        let mut done = match next {
            Json::Null => MontyObject::None,
            Json::Bool(value) => MontyObject::Bool(*value),
            Json::Number(number) => number_of(number),
            Json::String(text) => MontyObject::String(text.clone()),
            Json::Array(items) => {
                open.push(Open::List { items: items.iter(), made: Vec::with_capacity(items.len()) });
                MontyObject::None
            }
            Json::Object(members) => {
                let made = Vec::with_capacity(members.len());
                open.push(Open::Dict { members: members.iter(), key: "", made });
                MontyObject::None
            }
        };
        if open.len() > MOST_LEVELS {
            return Err(TooDeep);
        }
        let mut is_new = matches!(next, Json::Array(_) | Json::Object(_));
        // Goes up as far as containers are complete, and then on to the next item.
        next = loop {
            let Some(top) = open.last_mut() else { return Ok(done) };
            if !std::mem::take(&mut is_new) {
                top.take(done);
            }
            if let Some(item) = top.next() {
                break item;
            }
            done = match open.pop() {
                Some(Open::List { made, .. }) => MontyObject::List(made),
                Some(Open::Dict { made, .. }) => MontyObject::dict(made),
                None => MontyObject::None,
            };
        };
    }
}

impl<'v> Open<'v> {
    fn take(&mut self, value: MontyObject) {
        match self {
            Self::List { made, .. } => made.push(value),
            Self::Dict { key, made, .. } => made.push((MontyObject::String((*key).to_owned()), value)),
        }
    }

    fn next(&mut self) -> Option<&'v Json> {
        match self {
            Self::List { items, .. } => items.next(),
            Self::Dict { members, key, .. } => {
                let (name, value) = members.next()?;
                *key = name;
                Some(value)
            }
        }
    }
}

fn number_of(number: &serde_json::Number) -> MontyObject {
    if let Some(integer) = number.as_i64() {
        MontyObject::Int(integer)
    } else if let Some(integer) = number.as_u64() {
        MontyObject::BigInt(BigInt::from(integer))
    } else {
        MontyObject::Float(number.as_f64().unwrap_or(f64::NAN))
    }
}
