//! The yes-or-no judgement: does a node accept a value?
//!
//! Called for every value that crosses the boundary, and for each branch of a union. It recurses for the first
//! levels, where it allocates nothing, and hands deeper parts to `walk`, which keeps its own stack. It builds no
//! paths and stops at the first fault.

use serde_json::{Map, Value};

use crate::json::is_lossless;

use super::compiled::{Compiled, Node, NodeId, ObjectNode};
use super::walk;

/// How many levels are judged by recursion.
const LEVELS: usize = 64;

/// Whether the value may hold something that is not lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// It has been ruled out; nothing is searched for it.
    Impossible,
    /// Parts that no schema node judges are searched for it.
    Possible,
}

impl Loss {
    /// Whether a value that no schema node limits is acceptable.
    pub(super) fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Impossible => true,
            Self::Possible => is_lossless(value),
        }
    }
}

/// Whether a node accepts a value.
pub(super) fn accepts(schema: &Compiled, node: NodeId, value: &Value, loss: Loss) -> bool {
    Judge { schema, loss }.accepts(node, value, LEVELS)
}

#[derive(Clone, Copy)]
struct Judge<'s> {
    schema: &'s Compiled,
    loss: Loss,
}

impl Judge<'_> {
    fn accepts(self, id: NodeId, value: &Value, levels: usize) -> bool {
        match self.schema.node(id) {
            // The two that most members are, before the question of depth arises.
            Node::Scalar(kind, None) => kind.holds(value),
            Node::Any => self.loss.accepts(value),
            node @ (Node::Scalar(_, Some(_)) | Node::OneOf(_) | Node::Object(_) | Node::Array(_)) => {
                self.node(node, id, value, levels)
            }
        }
    }

    fn node(self, node: &Node, id: NodeId, value: &Value, levels: usize) -> bool {
        if let Some(verdict) = leaf(node, value, self.loss) {
            return verdict;
        }
        let Some(levels) = levels.checked_sub(1) else {
            return walk::accepts(self.schema, id, value, self.loss);
        };
        match (node, value) {
            (Node::OneOf(branches), value) => {
                let mut matched = 0;
                for branch in branches {
                    matched += usize::from(self.accepts(*branch, value, levels));
                    if matched > 1 {
                        return false;
                    }
                }
                matched == 1
            }
            (Node::Object(object), Value::Object(members)) => self.object(object, members, levels),
            (Node::Array(Some(item)), Value::Array(items)) => {
                items.iter().all(|value| self.accepts(*item, value, levels))
            }
            _ => false,
        }
    }

    fn object(self, object: &ObjectNode, members: &Map<String, Value>, levels: usize) -> bool {
        let mut hint = 0;
        let mut required = 0;
        for (name, value) in members {
            let Some((place, property)) = object.find(name, hint) else {
                if object.closed || !self.loss.accepts(value) {
                    return false;
                }
                continue;
            };
            hint = place + 1;
            // Keys are unique, so counting the required ones that are there is enough.
            required += usize::from(property.required);
            if !self.accepts(property.node, value, levels) {
                return false;
            }
        }
        required == object.required_count
    }
}

/// The verdict of a node that needs no other node to judge this value; none when members or branches decide.
pub(super) fn leaf(node: &Node, value: &Value, loss: Loss) -> Option<bool> {
    match (node, value) {
        (Node::Any, value) => Some(loss.accepts(value)),
        (Node::Scalar(kind, limits), value) => {
            Some(kind.holds(value) && limits.as_ref().is_none_or(|limits| limits.allow(value)))
        }
        (Node::Array(None), Value::Array(_)) => Some(loss.accepts(value)),
        (Node::OneOf(_), _)
        | (Node::Object(_), Value::Object(_))
        | (Node::Array(Some(_)), Value::Array(_)) => None,
        (Node::Object(_) | Node::Array(_), _) => Some(false),
    }
}
