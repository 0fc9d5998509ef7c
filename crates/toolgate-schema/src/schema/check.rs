//! The assertion that a raw schema stays inside the enforced subset (rule S2).
//!
//! Called by compilation, by the author language and by anybody who wants the list. One walk with an explicit
//! list of tasks; children come before what is said about them afterwards, which fixes the order of violations.

use serde_json::{Map, Value};

use crate::json::is_lossless;
use crate::path::{PathId, PathRef, PathTree, Root};

use super::kind::SchemaType;
use super::literal::LiteralSet;
use super::violation::{SchemaViolation, ViolationKind};

/// The constraints that depend on `type`, in the order in which they are reported.
const CONSTRAINTS: [&str; 6] = ["properties", "required", "additionalProperties", "items", "enum", "const"];

/// Every violation of a schema in walk order; empty when the schema is inside the subset.
#[must_use]
pub fn check(schema: &Value) -> Vec<SchemaViolation> {
    check_at(schema, Root::SCHEMA)
}

/// Like [`check`], and the root must be an object schema; that is looked at only when nothing else is wrong.
#[must_use]
pub fn check_object_root(schema: &Value) -> Vec<SchemaViolation> {
    let violations = check(schema);
    if !violations.is_empty() || schema.get("type").and_then(Value::as_str) == Some("object") {
        return violations;
    }
    let mut check = Check::new(Root::SCHEMA);
    check.report_key(PathId::ROOT, "type", ViolationKind::RootNotObject);
    check.finish()
}

/// [`check`] with another name for the root.
pub(crate) fn check_at(schema: &Value, root: Root) -> Vec<SchemaViolation> {
    let mut check = Check::new(root);
    check.tasks.push(Task::Node { schema, path: PathId::ROOT });
    while let Some(task) = check.tasks.pop() {
        match task {
            Task::Node { schema, path } => check.node(schema, path),
            Task::AfterBranches { members, path } => {
                check.report_constraints(members, path, ViolationKind::KeywordBesideOneOf);
            }
            Task::AfterProperties { members, path } => check.after_properties(members, path),
        }
    }
    check.finish()
}

enum Task<'a> {
    Node { schema: &'a Value, path: PathId },
    AfterBranches { members: &'a Map<String, Value>, path: PathId },
    AfterProperties { members: &'a Map<String, Value>, path: PathId },
}

struct Check<'a> {
    paths: PathTree<&'a str>,
    tasks: Vec<Task<'a>>,
    found: Vec<(PathId, ViolationKind, Option<&'a str>)>,
}

impl<'a> Check<'a> {
    fn new(root: Root) -> Self {
        Self { paths: PathTree::new(root), tasks: Vec::new(), found: Vec::new() }
    }

    fn finish(self) -> Vec<SchemaViolation> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let tree = self.paths.finish();
        let violation = |(id, kind, name): (PathId, ViolationKind, Option<&str>)| SchemaViolation {
            path: PathRef { tree: tree.clone(), id },
            kind,
            name: name.map(str::to_owned),
        };
        self.found.into_iter().map(violation).collect()
    }

    fn node(&mut self, schema: &'a Value, path: PathId) {
        let Value::Object(members) = schema else {
            return self.report(path, ViolationKind::NotASchema);
        };
        self.keywords(members, path);
        match (members.get("type"), members.get("oneOf")) {
            (Some(_), Some(_)) => self.report(path, ViolationKind::TypeAndOneOf),
            (None, None) => self.report_constraints(members, path, ViolationKind::KeywordWithoutType),
            (None, Some(branches)) => self.union(members, branches, path),
            (Some(name), None) => match name.as_str().and_then(SchemaType::named) {
                None => self.report_key(path, "type", ViolationKind::BadType),
                Some(kind) => self.typed(members, kind, path),
            },
        }
    }

    /// Which keys the node has, and whether its annotations are fit to be sent.
    fn keywords(&mut self, members: &'a Map<String, Value>, path: PathId) {
        for (key, value) in members {
            match key.as_str() {
                "type"
                | "oneOf"
                | "properties"
                | "required"
                | "additionalProperties"
                | "items"
                | "enum"
                | "const" => {}
                "description" | "title" | "default" | "examples" => {
                    if !is_lossless(value) {
                        self.report_key(path, key, ViolationKind::AnnotationNotLossless);
                    }
                }
                _ => self.report_key(path, key, ViolationKind::UnsupportedKeyword),
            }
        }
        for key in ["description", "title"] {
            if members.get(key).is_some_and(|value| !value.is_string()) {
                self.report_key(path, key, ViolationKind::AnnotationNotString);
            }
        }
    }

    fn union(&mut self, members: &'a Map<String, Value>, branches: &'a Value, path: PathId) {
        self.tasks.push(Task::AfterBranches { members, path });
        let one_of = self.paths.key(path, "oneOf");
        match branches.as_array() {
            Some(branches) if branches.len() >= 2 => {
                for (index, schema) in branches.iter().enumerate().rev() {
                    let path = self.paths.index(one_of, index);
                    self.tasks.push(Task::Node { schema, path });
                }
            }
            _ => self.report(one_of, ViolationKind::OneOfTooFew),
        }
    }

    fn typed(&mut self, members: &'a Map<String, Value>, kind: SchemaType, path: PathId) {
        for key in CONSTRAINTS {
            if members.contains_key(key) && !belongs(key, kind) {
                self.report_key(path, key, ViolationKind::MisplacedKeyword);
            }
        }
        match kind {
            SchemaType::Object => self.object(members, path),
            SchemaType::Array => {
                if let Some(schema) = members.get("items") {
                    let path = self.paths.key(path, "items");
                    self.tasks.push(Task::Node { schema, path });
                }
            }
            SchemaType::String
            | SchemaType::Number
            | SchemaType::Integer
            | SchemaType::Boolean
            | SchemaType::Null => self.scalar(members, kind, path),
        }
    }

    fn object(&mut self, members: &'a Map<String, Value>, path: PathId) {
        self.tasks.push(Task::AfterProperties { members, path });
        let Some(declared) = members.get("properties") else { return };
        let properties = self.paths.key(path, "properties");
        let Value::Object(declared) = declared else {
            return self.report(properties, ViolationKind::BadProperties);
        };
        for (name, schema) in declared.iter().rev() {
            let path = self.paths.key(properties, name);
            self.tasks.push(Task::Node { schema, path });
        }
    }

    fn after_properties(&mut self, members: &'a Map<String, Value>, path: PathId) {
        if let Some(required) = members.get("required") {
            match names(required) {
                None => self.report_key(path, "required", ViolationKind::BadRequired),
                Some(names) => {
                    let declared = members.get("properties").and_then(Value::as_object);
                    for name in names.filter(|name| !declared.is_some_and(|map| map.contains_key(*name))) {
                        let path = self.paths.key(path, "required");
                        self.found.push((path, ViolationKind::RequiredUndeclared, Some(name)));
                    }
                }
            }
        }
        if members.get("additionalProperties").is_some_and(|value| !value.is_boolean()) {
            self.report_key(path, "additionalProperties", ViolationKind::BadAdditionalProperties);
        }
    }

    fn scalar(&mut self, members: &'a Map<String, Value>, kind: SchemaType, path: PathId) {
        let mut allowed = None;
        if let Some(values) = members.get("enum") {
            allowed = values
                .as_array()
                .filter(|values| !values.is_empty() && values.iter().all(|value| kind.holds(value)));
            if allowed.is_none() {
                self.report_key(path, "enum", ViolationKind::BadEnum);
            }
        }
        let Some(constant) = members.get("const") else { return };
        if !kind.holds(constant) {
            self.report_key(path, "const", ViolationKind::BadConst);
        } else if allowed.is_some_and(|values| !LiteralSet::of(values).contains(constant)) {
            self.report_key(path, "const", ViolationKind::ConstNotInEnum);
        }
    }

    fn report_constraints(&mut self, members: &'a Map<String, Value>, path: PathId, kind: ViolationKind) {
        for key in CONSTRAINTS {
            if members.contains_key(key) {
                self.report_key(path, key, kind);
            }
        }
    }

    fn report_key(&mut self, path: PathId, key: &'a str, kind: ViolationKind) {
        let path = self.paths.key(path, key);
        self.report(path, kind);
    }

    fn report(&mut self, path: PathId, kind: ViolationKind) {
        self.found.push((path, kind, None));
    }
}

fn belongs(key: &str, kind: SchemaType) -> bool {
    match kind {
        SchemaType::Object => matches!(key, "properties" | "required" | "additionalProperties"),
        SchemaType::Array => key == "items",
        SchemaType::String
        | SchemaType::Number
        | SchemaType::Integer
        | SchemaType::Boolean
        | SchemaType::Null => matches!(key, "enum" | "const"),
    }
}

/// The names in a `required` list, when it is a list of names.
fn names(required: &Value) -> Option<impl Iterator<Item = &str>> {
    let required = required.as_array()?;
    required.iter().all(Value::is_string).then(|| required.iter().filter_map(Value::as_str))
}
