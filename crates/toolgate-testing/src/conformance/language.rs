//! The languages of the programs in cases. A run plays one of them.

use std::fmt;
use std::str::FromStr;

/// A language of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProgramLanguage {
    /// TypeScript.
    #[default]
    TypeScript,
    /// Python.
    Python,
}

impl ProgramLanguage {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::TypeScript, Self::Python];

    /// The name, as in a case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }
}

impl fmt::Display for ProgramLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no language of programs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no language of programs; there are {known}", known = ProgramLanguage::ALL.map(ProgramLanguage::as_str).join(", "))]
pub struct UnknownLanguage {
    name: String,
}

impl FromStr for ProgramLanguage {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        let known = Self::ALL.into_iter().find(|language| language.as_str() == name);
        known.ok_or_else(|| UnknownLanguage { name: name.to_owned() })
    }
}
