//! What can be wrong with a value.
//!
//! Made by `validate`. A message says what would have been accepted, so that a model can correct its call; it
//! never embeds the value, and everything in it is cut to a bounded length.

use std::fmt;

use crate::excerpt::Excerpt;
use crate::path::{PathRef, Root};

use super::compiled::{CompiledSchema, Node, NodeId};
use super::kind::SchemaType;

/// How many declared names a message lists.
const LISTED: usize = 10;

/// How the paths of violations begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRoot {
    /// The root is `value`, its properties are `value.name`.
    Value,
    /// The arguments of a call: the root is `arguments`, its properties are just `name`.
    Arguments,
}

impl PathRoot {
    pub(super) fn root(self) -> Root {
        match self {
            Self::Value => Root::VALUE,
            Self::Arguments => Root::ARGUMENTS,
        }
    }
}

/// The rule that a value breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueViolationKind {
    /// The value has another type.
    WrongType {
        /// The type that the schema names.
        expected: SchemaType,
    },
    /// The value holds negative zero.
    NotLossless,
    /// A required property is absent.
    MissingRequired,
    /// The object is closed and does not declare this key.
    UndeclaredProperty,
    /// The value is not one of `enum`.
    EnumMismatch,
    /// The value is not `const`.
    ConstMismatch,
    /// Not exactly one branch of `oneOf` accepts the value.
    OneOfMatch {
        /// How many branches do.
        matched: usize,
    },
}

impl ValueViolationKind {
    /// The kind as a stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong-type",
            Self::NotLossless => "not-lossless",
            Self::MissingRequired => "missing-required",
            Self::UndeclaredProperty => "undeclared-property",
            Self::EnumMismatch => "enum-mismatch",
            Self::ConstMismatch => "const-mismatch",
            Self::OneOfMatch { .. } => "oneof-match",
        }
    }
}

impl fmt::Display for ValueViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One rule broken at one place of a value. `Display` is a message of bounded length that a model can act on.
#[derive(Debug, Clone)]
pub struct ValueViolation {
    pub(super) path: PathRef,
    pub(super) kind: ValueViolationKind,
    /// The type of the value, where it is there.
    pub(super) found: Option<SchemaType>,
    /// Where the rule stands.
    pub(super) schema: CompiledSchema,
    pub(super) node: NodeId,
}

impl ValueViolation {
    /// The place, as `value.items[3].name`. Names are unchanged; the text is built on each call.
    #[must_use]
    pub fn path(&self) -> String {
        self.path.text()
    }

    /// The rule.
    #[must_use]
    pub fn kind(&self) -> ValueViolationKind {
        self.kind
    }

    /// One sentence for the reader, bounded in length.
    #[must_use]
    pub fn message(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for ValueViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        let node = self.schema.compiled().node(self.node);
        write!(f, "`{}` ", Excerpt::path(&path))?;
        match self.kind {
            ValueViolationKind::WrongType { expected } => self.write_wrong_type(f, expected),
            ValueViolationKind::NotLossless => {
                f.write_str("holds negative zero, which is not lossless JSON; write 0")
            }
            ValueViolationKind::MissingRequired => f.write_str("is required but missing"),
            ValueViolationKind::UndeclaredProperty => {
                f.write_str("is not a known property")?;
                write_declared(f, node)
            }
            ValueViolationKind::EnumMismatch | ValueViolationKind::ConstMismatch => {
                write_allowed(f, self.kind, node)
            }
            ValueViolationKind::OneOfMatch { matched } => write_union(f, matched, node),
        }
    }
}

impl ValueViolation {
    fn write_wrong_type(&self, f: &mut fmt::Formatter<'_>, expected: SchemaType) -> fmt::Result {
        write!(f, "must be {}", expected.with_article())?;
        match self.found {
            Some(SchemaType::Number) if expected == SchemaType::Integer => {
                f.write_str(", without a fraction and not negative zero")
            }
            Some(SchemaType::Null) => f.write_str(", not null; an optional value is left out instead"),
            Some(found) => write!(f, ", not {}", found.with_article()),
            None => Ok(()),
        }
    }
}

fn write_declared(f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
    let Node::Object(object) = node else { return Ok(()) };
    if object.properties.is_empty() {
        return f.write_str("; no properties are accepted");
    }
    f.write_str("; known are ")?;
    for (index, property) in object.properties.iter().take(LISTED).enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}`{}`", Excerpt::name(&property.name))?;
    }
    match object.properties.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

fn write_allowed(f: &mut fmt::Formatter<'_>, kind: ValueViolationKind, node: &Node) -> fmt::Result {
    let limits = match node {
        Node::Scalar(_, limits) => limits.as_deref(),
        Node::Any | Node::OneOf(_) | Node::Object(_) | Node::Array(_) => None,
    };
    let Some(limits) = limits else { return f.write_str("is not an allowed value") };
    if kind == ValueViolationKind::ConstMismatch {
        return write!(f, "must be {}", limits.constant_text);
    }
    write!(f, "must be one of {}", limits.allowed_text)
}

fn write_union(f: &mut fmt::Formatter<'_>, matched: usize, node: &Node) -> fmt::Result {
    let branches = match node {
        Node::OneOf(branches) => branches.len(),
        Node::Any | Node::Object(_) | Node::Array(_) | Node::Scalar(..) => 0,
    };
    if matched == 0 {
        return write!(f, "must match exactly one of {branches} alternatives, but matches none");
    }
    write!(f, "must match exactly one of {branches} alternatives, but matches {matched}")
}
