//! Several things that hold of one value at once.
//!
//! Objects are merged. Of anything else the part that says most is kept and the others are reported: each part alone
//! is wider than all of them together, so no value is refused that the schema accepts.

use std::collections::HashMap;

use super::reader::Reader;
use super::{Kind, Object, Property, Undeclared};
use crate::losses::LossReason;
use crate::pointer::Pointer;

/// What one keyword says of a value.
pub(super) struct Part<'a> {
    pub(super) keyword: &'static str,
    pub(super) at: Pointer,
    pub(super) kind: Kind<'a>,
}

impl<'a> Reader<'a> {
    /// The type of a value for which all parts hold.
    pub(super) fn combine(&mut self, mut parts: Vec<Part<'a>>, depth: usize) -> Kind<'a> {
        parts.retain(|part| !part.kind.is_any());
        if parts.iter().any(|part| !says_no_more_than_object(&part.kind)) {
            parts.retain(|part| !says_no_more_than_object(&part.kind));
        }
        if parts.len() < 2 {
            return parts.pop().map_or(Kind::Any, |part| part.kind);
        }
        for part in &mut parts {
            if let Kind::Named(index) = part.kind
                && let Some(kind) = self.inline(index, depth)
            {
                part.kind = kind;
            }
        }
        if parts.iter().all(|part| matches!(part.kind, Kind::Object(_))) {
            return Kind::Object(self.merge(parts));
        }
        let best = parts.iter().map(|part| weight(&part.kind)).max().unwrap_or_default();
        let kept = parts.iter().position(|part| weight(&part.kind) == best).unwrap_or_default();
        let kept = parts.remove(kept);
        for part in parts {
            self.lose(&part.at, LossReason::Conjunction(part.keyword.to_owned()));
        }
        kept.kind
    }

    fn merge(&mut self, parts: Vec<Part<'a>>) -> Object<'a> {
        let mut merged = Object { properties: Vec::new(), undeclared: Undeclared::Anything };
        let mut places: HashMap<&'a str, usize> = HashMap::new();
        for part in parts {
            let Kind::Object(object) = part.kind else { continue };
            for property in object.properties {
                let place = places.get(property.name).and_then(|place| merged.properties.get_mut(*place));
                let Some(known) = place else {
                    places.insert(property.name, merged.properties.len());
                    merged.properties.push(property);
                    continue;
                };
                if let Some(dropped) = join(known, property) {
                    self.lose(&dropped, LossReason::Conjunction(part.keyword.to_owned()));
                }
            }
            // A closed part refuses what the others declare as well; the union of the declared keys is wider.
            let is_stricter = match (&merged.undeclared, &object.undeclared) {
                (Undeclared::Nothing, _) | (_, Undeclared::Anything) => false,
                (Undeclared::Anything, _) | (_, Undeclared::Nothing) => true,
                (Undeclared::Of(_), Undeclared::Of(_)) => false,
            };
            if is_stricter {
                merged.undeclared = object.undeclared;
            }
        }
        merged
    }
}

/// Joins two declarations of one property; gives the place of the one that is left out.
fn join<'a>(known: &mut Property<'a>, other: Property<'a>) -> Option<Pointer> {
    known.required |= other.required;
    if known.shape.kind.is_any() {
        let described = known.shape.description.take();
        known.shape = other.shape;
        known.shape.description = known.shape.description.or(described);
        return None;
    }
    known.shape.description = known.shape.description.or(other.shape.description);
    (!other.shape.kind.is_any()).then_some(other.shape.at)
}

/// An object of which nothing further is said.
fn says_no_more_than_object(kind: &Kind<'_>) -> bool {
    match kind {
        Kind::Object(object) => {
            object.properties.is_empty() && matches!(object.undeclared, Undeclared::Anything)
        }
        Kind::Any
        | Kind::Never
        | Kind::Null
        | Kind::Boolean
        | Kind::Integer
        | Kind::Number
        | Kind::String
        | Kind::Literals(_)
        | Kind::Array(_)
        | Kind::Tuple(_)
        | Kind::Union(_)
        | Kind::Named(_) => false,
    }
}

/// How much a type says, roughly.
fn weight(kind: &Kind<'_>) -> u8 {
    match kind {
        Kind::Any => 0,
        Kind::Boolean | Kind::Number | Kind::String => 1,
        Kind::Integer | Kind::Named(_) => 2,
        Kind::Union(_) | Kind::Array(_) | Kind::Tuple(_) | Kind::Object(_) => 3,
        Kind::Literals(_) | Kind::Null => 4,
        Kind::Never => 5,
    }
}
