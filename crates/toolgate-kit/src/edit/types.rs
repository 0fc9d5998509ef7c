//! What the edit tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

use crate::change::LineChanges;

/// How many edits one call may make.
pub(super) const MOST_EDITS: usize = 100;

/// The arguments of the `edit` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditArgs {
    /// The file to edit: relative to the workspace root, or absolute and inside it.
    pub(crate) file_path: String,
    /// The text to replace, exactly as it is in the file, with enough around it to be there only once.
    pub(crate) old_string: Option<String>,
    /// The text to put in its place. It may be empty.
    pub(crate) new_string: Option<String>,
    /// Whether to replace every occurrence of `old_string`. Without it there must be exactly one.
    pub(crate) replace_all: Option<bool>,
    /// Instead of `old_string` and `new_string`: several edits of the file, at most 100, made one after the other. Each
    /// sees what the ones before it left. If one fails, none is made.
    pub(crate) edits: Option<Vec<Edit>>,
}

/// One replacement.
#[derive(Clone, Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    /// The text to replace, exactly as it is in the file.
    pub(crate) old_string: String,
    /// The text to put in its place. It may be empty.
    pub(crate) new_string: String,
    /// Whether to replace every occurrence of `old_string`.
    pub(crate) replace_all: Option<bool>,
}

/// What editing a file did.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(crate) struct EditOutput {
    /// The file, relative to the workspace root, links followed.
    pub(crate) path: String,
    /// How many places were replaced, over all edits.
    pub(crate) replacements: u64,
    /// The lines that changed.
    pub(crate) changes: LineChanges,
    /// How many other names (hard links) the file has. They keep the old content.
    pub(crate) other_names: u64,
}
