//! What the move tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `move` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveArgs {
    /// What to move: a file or directory, relative to the workspace root, or absolute and inside it.
    pub(crate) source: String,
    /// Its whole new path, with the new name at the end. Missing directories are made.
    pub(crate) destination: String,
    /// Whether a file at the destination may be replaced. Directories are never replaced.
    pub(crate) overwrite: Option<bool>,
}

/// What was moved.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(crate) struct MoveOutput {
    /// Where it was, relative to the workspace root.
    pub(crate) source: String,
    /// Where it is now, relative to the workspace root.
    pub(crate) destination: String,
    /// Whether a file at the destination was replaced.
    pub(crate) overwritten: bool,
}
