//! What a schema says, in words that both languages have: the closest type, and a list of what it leaves out.
//!
//! [`read`] makes a [`Model`] of one schema. A shape is at most [`DEPTH`] levels deep, plus one where schemas are
//! combined, so what prints it may recurse. References become named definitions, so that a schema that refers to
//! itself stays finite and one that refers to the same definition often stays small.

mod combine;
mod cycles;
mod keywords;
mod members;
mod overlap;
mod reader;
mod scalars;

use serde_json::Number;
use serde_json::Value;

use crate::losses::LossReason;
use crate::pointer::Pointer;

/// The most levels of a schema that are declared; what lies deeper is any JSON.
pub(crate) const DEPTH: usize = 32;

/// The most nodes of one schema that are declared: schemas, enumerated values, and long names in pieces of 16 bytes.
/// What comes after them is any JSON.
pub const SCHEMA_NODES: usize = 4096;

/// The most bytes of all descriptions in one schema.
pub(crate) const DESCRIPTION_BYTES: usize = 64 * 1024;

/// The longest property name that is declared, in bytes.
pub(crate) const NAME_BYTES: usize = 256;

/// A schema as types.
pub(crate) struct Model<'a> {
    pub(crate) root: Shape<'a>,
    /// What references lead to, in the order in which they were met.
    pub(crate) definitions: Vec<Definition<'a>>,
    pub(crate) losses: Vec<(Pointer, LossReason)>,
}

/// A part of a schema that has a name.
pub(crate) struct Definition<'a> {
    /// The last word of the reference.
    pub(crate) hint: &'a str,
    pub(crate) shape: Shape<'a>,
}

/// A type with its place and its comment.
pub(crate) struct Shape<'a> {
    pub(crate) at: Pointer,
    pub(crate) kind: Kind<'a>,
    pub(crate) description: Option<&'a str>,
    /// Rules and defaults that the type does not say, in short.
    pub(crate) notes: Vec<String>,
}

/// A type.
pub(crate) enum Kind<'a> {
    Any,
    Never,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// One of these values; never empty.
    Literals(Vec<Literal<'a>>),
    Array(Box<Shape<'a>>),
    Tuple(Tuple<'a>),
    Object(Object<'a>),
    Union(Union<'a>),
    /// One of the model's definitions.
    Named(usize),
}

/// A scalar value.
pub(crate) enum Literal<'a> {
    Null,
    Boolean(bool),
    Number(&'a Number),
    Text(&'a str),
}

/// A list whose first items have types of their own.
pub(crate) struct Tuple<'a> {
    pub(crate) items: Vec<Shape<'a>>,
    /// How many of them must be there.
    pub(crate) least: usize,
    /// What may follow them.
    pub(crate) rest: Option<Box<Shape<'a>>>,
}

/// An object.
pub(crate) struct Object<'a> {
    pub(crate) properties: Vec<Property<'a>>,
    pub(crate) undeclared: Undeclared<'a>,
}

/// A declared property.
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    pub(crate) required: bool,
    pub(crate) shape: Shape<'a>,
}

/// What an object allows besides its properties.
pub(crate) enum Undeclared<'a> {
    Nothing,
    Anything,
    Of(Box<Shape<'a>>),
}

/// One of several types; at least two.
pub(crate) struct Union<'a> {
    pub(crate) branches: Vec<Shape<'a>>,
    /// The place of the keyword, where the schema refuses a value that fits several branches.
    pub(crate) exclusive: Option<Pointer>,
}

/// Reads a schema. Total: what cannot be said becomes a wider type and a loss.
pub(crate) fn read(schema: &Value) -> Model<'_> {
    let mut model = reader::Reader::read(schema);
    cycles::cut(&mut model);
    overlap::report(&mut model);
    model
}

impl<'a> Shape<'a> {
    pub(crate) fn new(at: &Pointer, kind: Kind<'a>) -> Self {
        Self { at: at.clone(), kind, description: None, notes: Vec::new() }
    }
}

impl Kind<'_> {
    /// Whether the type says nothing.
    pub(crate) fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }
}

impl<'a> Kind<'a> {
    /// The object, where it is one.
    pub(crate) fn as_object(&self) -> Option<&Object<'a>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }
}
