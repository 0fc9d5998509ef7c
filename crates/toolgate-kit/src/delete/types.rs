//! What the delete tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `delete` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteArgs {
    /// What to delete: relative to the workspace root, or absolute and inside it. A link is deleted itself, not what it
    /// points to.
    pub(crate) file_path: String,
    /// Whether to delete a directory with all that is in it. Without it a directory must be empty.
    pub(crate) recursive: Option<bool>,
}

/// What was deleted.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(crate) struct DeleteOutput {
    /// What was deleted, relative to the workspace root.
    pub(crate) path: String,
    /// What it was.
    pub(crate) kind: EntryKind,
    /// How many entries were deleted with it; 0 unless it was a directory with something in it.
    pub(crate) contents: u64,
}

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl EntryKind {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "link",
            Self::Special => "special file",
        }
    }

    /// What `metadata`, of the entry itself, says that it is.
    pub(crate) fn of(metadata: &cap_std::fs::Metadata) -> Self {
        if metadata.is_file() {
            Self::File
        } else if metadata.is_dir() {
            Self::Directory
        } else if metadata.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}
