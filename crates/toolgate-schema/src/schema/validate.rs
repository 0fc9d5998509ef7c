//! The complete judgement: every violation of a value in walk order, with its path (rule S3).
//!
//! Called when a value has been refused, and for values that are not known to be lossless. An explicit stack; no
//! text of a path is built here. Branches of a union are only asked yes or no, since what they complain about is
//! not reported. Each member is walked once, and what no schema node judges is searched for negative zero once.

use serde_json::{Map, Value};

use crate::path::{PathId, PathRef, PathTree};

use super::accept::{Loss, accepts};
use super::compiled::{CompiledSchema, Node, NodeId, ObjectNode};
use super::kind::SchemaType;
use super::value_violation::{PathRoot, ValueViolation, ValueViolationKind};

/// Every violation of a value.
pub(super) fn validate(schema: &CompiledSchema, value: &Value, root: PathRoot) -> Vec<ValueViolation> {
    let mut walk = Walk { schema, paths: PathTree::new(root.root()), tasks: Vec::new(), found: Vec::new() };
    walk.tasks.push(Task::Judge { node: NodeId::ROOT, value, parent: PathId::ROOT, step: Step::Stay });
    while let Some(task) = walk.tasks.pop() {
        match task {
            Task::Judge { node, value, parent, step } => walk.judge(node, value, parent, step),
            Task::Items { node, items, next, path } => walk.items(node, items, next, path),
            Task::AfterDeclared(after) => walk.after_declared(&after),
        }
    }
    walk.finish()
}

/// The last step of a path, added to the tree only where it is needed.
#[derive(Clone, Copy)]
enum Step<'a> {
    Stay,
    Key(&'a str),
    Index(usize),
}

enum Task<'a> {
    Judge {
        node: NodeId,
        value: &'a Value,
        parent: PathId,
        step: Step<'a>,
    },
    /// The items of a list from `next` on.
    Items {
        node: NodeId,
        items: &'a [Value],
        next: usize,
        path: PathId,
    },
    AfterDeclared(AfterDeclared<'a>),
}

/// What is said about an object after its declared properties.
struct AfterDeclared<'a> {
    node: NodeId,
    closed: bool,
    /// The undeclared entries, in the order of the value.
    undeclared: Vec<(&'a str, &'a Value)>,
    path: PathId,
    /// How many violations there were before the object.
    before: usize,
}

struct Found {
    path: PathId,
    kind: ValueViolationKind,
    found: Option<SchemaType>,
    node: NodeId,
}

struct Walk<'a> {
    schema: &'a CompiledSchema,
    paths: PathTree<&'a str>,
    tasks: Vec<Task<'a>>,
    found: Vec<Found>,
}

impl<'a> Walk<'a> {
    fn finish(self) -> Vec<ValueViolation> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let tree = self.paths.finish();
        let violation = |found: Found| ValueViolation {
            path: PathRef { tree: tree.clone(), id: found.path },
            kind: found.kind,
            found: found.found,
            schema: self.schema.clone(),
            node: found.node,
        };
        self.found.into_iter().map(violation).collect()
    }

    fn place(&mut self, parent: PathId, step: Step<'a>) -> PathId {
        match step {
            Step::Stay => parent,
            Step::Key(name) => self.paths.key(parent, name),
            Step::Index(index) => self.paths.index(parent, index),
        }
    }

    fn judge(&mut self, id: NodeId, value: &'a Value, parent: PathId, step: Step<'a>) {
        let schema = self.schema;
        match (schema.compiled().node(id), value) {
            (Node::Object(object), Value::Object(members)) => {
                let path = self.place(parent, step);
                self.object(id, object, members, path);
            }
            (Node::Array(Some(item)), Value::Array(items)) => {
                let path = self.place(parent, step);
                self.tasks.push(Task::Items { node: *item, items, next: 0, path });
            }
            (Node::Array(None), Value::Array(_)) | (Node::Any, _) => {
                if !Loss::Possible.accepts(value) {
                    self.report(id, value, parent, step, ValueViolationKind::NotLossless);
                }
            }
            (Node::Object(_), _) => self.wrong_type(id, value, parent, step, SchemaType::Object),
            (Node::Array(_), _) => self.wrong_type(id, value, parent, step, SchemaType::Array),
            (Node::OneOf(branches), value) => {
                let accepts = |branch: &&NodeId| accepts(schema.compiled(), **branch, value, Loss::Possible);
                let matched = branches.iter().filter(accepts).count();
                if matched != 1 {
                    self.report(id, value, parent, step, ValueViolationKind::OneOfMatch { matched });
                }
            }
            (Node::Scalar(kind, limits), value) => {
                if !kind.holds(value) {
                    let lossy = *kind == SchemaType::Number && value.is_number();
                    if lossy {
                        return self.report(id, value, parent, step, ValueViolationKind::NotLossless);
                    }
                    return self.wrong_type(id, value, parent, step, *kind);
                }
                let Some(limits) = limits else { return };
                if limits.allowed.as_ref().is_some_and(|set| !set.contains(value)) {
                    self.report(id, value, parent, step, ValueViolationKind::EnumMismatch);
                } else if limits.constant.as_ref().is_some_and(|constant| !constant.equals(value)) {
                    self.report(id, value, parent, step, ValueViolationKind::ConstMismatch);
                }
            }
        }
    }

    fn object(&mut self, id: NodeId, object: &'a ObjectNode, members: &'a Map<String, Value>, path: PathId) {
        let before = self.found.len();
        let mut hint = 0;
        let mut declared = Vec::new();
        let mut undeclared = Vec::new();
        for (name, value) in members {
            match object.find(name, hint) {
                Some((place, property)) => {
                    hint = place + 1;
                    declared.push((place, property, value));
                }
                None => undeclared.push((name.as_str(), value)),
            }
        }
        declared.sort_unstable_by_key(|(place, _, _)| *place);
        for place in &object.required {
            let there = declared.binary_search_by_key(place, |(place, _, _)| *place).is_ok();
            if !there && let Some(property) = object.properties.get(*place) {
                let path = self.paths.key(path, &property.name);
                self.found.push(Found {
                    path,
                    kind: ValueViolationKind::MissingRequired,
                    found: None,
                    node: id,
                });
            }
        }
        if !undeclared.is_empty() {
            let closed = object.closed;
            self.tasks.push(Task::AfterDeclared(AfterDeclared {
                node: id,
                closed,
                undeclared,
                path,
                before,
            }));
        }
        for (_, property, value) in declared.into_iter().rev() {
            let step = Step::Key(&property.name);
            self.tasks.push(Task::Judge { node: property.node, value, parent: path, step });
        }
    }

    fn after_declared(&mut self, after: &AfterDeclared<'a>) {
        if after.closed {
            for (name, value) in &after.undeclared {
                let step = Step::Key(name);
                self.report(after.node, value, after.path, step, ValueViolationKind::UndeclaredProperty);
            }
            return;
        }
        // Declared members have been judged; without a violation among them only these can be lossy.
        let searched = self.found.len() == after.before;
        if searched && after.undeclared.iter().any(|(_, value)| !Loss::Possible.accepts(value)) {
            self.found.push(Found {
                path: after.path,
                kind: ValueViolationKind::NotLossless,
                found: None,
                node: after.node,
            });
        }
    }

    /// Judges items until one puts tasks of its own on the stack; the rest waits below them.
    fn items(&mut self, node: NodeId, items: &'a [Value], next: usize, path: PathId) {
        for (index, value) in items.iter().enumerate().skip(next) {
            if matches!(value, Value::Array(_) | Value::Object(_)) {
                self.tasks.push(Task::Items { node, items, next: index + 1, path });
                self.tasks.push(Task::Judge { node, value, parent: path, step: Step::Index(index) });
                return;
            }
            self.judge(node, value, path, Step::Index(index));
        }
    }

    fn wrong_type(
        &mut self,
        node: NodeId,
        value: &'a Value,
        parent: PathId,
        step: Step<'a>,
        expected: SchemaType,
    ) {
        self.report(node, value, parent, step, ValueViolationKind::WrongType { expected });
    }

    fn report(
        &mut self,
        node: NodeId,
        value: &Value,
        parent: PathId,
        step: Step<'a>,
        kind: ValueViolationKind,
    ) {
        let path = self.place(parent, step);
        self.found.push(Found { path, kind, found: Some(SchemaType::of(value)), node });
    }
}
