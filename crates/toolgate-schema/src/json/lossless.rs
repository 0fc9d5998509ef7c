//! The search for negative zero, the one thing a `serde_json::Value` can hold that is not lossless JSON.
//!
//! Called once where a value enters the boundary, and by the validator for values that did not. The search builds
//! no path; only a found fault is located by a second walk.

use serde_json::{Value, map};

use crate::path::{Root, Segment, render};

use super::number::is_negative_zero;

/// How many levels the search follows by recursion before it keeps a list instead.
const LEVELS: usize = 64;

/// Whether a value holds no negative zero at any depth. Allocates only below [`LEVELS`] levels.
pub(crate) fn is_lossless(value: &Value) -> bool {
    let mut open = Vec::new();
    if !search(value, LEVELS, &mut open) {
        return false;
    }
    while let Some(value) = open.pop() {
        if !search(value, LEVELS, &mut open) {
            return false;
        }
    }
    true
}

fn search<'a>(value: &'a Value, levels: usize, open: &mut Vec<&'a Value>) -> bool {
    let container = matches!(value, Value::Array(_) | Value::Object(_));
    if container && levels == 0 {
        open.push(value);
        return true;
    }
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => !is_negative_zero(number),
        Value::Array(items) => items.iter().all(|item| search(item, levels - 1, open)),
        Value::Object(members) => members.values().all(|member| search(member, levels - 1, open)),
    }
}

/// The members of a container that are still to be looked at.
enum Members<'a> {
    Items(std::iter::Enumerate<std::slice::Iter<'a, Value>>),
    Entries(map::Iter<'a>),
}

impl<'a> Iterator for Members<'a> {
    type Item = (Segment<&'a str>, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Items(items) => items.next().map(|(index, item)| (Segment::Index(index), item)),
            Self::Entries(entries) => {
                entries.next().map(|(name, member)| (Segment::Key(name.as_str()), member))
            }
        }
    }
}

/// The path of the first negative zero in document order.
pub(super) fn first_lossy_path(value: &Value) -> Option<String> {
    let mut frames: Vec<Members<'_>> = Vec::new();
    let mut segments: Vec<Segment<&str>> = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next {
        match value {
            Value::Null | Value::Bool(_) | Value::String(_) => {}
            Value::Number(number) => {
                if is_negative_zero(number) {
                    return Some(render(Root::RELATIVE, segments.into_iter()));
                }
            }
            Value::Array(items) => frames.push(Members::Items(items.iter().enumerate())),
            Value::Object(members) => frames.push(Members::Entries(members.iter())),
        }
        next = None;
        while let Some(members) = frames.last_mut() {
            let entered = members.next();
            // One segment per open container: that of the member which was entered last.
            segments.truncate(frames.len() - 1);
            if let Some((segment, member)) = entered {
                segments.push(segment);
                next = Some(member);
                break;
            }
            frames.pop();
        }
    }
    None
}
