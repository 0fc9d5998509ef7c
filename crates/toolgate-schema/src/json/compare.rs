//! Equality of values: numbers by value, key order irrelevant, any depth.
//!
//! Called by `PartialEq` of the boundary types. It recurses for the first levels, where it allocates nothing, and
//! keeps a list for what lies deeper.

use serde_json::{Map, Value};

use super::number::numbers_equal;

/// How many levels are compared by recursion.
const LEVELS: usize = 64;

type Pair<'a> = (&'a Value, &'a Value);

/// Whether two values are equal.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    let mut open = vec![];
    if !same((left, right), LEVELS, &mut open) {
        return false;
    }
    while let Some(pair) = open.pop() {
        if !same(pair, LEVELS, &mut open) {
            return false;
        }
    }
    true
}

fn same<'a>(pair: Pair<'a>, levels: usize, open: &mut Vec<Pair<'a>>) -> bool {
    match pair {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => numbers_equal(left, right),
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Array(lefts), Value::Array(rights)) => {
            lefts.len() == rights.len()
                && lefts.iter().zip(rights).all(|pair| same_member(pair, levels, open))
        }
        (Value::Object(lefts), Value::Object(rights)) => {
            lefts.len() == rights.len() && same_entries(lefts, rights, levels, open)
        }
        _ => false,
    }
}

/// Compares two objects of equal length. Usually the keys come in the same order, and no key is looked up.
fn same_entries<'a>(
    lefts: &'a Map<String, Value>,
    rights: &'a Map<String, Value>,
    levels: usize,
    open: &mut Vec<Pair<'a>>,
) -> bool {
    lefts.iter().zip(rights).all(|((name, left), (other, right))| {
        let right = if name == other { Some(right) } else { rights.get(name) };
        right.is_some_and(|right| same_member((left, right), levels, open))
    })
}

fn same_member<'a>(pair: Pair<'a>, levels: usize, open: &mut Vec<Pair<'a>>) -> bool {
    match levels.checked_sub(1) {
        Some(levels) => same(pair, levels, open),
        None => {
            open.push(pair);
            true
        }
    }
}
