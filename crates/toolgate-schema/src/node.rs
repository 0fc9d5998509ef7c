//! The compile-time form of a schema: what `#[derive(Schema)]` produces.
//!
//! A [`Node`] is plain `'static` data, so that a type's schema costs nothing to hold and is turned into the
//! enforced JSON Schema subset once, when a tool is registered. Nothing here validates values; see `schema`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{JsonValue, Nullable};

/// A Rust type whose JSON form a schema describes (rule S5).
///
/// Implemented by `#[derive(Schema)]`. `Option<T>` has no implementation on purpose: an optional *field* means
/// that the key may be absent, which only the derive on the enclosing struct can say. For a value that may be
/// null use [`Nullable`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON schema",
    label = "this type cannot be described to a model",
    note = "derive it with `#[derive(Schema)]`, or use a type of the subset: String, PathBuf, bool, integers, floats, Vec<T>, Nullable<T>, JsonValue, maps from String to JsonValue",
    note = "a field of a foreign type takes the schema of another one: `#[schema(with = \"String\")]`",
    note = "`Option<T>` is allowed only as the type of a named field: it means that the key may be absent"
)]
pub trait Schema {
    /// The schema of this type.
    const NODE: &'static Node;
}

/// One schema node with its annotations.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// What values the node accepts.
    pub kind: NodeKind,
    /// Text for the reader of the schema, usually a doc comment.
    pub description: Option<&'static str>,
    /// Short name for the reader of the schema.
    pub title: Option<&'static str>,
}

/// The kinds of schema nodes (rule S1).
#[derive(Debug, Clone, Copy)]
pub enum NodeKind {
    /// Any text, or one of the listed texts.
    String {
        /// The allowed texts; `None` allows every text.
        values: Option<&'static [&'static str]>,
    },
    /// Exactly this text (the tag of a tagged enum).
    Literal(&'static str),
    /// Any lossless number.
    Number,
    /// Any number without a fraction. The width of the Rust type is checked when the value is decoded.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// `null` only.
    Null,
    /// A list whose items all match the node.
    Array(&'static Node),
    /// An object with declared properties.
    Object {
        /// The declared properties, in the order of declaration.
        properties: &'static [Property],
        /// Whether other keys are accepted as well.
        additional_properties: bool,
    },
    /// Any JSON value.
    Json,
    /// Exactly one of at least two branches.
    OneOf(&'static [&'static Node]),
}

/// One declared property of an object node.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// The key as it is written in JSON.
    pub name: &'static str,
    /// What the value must be.
    pub node: &'static Node,
    /// Description of this property; it replaces the description of `node`.
    pub description: Option<&'static str>,
    /// Whether the key must be present.
    pub required: bool,
}

impl Node {
    /// A node of a kind, without annotations.
    #[must_use]
    pub const fn new(kind: NodeKind) -> Self {
        Self { kind, description: None, title: None }
    }

    /// The same node with a description; `None` keeps the one it has.
    #[must_use]
    pub const fn described(mut self, description: Option<&'static str>) -> Self {
        if description.is_some() {
            self.description = description;
        }
        self
    }
}

macro_rules! scalar_schema {
    ($($kind:expr => $($ty:ty),+;)+) => {
        $($(impl Schema for $ty {
            const NODE: &'static Node = &Node::new($kind);
        })+)+
    };
}

scalar_schema! {
    NodeKind::String { values: None } => String, str, Cow<'_, str>, std::path::PathBuf;
    NodeKind::Integer => i8, i16, i32, i64, isize, u8, u16, u32, u64, usize;
    NodeKind::Number => f32, f64;
    NodeKind::Boolean => bool;
    NodeKind::Null => ();
    NodeKind::Json => JsonValue, Value;
    NodeKind::Object { properties: &[], additional_properties: true } =>
        Map<String, Value>, BTreeMap<String, JsonValue>, HashMap<String, JsonValue>,
        BTreeMap<String, Value>, HashMap<String, Value>;
}

macro_rules! transparent_schema {
    ($($ty:ty),+) => {
        $(impl<T: Schema + ?Sized> Schema for $ty {
            const NODE: &'static Node = T::NODE;
        })+
    };
}

transparent_schema!(&T, Box<T>, Arc<T>, Rc<T>);

impl<T: Schema> Schema for Vec<T> {
    const NODE: &'static Node = &Node::new(NodeKind::Array(T::NODE));
}

impl<T: Schema> Schema for [T] {
    const NODE: &'static Node = &Node::new(NodeKind::Array(T::NODE));
}

impl<T: Schema> Schema for Nullable<T> {
    const NODE: &'static Node = {
        assert!(
            !accepts_null(T::NODE),
            "the type inside `Nullable` accepts null itself, so null would have two meanings; \
             remove the outer `Nullable`"
        );
        &Node::new(NodeKind::OneOf(&[T::NODE, <()>::NODE]))
    };
}

/// Whether a node accepts null. Runs at compile time.
const fn accepts_null(node: &Node) -> bool {
    match node.kind {
        NodeKind::Null | NodeKind::Json => true,
        NodeKind::OneOf(mut branches) => {
            while let [branch, rest @ ..] = branches {
                if accepts_null(branch) {
                    return true;
                }
                branches = rest;
            }
            false
        }
        NodeKind::String { .. }
        | NodeKind::Literal(_)
        | NodeKind::Number
        | NodeKind::Integer
        | NodeKind::Boolean
        | NodeKind::Array(_)
        | NodeKind::Object { .. } => false,
    }
}
