//! What the write tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

use crate::change::LineChanges;

/// The arguments of the `write` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteArgs {
    /// The file to write: relative to the workspace root, or absolute and inside it. Missing directories are made.
    pub(crate) file_path: String,
    /// The whole new content of the file, written exactly as it is given here.
    pub(crate) content: String,
}

/// What writing a file did.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(crate) struct WriteOutput {
    /// The file, relative to the workspace root, links followed.
    pub(crate) path: String,
    /// What happened to it.
    pub(crate) outcome: WriteOutcome,
    /// How many bytes it has now.
    pub(crate) bytes: u64,
    /// How many lines it has now.
    pub(crate) lines: u64,
    /// The lines that changed. Only where a text was replaced.
    pub(crate) changes: Option<LineChanges>,
    /// How many other names (hard links) the replaced file has. They keep the old content.
    pub(crate) other_names: u64,
}

/// What writing a file did to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WriteOutcome {
    /// There was none.
    Created,
    /// It has another content now.
    Replaced,
    /// It had this content already, and was left alone.
    Unchanged,
}
