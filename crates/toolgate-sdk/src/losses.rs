//! What of a tool a declaration does not say.

use std::fmt;

/// One rule or text that a declaration leaves out, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    tool: String,
    part: LossPart,
    pointer: String,
    reason: LossReason,
}

/// The part of a definition that a loss is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossPart {
    /// Name or description of the tool.
    Tool,
    /// The schema of the arguments.
    Parameters,
    /// The schema of the result.
    Output,
}

/// Why a place is not said in full.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossReason {
    /// A keyword that types cannot express. Short ones stand in the comment.
    Keyword(String),
    /// A keyword whose value is not what JSON Schema asks for; it is ignored.
    Malformed(String),
    /// The place should hold a schema and holds something else.
    NotASchema,
    /// A keyword that has to hold together with its neighbours; only the neighbours are declared.
    Conjunction(String),
    /// The branches of `oneOf` are not known to exclude each other; a value that fits several is refused by the
    /// schema and not by the type.
    Overlap,
    /// The schema names no type; the one that its keywords are for is declared.
    AssumedType(String),
    /// A reference that leads out of the document, or nowhere.
    Reference,
    /// A definition that is nothing but itself.
    SelfReference,
    /// A value that the language has no literal type for.
    Literal,
    /// More values than a declaration lists.
    ManyValues,
    /// The types of the positions of a list; all its items have one type.
    Positions,
    /// The type of undeclared keys; any JSON is declared.
    UndeclaredKeys,
    /// A property name that the language cannot declare, or that is too long; undeclared keys are allowed instead.
    PropertyName,
    /// The type of an optional property whose name every object of the language has; any type is declared.
    InheritedName,
    /// Deeper than declarations go; any JSON is declared.
    TooDeep,
    /// The schema is larger than declarations are; from here on any JSON is declared.
    TooLarge,
    /// A description that is too long and ends with a mark.
    DescriptionCut,
    /// A description that has no place, or no room.
    DescriptionLeftOut,
    /// A second tool of the same name; only the first is declared.
    DuplicateName,
}

impl Loss {
    pub(crate) fn new(tool: &str, part: LossPart, pointer: String, reason: LossReason) -> Self {
        Self { tool: tool.to_owned(), part, pointer, reason }
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The part of the tool's definition.
    #[must_use]
    pub fn part(&self) -> LossPart {
        self.part
    }

    /// The JSON Pointer (RFC 6901) of the place inside the part's schema; empty for its root.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What is not said there.
    #[must_use]
    pub fn reason(&self) -> &LossReason {
        &self.reason
    }
}

/// One sentence on one line; names are quoted and escaped.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            LossPart::Tool => "",
            LossPart::Parameters => " parameters",
            LossPart::Output => " output",
        };
        write!(f, "{:?}{part}", self.tool)?;
        if !self.pointer.is_empty() {
            write!(f, " at {:?}", self.pointer)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyword(keyword) => write!(f, "the type does not say {keyword:?}"),
            Self::Malformed(keyword) => write!(f, "{keyword:?} is malformed and ignored"),
            Self::NotASchema => f.write_str("not a schema, declared as any JSON"),
            Self::Conjunction(keyword) => {
                write!(f, "{keyword:?} is left out beside what it is combined with")
            }
            Self::Overlap => f.write_str("the type does not say that exactly one branch may fit"),
            Self::AssumedType(name) => write!(f, "no type is named, {name} is assumed"),
            Self::Reference => f.write_str("the reference leads out of the schema or nowhere"),
            Self::SelfReference => f.write_str("the definition is nothing but itself"),
            Self::Literal => f.write_str("a value has no literal type"),
            Self::ManyValues => f.write_str("too many values to list"),
            Self::Positions => f.write_str("the type does not say what stands at which position"),
            Self::UndeclaredKeys => f.write_str("undeclared keys are declared as any JSON"),
            Self::PropertyName => f.write_str("a property name cannot be declared"),
            Self::InheritedName => {
                f.write_str("every object has a property of this name, any type is declared")
            }
            Self::TooDeep => f.write_str("too deep, declared as any JSON"),
            Self::TooLarge => f.write_str("the schema is too large, the rest is declared as any JSON"),
            Self::DescriptionCut => f.write_str("the description is cut"),
            Self::DescriptionLeftOut => f.write_str("the description is left out"),
            Self::DuplicateName => f.write_str("a second tool of this name is left out"),
        }
    }
}
