//! The yes-or-no judgement with an explicit stack, for parts that are too deep for recursion.
//!
//! Called by `accept` below its last level. The same verdicts as there, at any depth of value and schema.

use serde_json::{Value, map};

use super::accept::{Loss, leaf};
use super::compiled::{Compiled, Node, NodeId, ObjectNode};

/// A node whose verdict waits for that of a member or branch.
enum Frame<'s, 'v> {
    /// The branches still to be tried on the value, and how many have matched.
    OneOf {
        branches: std::slice::Iter<'s, NodeId>,
        value: &'v Value,
        matched: usize,
    },
    Object {
        object: &'s ObjectNode,
        members: map::Iter<'v>,
        hint: usize,
        required: usize,
    },
    Array {
        item: NodeId,
        items: std::slice::Iter<'v, Value>,
    },
}

/// What to do next.
enum Step<'v> {
    Judge(NodeId, &'v Value),
    Verdict(bool),
}

/// Whether a node accepts a value.
pub(super) fn accepts(schema: &Compiled, node: NodeId, value: &Value, loss: Loss) -> bool {
    let mut frames = Vec::new();
    let mut step = Step::Judge(node, value);
    loop {
        step = match step {
            Step::Judge(id, value) => enter(schema.node(id), value, loss, &mut frames),
            Step::Verdict(verdict) => match frames.pop() {
                None => return verdict,
                Some(frame) => resume(frame, verdict, loss, &mut frames),
            },
        };
    }
}

fn enter<'s, 'v>(node: &'s Node, value: &'v Value, loss: Loss, frames: &mut Vec<Frame<'s, 'v>>) -> Step<'v> {
    if let Some(verdict) = leaf(node, value, loss) {
        return Step::Verdict(verdict);
    }
    let frame = match (node, value) {
        (Node::OneOf(branches), value) => Frame::OneOf { branches: branches.iter(), value, matched: 0 },
        (Node::Object(object), Value::Object(members)) => {
            Frame::Object { object, members: members.iter(), hint: 0, required: 0 }
        }
        (Node::Array(Some(item)), Value::Array(items)) => Frame::Array { item: *item, items: items.iter() },
        _ => return Step::Verdict(false),
    };
    advance(frame, loss, frames)
}

/// Takes the verdict of a member or branch.
fn resume<'s, 'v>(
    frame: Frame<'s, 'v>,
    verdict: bool,
    loss: Loss,
    frames: &mut Vec<Frame<'s, 'v>>,
) -> Step<'v> {
    let frame = match frame {
        Frame::OneOf { branches, value, matched } => {
            let matched = matched + usize::from(verdict);
            if matched > 1 {
                return Step::Verdict(false);
            }
            Frame::OneOf { branches, value, matched }
        }
        Frame::Object { .. } | Frame::Array { .. } if !verdict => return Step::Verdict(false),
        frame @ (Frame::Object { .. } | Frame::Array { .. }) => frame,
    };
    advance(frame, loss, frames)
}

/// Goes on to the next member or branch, or gives the verdict of the frame's node.
fn advance<'s, 'v>(mut frame: Frame<'s, 'v>, loss: Loss, frames: &mut Vec<Frame<'s, 'v>>) -> Step<'v> {
    let next = match &mut frame {
        Frame::OneOf { branches, value, matched } => match branches.next() {
            Some(branch) => (*branch, *value),
            None => return Step::Verdict(*matched == 1),
        },
        Frame::Array { item, items } => match items.next() {
            Some(value) => (*item, value),
            None => return Step::Verdict(true),
        },
        Frame::Object { object, members, hint, required } => loop {
            let Some((name, value)) = members.next() else {
                return Step::Verdict(*required == object.required_count);
            };
            if let Some((place, property)) = object.find(name, *hint) {
                *hint = place + 1;
                *required += usize::from(property.required);
                break (property.node, value);
            }
            if object.closed || !loss.accepts(value) {
                return Step::Verdict(false);
            }
        },
    };
    frames.push(frame);
    Step::Judge(next.0, next.1)
}
