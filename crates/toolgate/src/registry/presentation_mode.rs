//! How tools are presented to a model (rule R5).

use std::fmt;
use std::str::FromStr;

/// What a model is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PresentationMode {
    /// The tools themselves.
    #[default]
    Native,
    /// Only `run_code`; the tools are reached from its programs, and nowhere else.
    Code,
    /// The tools and `run_code`.
    Both,
}

impl PresentationMode {
    /// Whether `run_code` is presented.
    #[must_use]
    pub fn presents_code(self) -> bool {
        match self {
            Self::Native => false,
            Self::Code | Self::Both => true,
        }
    }

    /// The mode's name in files and on command lines.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Code => "code",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for PresentationMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no presentation mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no presentation mode; there are `native`, `code` and `both`")]
pub struct UnknownPresentationMode(String);

impl FromStr for PresentationMode {
    type Err = UnknownPresentationMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "native" => Ok(Self::Native),
            "code" => Ok(Self::Code),
            "both" => Ok(Self::Both),
            _ => Err(UnknownPresentationMode(text.to_owned())),
        }
    }
}
