//! The rules of the author language, before translation.
//!
//! Called by the builders' `compile` and when author-form JSON is read. One walk with an explicit list; it stops
//! at the first fault. Literal types and annotations are judged afterwards, on the translated schema.

use serde_json::{Map, Value};

use crate::path::{PathId, PathTree, Root};
use crate::schema::ViolationKind;

use super::AuthorFault;

/// Asserts one value node.
pub(super) fn assert_value(node: &Value) -> Result<(), AuthorFault> {
    let mut walk = Walk { paths: PathTree::new(Root::SCHEMA), open: Vec::new() };
    walk.open.push(Open { node, path: PathId::ROOT, property: false });
    walk.run()
}

/// Asserts a parameter map.
pub(super) fn assert_parameters(map: &Value) -> Result<(), AuthorFault> {
    let mut walk = Walk { paths: PathTree::new(Root::PARAMETERS), open: Vec::new() };
    walk.properties(map, PathId::ROOT)?;
    walk.run()
}

struct Open<'a> {
    node: &'a Value,
    path: PathId,
    /// Whether the node is a property, which may say `required`.
    property: bool,
}

struct Walk<'a> {
    paths: PathTree<&'a str>,
    open: Vec<Open<'a>>,
}

impl<'a> Walk<'a> {
    fn run(mut self) -> Result<(), AuthorFault> {
        while let Some(open) = self.open.pop() {
            self.node(&open)?;
        }
        Ok(())
    }

    fn node(&mut self, open: &Open<'a>) -> Result<(), AuthorFault> {
        let path = open.path;
        let Value::Object(members) = open.node else {
            return Err(self.fault(path, ViolationKind::NotASchema));
        };
        let (keywords, branches) = self.form(members, path)?;
        for key in members.keys() {
            let known = keywords.contains(&key.as_str())
                || matches!(key.as_str(), "description" | "title" | "default" | "examples")
                || (open.property && key == "required");
            if !known {
                return Err(self.key_fault(path, key, ViolationKind::UnsupportedKeyword));
            }
        }
        if members.get("required").is_some_and(|required| required != &Value::Bool(true)) {
            return Err(self.key_fault(path, "required", ViolationKind::BadRequired));
        }
        if let Some(branches) = branches {
            return self.union(branches, path);
        }
        if keywords.contains(&"additionalProperties") {
            if !members.get("additionalProperties").is_some_and(Value::is_boolean) {
                return Err(self.key_fault(
                    path,
                    "additionalProperties",
                    ViolationKind::BadAdditionalProperties,
                ));
            }
            if let Some(declared) = members.get("properties") {
                let properties = self.paths.key(path, "properties");
                self.properties(declared, properties)?;
            }
        }
        if let Some(items) = members.get("items") {
            let path = self.paths.key(path, "items");
            self.open.push(Open { node: items, path, property: false });
        }
        Ok(())
    }

    /// The keywords of the node's kind, and its branches if it is a union.
    fn form(
        &mut self,
        members: &'a Map<String, Value>,
        path: PathId,
    ) -> Result<(&'static [&'static str], Option<&'a Value>), AuthorFault> {
        match (members.get("type"), members.get("oneOf")) {
            (Some(_), Some(_)) => Err(self.fault(path, ViolationKind::TypeAndOneOf)),
            (None, Some(branches)) => Ok((&["oneOf"], Some(branches))),
            (kind, None) => match kind.and_then(Value::as_str) {
                Some("string" | "number" | "integer" | "boolean" | "null") => {
                    Ok((&["type", "enum", "const"], None))
                }
                Some("array") => Ok((&["type", "items"], None)),
                Some("object") => Ok((&["type", "additionalProperties", "properties"], None)),
                Some("json") => Ok((&["type"], None)),
                _ => Err(self.key_fault(path, "type", ViolationKind::BadType)),
            },
        }
    }

    fn union(&mut self, branches: &'a Value, path: PathId) -> Result<(), AuthorFault> {
        let one_of = self.paths.key(path, "oneOf");
        let Some(branches) = branches.as_array().filter(|branches| branches.len() >= 2) else {
            return Err(self.fault(one_of, ViolationKind::OneOfTooFew));
        };
        for (index, node) in branches.iter().enumerate().rev() {
            let path = self.paths.index(one_of, index);
            self.open.push(Open { node, path, property: false });
        }
        Ok(())
    }

    fn properties(&mut self, declared: &'a Value, path: PathId) -> Result<(), AuthorFault> {
        let Value::Object(declared) = declared else {
            return Err(self.fault(path, ViolationKind::BadProperties));
        };
        for (name, node) in declared.iter().rev() {
            let path = self.paths.key(path, name);
            self.open.push(Open { node, path, property: true });
        }
        Ok(())
    }

    fn key_fault(&mut self, path: PathId, key: &'a str, kind: ViolationKind) -> AuthorFault {
        let path = self.paths.key(path, key);
        self.fault(path, kind)
    }

    fn fault(&self, path: PathId, kind: ViolationKind) -> AuthorFault {
        AuthorFault::new(kind, self.paths.text(path))
    }
}
