//! The families of cases, one file each.

use std::fmt;
use std::str::FromStr;

/// A family of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Which raw schemas are in the enforced subset.
    SchemaAssert,
    /// Which values a schema accepts.
    ValueValidate,
    /// What the author language becomes.
    DslCompile,
    /// What happens to a call.
    Pipeline,
    /// Who sees which tool.
    Registry,
    /// How the calls of one step overlap.
    Schedule,
    /// What programs can do.
    CodeMode,
}

impl Family {
    /// Every family, in the order in which they run.
    pub const ALL: [Self; 7] = [
        Self::SchemaAssert,
        Self::ValueValidate,
        Self::DslCompile,
        Self::Pipeline,
        Self::Registry,
        Self::Schedule,
        Self::CodeMode,
    ];

    /// The name, as in the file `<name>.json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SchemaAssert => "schema-assert",
            Self::ValueValidate => "value-validate",
            Self::DslCompile => "dsl-compile",
            Self::Pipeline => "pipeline",
            Self::Registry => "registry",
            Self::Schedule => "schedule",
            Self::CodeMode => "code-mode",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no family of cases; there are {known}", known = Family::ALL.map(Family::as_str).join(", "))]
pub struct UnknownFamily {
    name: String,
}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        let known = Self::ALL.into_iter().find(|family| family.as_str() == name);
        known.ok_or_else(|| UnknownFamily { name: name.to_owned() })
    }
}
