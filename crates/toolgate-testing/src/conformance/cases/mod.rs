//! Reading of cases: files, the fields that every case has, and the notation for deep values.

mod fields;
mod nest;
mod read;

pub(crate) use fields::{Fields, present};
pub(crate) use nest::{CaseValue, copy, copy_as_object, repeated_text};
pub use read::ReadError;
pub(crate) use read::{Ability, Case, Read, read_folder};

/// Why a case cannot be played as it is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Malformed(String);

impl Malformed {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<serde_json::Error> for Malformed {
    fn from(error: serde_json::Error) -> Self {
        Self::new(error.to_string())
    }
}
