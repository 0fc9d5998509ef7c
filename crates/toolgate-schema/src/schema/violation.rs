//! What can be wrong with a schema.
//!
//! Made by `check` and by the author language. Violations of one check share their paths; text is built on demand
//! and cut when it becomes a message.

use std::fmt;

use crate::excerpt::Excerpt;
use crate::path::PathRef;

/// How many violations [`UnsupportedSchema`] prints.
const PRINTED: usize = 8;

/// The rule that a schema breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// A schema is an object; this is something else.
    NotASchema,
    /// An annotation holds negative zero.
    AnnotationNotLossless,
    /// The keyword is not in the subset, or not in this kind of node.
    UnsupportedKeyword,
    /// `description` or `title` is not a text.
    AnnotationNotString,
    /// `type` and `oneOf` stand in one node.
    TypeAndOneOf,
    /// A keyword needs a `type` beside it.
    KeywordWithoutType,
    /// `oneOf` is not a list of two or more schemas.
    OneOfTooFew,
    /// A constraint stands beside `oneOf`.
    KeywordBesideOneOf,
    /// `type` is missing or not one of the known names.
    BadType,
    /// The keyword belongs to another type.
    MisplacedKeyword,
    /// The declared properties are not an object.
    BadProperties,
    /// `required` has the wrong form.
    BadRequired,
    /// `required` names a property that is not declared.
    RequiredUndeclared,
    /// `additionalProperties` is not a boolean, or missing where the author must decide.
    BadAdditionalProperties,
    /// `enum` is not a non-empty list of values of the type.
    BadEnum,
    /// `const` is not a value of the type.
    BadConst,
    /// `const` is not among the values of `enum`.
    ConstNotInEnum,
    /// The root must be an object schema here.
    RootNotObject,
}

impl ViolationKind {
    /// The kind as a stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotASchema => "not-a-schema",
            Self::AnnotationNotLossless => "annotation-not-lossless",
            Self::UnsupportedKeyword => "unsupported-keyword",
            Self::AnnotationNotString => "annotation-not-string",
            Self::TypeAndOneOf => "type-and-oneof",
            Self::KeywordWithoutType => "keyword-without-type",
            Self::OneOfTooFew => "oneof-too-few",
            Self::KeywordBesideOneOf => "keyword-beside-oneof",
            Self::BadType => "bad-type",
            Self::MisplacedKeyword => "misplaced-keyword",
            Self::BadProperties => "bad-properties",
            Self::BadRequired => "bad-required",
            Self::RequiredUndeclared => "required-undeclared",
            Self::BadAdditionalProperties => "bad-additional-properties",
            Self::BadEnum => "bad-enum",
            Self::BadConst => "bad-const",
            Self::ConstNotInEnum => "const-not-in-enum",
            Self::RootNotObject => "root-not-object",
        }
    }

    /// The sentence that says what is wrong at a place.
    pub(crate) const fn explanation(self) -> &'static str {
        match self {
            Self::NotASchema => "must be an object that describes a value",
            Self::AnnotationNotLossless => "holds negative zero, which is not lossless JSON",
            Self::UnsupportedKeyword => "is not a supported keyword here",
            Self::AnnotationNotString => "must be a string",
            Self::TypeAndOneOf => "has both `type` and `oneOf`; use one of them",
            Self::KeywordWithoutType => "needs a `type` beside it",
            Self::OneOfTooFew => "must be an array of two or more schemas",
            Self::KeywordBesideOneOf => "cannot stand beside `oneOf`; move it into the branches",
            Self::BadType => {
                "must be one of \"object\", \"array\", \"string\", \"number\", \"integer\", \"boolean\", \"null\""
            }
            Self::MisplacedKeyword => "does not belong to a schema of this `type`",
            Self::BadProperties => "must be an object that maps property names to schemas",
            Self::BadRequired => {
                "has the wrong form: a schema lists names of properties, a property of the author language says `true`"
            }
            Self::RequiredUndeclared => "names a property that `properties` does not declare",
            Self::BadAdditionalProperties => "must be present and `true` or `false`",
            Self::BadEnum => "must be a non-empty array of values of the declared type",
            Self::BadConst => "must be a value of the declared type",
            Self::ConstNotInEnum => "is not one of the values of `enum`",
            Self::RootNotObject => "must be \"object\": an object schema is demanded here",
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One rule broken at one place of a schema. `Display` is a message of bounded length.
#[derive(Debug, Clone)]
pub struct SchemaViolation {
    pub(super) path: PathRef,
    pub(super) kind: ViolationKind,
    pub(super) name: Option<String>,
}

impl SchemaViolation {
    /// The place, as `schema.properties.path.type`. Names are unchanged; the text is built on each call.
    #[must_use]
    pub fn path(&self) -> String {
        self.path.text()
    }

    /// The rule.
    #[must_use]
    pub fn kind(&self) -> ViolationKind {
        self.kind
    }

    /// The undeclared property, for [`ViolationKind::RequiredUndeclared`].
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// One sentence for the reader, bounded in length.
    #[must_use]
    pub fn message(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", Excerpt::path(&self.path()), self.kind.explanation())?;
        match &self.name {
            Some(name) => write!(f, " (`{}`)", Excerpt::name(name)),
            None => Ok(()),
        }
    }
}

/// A schema is outside the enforced subset. Holds every violation; `Display` prints the first few.
#[derive(Debug, Clone, thiserror::Error)]
pub struct UnsupportedSchema {
    pub(super) violations: Vec<SchemaViolation>,
}

impl UnsupportedSchema {
    /// Every violation, in walk order; never empty.
    #[must_use]
    pub fn violations(&self) -> &[SchemaViolation] {
        &self.violations
    }
}

impl fmt::Display for UnsupportedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the schema is outside the supported subset: ")?;
        for (index, violation) in self.violations.iter().take(PRINTED).enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{violation}")?;
        }
        match self.violations.len().saturating_sub(PRINTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}
