//! The first thing that is wrong with an authored schema.

use std::fmt;

use crate::excerpt::Excerpt;
use crate::schema::{SchemaViolation, UnsupportedSchema, ViolationKind};

/// An authored schema is refused: the first fault, those of the author language before those of the compiled
/// schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct AuthorFault {
    kind: ViolationKind,
    path: String,
}

impl AuthorFault {
    pub(super) fn new(kind: ViolationKind, path: String) -> Self {
        Self { kind, path }
    }

    /// The rule that is broken.
    #[must_use]
    pub fn kind(&self) -> ViolationKind {
        self.kind
    }

    /// The place, as `parameters.path.type`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// One sentence for the reader, bounded in length.
    #[must_use]
    pub fn message(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for AuthorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", Excerpt::path(&self.path), self.kind.explanation())
    }
}

impl From<&SchemaViolation> for AuthorFault {
    fn from(violation: &SchemaViolation) -> Self {
        Self { kind: violation.kind(), path: violation.path() }
    }
}

impl From<UnsupportedSchema> for AuthorFault {
    fn from(unsupported: UnsupportedSchema) -> Self {
        match unsupported.violations().first() {
            Some(violation) => Self::from(violation),
            None => Self { kind: ViolationKind::NotASchema, path: String::from("schema") },
        }
    }
}
