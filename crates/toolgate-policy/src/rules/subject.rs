//! Which argument of which tool the short form of a rule speaks of: `bash(…)` of a command, `read(…)` of a path.
//!
//! The one list of tools that rules know by name. Every other tool is reached by naming its arguments.

use serde_json::{Map, Value};

/// What the text in the parentheses of a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A command line.
    Command,
    /// Files.
    Path,
    /// A folder and everything below it.
    Tree,
    /// An address.
    Url,
}

impl Subject {
    /// What rules about a tool speak of, if they know the tool.
    pub(crate) fn of(tool: &str) -> Option<Self> {
        Some(match tool {
            "bash" => Self::Command,
            "read" | "write" | "edit" | "delete" | "move" => Self::Path,
            "glob" | "grep" => Self::Tree,
            "web_fetch" => Self::Url,
            _ => return None,
        })
    }

    /// The argument that an example stands for.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Path => "file_path",
            Self::Tree => "path",
            Self::Url => "url",
        }
    }
}

/// The arguments of the tools for files that hold a path.
const PATHS: &[&str] = &["file_path", "source", "destination"];

/// The paths among the arguments of a tool for files. Empty where there is none.
pub(crate) fn paths(arguments: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    arguments.iter().filter(|(name, _)| PATHS.contains(&name.as_str())).map(|(_, value)| value)
}

/// The arguments of `bash` that a rule for commands takes into account. With any other one, nobody knows what would run.
pub(crate) const UNDERSTOOD_BESIDE_COMMAND: &[&str] =
    &["command", "description", "workdir", "timeout_ms", "run_in_background"];
