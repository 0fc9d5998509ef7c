//! The languages that programs are written in.

use std::fmt;
use std::str::FromStr;

/// A language with declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// TypeScript, written `typescript`.
    TypeScript,
    /// Python, written `python`.
    Python,
}

impl Language {
    /// The language's name in files, on command lines and for
    /// [`CodeTransport::language`](toolgate::CodeTransport::language).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        [Self::TypeScript, Self::Python]
            .into_iter()
            .find(|language| language.as_str() == text)
            .ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}

/// A text names no language that declarations can be written in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are no declarations in {0:?}; hint: use `typescript` or `python`")]
pub struct UnknownLanguage(String);
