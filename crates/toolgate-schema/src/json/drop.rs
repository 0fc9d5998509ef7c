//! Dropping a value without using the thread's stack for its depth.
//!
//! `serde_json::Value` drops itself by recursion. The owners of this crate call [`dismantle`] first, which leaves
//! only shallow pieces to that drop. It never frees anything itself.

use std::mem;

use serde_json::Value;

/// How many levels one pass follows by recursion; what lies below is moved to a list and handled in turn.
const LEVELS: usize = 64;

/// Takes a value apart until what is left of it, and of every piece, is at most [`LEVELS`] deep.
///
/// A value that is not deeper than that is only walked; nothing is allocated.
pub(super) fn dismantle(value: &mut Value) {
    let mut pieces = Vec::new();
    cut(value, LEVELS, &mut pieces);
    while let Some(mut piece) = pieces.pop() {
        cut(&mut piece, LEVELS, &mut pieces);
    }
}

fn cut(value: &mut Value, levels: usize, pieces: &mut Vec<Value>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        Value::Array(items) => items.iter_mut().for_each(|item| cut_member(item, levels, pieces)),
        Value::Object(members) => members.values_mut().for_each(|member| cut_member(member, levels, pieces)),
    }
}

fn cut_member(member: &mut Value, levels: usize, pieces: &mut Vec<Value>) {
    if !matches!(member, Value::Array(_) | Value::Object(_)) {
        return;
    }
    match levels.checked_sub(1) {
        Some(levels) => cut(member, levels, pieces),
        None => pieces.push(mem::take(member)),
    }
}
