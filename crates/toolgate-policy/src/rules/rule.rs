//! One rule: a decision, the calls that it is about, and where it comes from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toolgate::ToolExecution;

use super::call_pattern::CallPattern;
use super::facts::Facts;
use super::path::Folder;
use super::set::RulesError;

/// What a rule, or all rules together, say of a call. The later one of two wins: deny beats ask beats allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The call may run.
    Allow,
    /// Somebody has to allow it.
    Ask,
    /// The call may not run.
    Deny,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// Where a rule comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of a file, counted from 1.
    File {
        /// The file, as it is to be shown.
        file: PathBuf,
        /// The line.
        line: usize,
    },
    /// A flag of a command line, such as `--allow`.
    Flag(String),
    /// A person, who chose it when asked.
    Person,
    /// The program that runs the tools.
    Program,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line } => write!(f, "{}:{line}", file.display()),
            Self::Flag(flag) => f.write_str(flag),
            Self::Person => f.write_str("chosen when asked"),
            Self::Program => f.write_str("built in"),
        }
    }
}

/// One rule. Cheap to clone enough for a grant to keep its own.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(super) decision: Decision,
    pub(super) pattern: CallPattern,
    pub(super) reason: Option<String>,
    pub(super) origin: Origin,
    pub(super) folder: Arc<Folder>,
}

impl Rule {
    /// A rule that allows what a text such as `bash(git status)` means, for calls in a workspace.
    ///
    /// # Errors
    /// The text is no rule, or the workspace is no folder that can be found.
    pub fn allow(text: &str, origin: Origin, workspace: &Path) -> Result<Self, RulesError> {
        let rules = super::Rules::builder(workspace).rule(Decision::Allow, text, origin).build()?;
        rules.into_first()
    }

    /// What the rule says of the calls that it is about.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Which calls it is about. Its text can be written into a configuration.
    #[must_use]
    pub fn pattern(&self) -> &CallPattern {
        &self.pattern
    }

    /// Why somebody made the rule, if they said so.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Where the rule comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether the rule, alone, decides the call: for a rule that allows, whether it allows the whole call; for one that
    /// denies or asks, whether the call may be one that it means.
    ///
    /// Paths are looked at as they are now, so a rule of a grant is asked again for every call.
    #[must_use]
    pub fn matches(&self, call: &ToolExecution) -> bool {
        self.decides(&Facts::new(call.name(), call.arguments().as_value(), &self.folder))
    }

    pub(super) fn decides(&self, facts: &Facts<'_>) -> bool {
        match self.decision {
            Decision::Allow => self.pattern.covers(facts),
            Decision::Ask | Decision::Deny => self.pattern.may_mean(facts),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` ({})", self.decision, self.pattern, self.origin)
    }
}
