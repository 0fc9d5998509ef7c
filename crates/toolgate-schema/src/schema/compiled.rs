//! [`CompiledSchema`]: a schema of the subset in the form that values are judged by.
//!
//! A flat list of nodes that name each other by number, so that a schema of any depth is compiled, shared and
//! dropped without recursion. Built by `compile`; read by `accept`, `walk` and `validate`.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::json::JsonValue;

use super::kind::SchemaType;
use super::literal::{Literal, LiteralSet};
use super::value_violation::{PathRoot, ValueViolation};
use super::violation::UnsupportedSchema;
use super::{accept, compile, validate};

/// A schema of the enforced subset, ready to judge values. Cheap to clone.
#[derive(Clone)]
pub struct CompiledSchema(Arc<Compiled>);

pub(super) struct Compiled {
    pub(super) raw: JsonValue,
    /// Never empty; the first is the root.
    pub(super) nodes: Vec<Node>,
}

/// The place of a node in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) const ROOT: Self = Self(0);
}

/// What a node accepts.
pub(super) enum Node {
    /// Every lossless value.
    Any,
    /// Values that exactly one branch accepts.
    OneOf(Box<[NodeId]>),
    Object(Box<ObjectNode>),
    /// Lists, whose items match the node if there is one.
    Array(Option<NodeId>),
    /// A type without members, and the values to which it is limited.
    Scalar(SchemaType, Option<Box<Limits>>),
}

/// The values to which a scalar is limited.
pub(super) struct Limits {
    pub(super) allowed: Option<LiteralSet>,
    pub(super) constant: Option<Literal>,
    /// The values of `allowed` as a message shows them, bounded in length.
    pub(super) allowed_text: Box<str>,
    /// The value of `constant` as a message shows it, bounded in length.
    pub(super) constant_text: Box<str>,
}

pub(super) struct ObjectNode {
    /// In the order of the schema.
    pub(super) properties: Box<[Property]>,
    /// Where a name stands in `properties`, when there are too many to look through.
    pub(super) index: Option<HashMap<Box<str>, usize>>,
    /// Places in `properties`, in the order of the schema; a name may occur twice.
    pub(super) required: Box<[usize]>,
    /// How many different names are required.
    pub(super) required_count: usize,
    /// Whether undeclared keys are refused.
    pub(super) closed: bool,
}

pub(super) struct Property {
    pub(super) name: Box<str>,
    pub(super) node: NodeId,
    pub(super) required: bool,
}

static ANY_NODE: Node = Node::Any;

static ANY: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema(Arc::new(Compiled { raw: JsonValue::empty_object(), nodes: vec![Node::Any] }))
});

impl CompiledSchema {
    /// Compiles a raw schema.
    ///
    /// # Errors
    /// When the schema is outside the enforced subset, with every violation.
    pub fn compile(raw: JsonValue) -> Result<Self, UnsupportedSchema> {
        compile::compile(raw).map(|compiled| Self(Arc::new(compiled)))
    }

    /// The empty schema, which accepts every JSON value; shared, no allocation.
    #[must_use]
    pub fn any() -> Self {
        ANY.clone()
    }

    /// The schema as it was given.
    #[must_use]
    pub fn raw(&self) -> &JsonValue {
        &self.0.raw
    }

    /// Whether the schema accepts a value. Allocates nothing for a valid value of ordinary depth.
    #[must_use]
    pub fn is_valid(&self, value: &JsonValue) -> bool {
        accept::accepts(&self.0, NodeId::ROOT, value.as_value(), accept::Loss::Impossible)
    }

    /// Every violation of a value in walk order; empty when the schema accepts it.
    ///
    /// The value need not be lossless: negative zero is a violation of its own. Defaults are not applied.
    #[must_use]
    pub fn validate(&self, value: &Value, root: PathRoot) -> Vec<ValueViolation> {
        validate::validate(self, value, root)
    }

    /// Judges a value first and lists violations only when there are any.
    ///
    /// # Errors
    /// When the schema does not accept the value, with every violation in walk order.
    pub fn check_value(&self, value: &JsonValue, root: PathRoot) -> Result<(), Vec<ValueViolation>> {
        if self.is_valid(value) { Ok(()) } else { Err(self.validate(value, root)) }
    }

    pub(super) fn compiled(&self) -> &Compiled {
        &self.0
    }
}

impl Compiled {
    /// A node. Ids come from this schema only, so the fallback is never taken.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&ANY_NODE)
    }
}

impl ObjectNode {
    /// Where a name is declared. `hint` is where it is looked for first: keys often come in the schema's order.
    pub(super) fn find(&self, name: &str, hint: usize) -> Option<(usize, &Property)> {
        if let Some(property) = self.properties.get(hint)
            && is_same(&property.name, name)
        {
            return Some((hint, property));
        }
        let place = match &self.index {
            Some(index) => *index.get(name)?,
            None => self.properties.iter().position(|property| is_same(&property.name, name))?,
        };
        Some((place, self.properties.get(place)?))
    }
}

/// Whether two keys are the same. Most keys are short, and comparing a short one by words in place is quicker than
/// calling the general comparison.
fn is_same(declared: &str, name: &str) -> bool {
    let (declared, name) = (declared.as_bytes(), name.as_bytes());
    if declared.len() != name.len() {
        return false;
    }
    match name.len() {
        // Two words that overlap cover every byte.
        8..=16 => {
            declared.first_chunk::<8>() == name.first_chunk::<8>()
                && declared.last_chunk::<8>() == name.last_chunk::<8>()
        }
        4..=7 => {
            declared.first_chunk::<4>() == name.first_chunk::<4>()
                && declared.last_chunk::<4>() == name.last_chunk::<4>()
        }
        2..=3 => declared.first_chunk::<2>() == name.first_chunk::<2>() && declared.last() == name.last(),
        _ => declared == name,
    }
}

impl Limits {
    /// Whether a scalar of the right type is one of the allowed values.
    pub(super) fn allow(&self, value: &Value) -> bool {
        self.allowed.as_ref().is_none_or(|set| set.contains(value))
            && self.constant.as_ref().is_none_or(|constant| constant.equals(value))
    }
}

/// The schema as JSON text.
impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CompiledSchema").field(self.raw()).finish()
    }
}
