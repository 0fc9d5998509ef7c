//! Why a change was refused or failed, with a stable code and a hint for each reason.
//!
//! Made by [`super`] and by the tools that change files. What is wrong with a path as such is a
//! [`WorkspaceError`](crate::WorkspaceError) instead.

use std::io;

/// A change that did not happen, or not wholly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The content, before or after the change, is too much.
    #[error("`{path}` would be changed with {size} bytes of text, and at most {most} bytes can be")]
    TooLarge { path: String, size: u64, most: u64 },
    /// The file is not as the agent saw it.
    #[error("`{path}` has changed since it was read")]
    ChangedSinceRead { path: String },
    /// The file is not as it was when this change began.
    #[error("`{path}` was changed by somebody else at the same moment; nothing was written")]
    ChangedMeanwhile { path: String },
    /// The agent never saw the file, and must have.
    #[error("`{path}` was not read before")]
    NotRead { path: String },
    /// The text to replace is not in the file.
    #[error("{which} was not found in `{path}`{nearest}")]
    NoMatch { path: String, which: String, nearest: String },
    /// The text to replace is in the file more than once.
    #[error("{which} is in `{path}` {times}, in {lines}, so it is not clear which one is meant")]
    SeveralMatches { path: String, which: String, times: String, lines: String },
    /// Something has the name that the change needs.
    #[error("`{path}` exists already")]
    Exists { path: String },
    /// A directory has the name that a moved file or directory should get.
    #[error("`{path}` is an existing directory")]
    DirectoryInTheWay { path: String },
    /// The directory to delete is not empty.
    #[error("`{path}` is a directory that is not empty")]
    NotEmpty { path: String },
    /// The directory to delete holds too much.
    #[error(
        "`{path}` holds more than {most} entries, or is more than {depth} levels deep; nothing was deleted"
    )]
    TreeTooLarge { path: String, most: u64, depth: usize },
    /// Something in the directory could not be deleted.
    #[error("`{path}` could not be deleted wholly: {removed} entries are gone, the others are still there")]
    PartlyDeleted { path: String, removed: u64, source: io::Error },
    /// A directory should be moved into itself.
    #[error("`{path}` cannot be moved into itself")]
    IntoItself { path: String },
    /// Source and destination are on different file systems.
    #[error("`{path}` cannot be moved there: the destination is on another file system")]
    OtherFileSystem { path: String },
    /// The system does not let this process change the path.
    #[error("`{path}` may not be changed by this process: permission denied")]
    Denied { path: String },
    /// Another process holds the directory for longer than is waited.
    #[error("the directory of `{path}` is held by another process that changes files in it")]
    Busy { path: String },
    /// The system failed in another way.
    #[error("`{path}` could not be changed")]
    Io { path: String, source: io::Error },
}

impl ChangeError {
    /// The reason behind a system error.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the system's error kinds are open-ended")]
    pub(crate) fn of(source: io::Error, path: &str) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty { path },
            io::ErrorKind::CrossesDevices => Self::OtherFileSystem { path },
            _ => Self::Io { path, source },
        }
    }

    /// The stable code of this reason. Each has a page in `docs/errors/`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::ChangedSinceRead { .. } | Self::ChangedMeanwhile { .. } => "FILE_CHANGED",
            Self::NotRead { .. } => "FILE_NOT_READ",
            Self::NoMatch { .. } => "TEXT_NOT_FOUND",
            Self::SeveralMatches { .. } => "TEXT_NOT_UNIQUE",
            Self::Exists { .. } | Self::DirectoryInTheWay { .. } => "ALREADY_EXISTS",
            Self::NotEmpty { .. } => "DIRECTORY_NOT_EMPTY",
            Self::TreeTooLarge { .. } => "TREE_TOO_LARGE",
            Self::PartlyDeleted { .. } => "PARTLY_DELETED",
            Self::IntoItself { .. } => "MOVE_INTO_ITSELF",
            Self::OtherFileSystem { .. } => "OTHER_FILE_SYSTEM",
            Self::Denied { .. } => "PERMISSION_DENIED",
            Self::Busy { .. } => "DIRECTORY_BUSY",
            Self::Io { .. } => "FILE_UNWRITABLE",
        }
    }

    /// What the caller can do about it, as one sentence without a final stop.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "split the text over several files, or change it with another program",
            Self::ChangedSinceRead { .. } | Self::ChangedMeanwhile { .. } => {
                "read the file again, then make the change to what it holds now"
            }
            Self::NotRead { .. } => "read the file first, so that the change fits what it holds",
            Self::NoMatch { .. } => {
                "read that part of the file, and give the text exactly as it is there, without line numbers"
            }
            Self::SeveralMatches { .. } => {
                "give more of the text around the one that is meant, or set `replace_all` to change all of them"
            }
            Self::Exists { .. } => "choose another name, or set `overwrite` if a file is to be replaced",
            Self::DirectoryInTheWay { .. } => {
                "give the whole new path, with the new name at its end; directories are never replaced"
            }
            Self::NotEmpty { .. } => "set `recursive` if all that is in it should be deleted too",
            Self::TreeTooLarge { .. } => "delete its parts one by one, or ask the user to delete it",
            Self::PartlyDeleted { .. } => "look at what is left with the glob tool",
            Self::IntoItself { .. } => "choose a destination outside of it",
            Self::OtherFileSystem { .. } => "write the content to the new place, then delete the old file",
            Self::Denied { .. } => "ask the user to allow changing it, or change another file",
            Self::Busy { .. } => "try again",
            Self::Io { .. } => "look at what the system said; nothing was left half written",
        }
    }
}
