//! Equality of values: numbers by value, key order irrelevant, any depth.
//!
//! Called by `PartialEq` of the boundary types. It allocates only for containers inside containers.

use serde_json::Value;

use super::number::numbers_equal;

/// Whether two values are equal.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    let mut open = Vec::new();
    let mut next = Some((left, right));
    while let Some((left, right)) = next {
        match (left, right) {
            (Value::Array(lefts), Value::Array(rights)) => {
                if lefts.len() != rights.len() {
                    return false;
                }
                for pair in lefts.iter().zip(rights) {
                    if !equal_or_open(pair, &mut open) {
                        return false;
                    }
                }
            }
            (Value::Object(lefts), Value::Object(rights)) => {
                if lefts.len() != rights.len() {
                    return false;
                }
                for (name, left) in lefts {
                    let Some(right) = rights.get(name) else { return false };
                    if !equal_or_open((left, right), &mut open) {
                        return false;
                    }
                }
            }
            (left, right) => {
                if !scalars_equal(left, right) {
                    return false;
                }
            }
        }
        next = open.pop();
    }
    true
}

/// Compares a pair of scalars at once and leaves a pair of containers for later.
fn equal_or_open<'a>(pair: (&'a Value, &'a Value), open: &mut Vec<(&'a Value, &'a Value)>) -> bool {
    let containers =
        matches!(pair, (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)));
    if containers {
        open.push(pair);
        return true;
    }
    scalars_equal(pair.0, pair.1)
}

fn scalars_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => numbers_equal(left, right),
        (Value::String(left), Value::String(right)) => left == right,
        _ => false,
    }
}
