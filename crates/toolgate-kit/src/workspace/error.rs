//! Why the workspace refused a path, with a stable code and a hint for each reason.
//!
//! Returned by [`super::Workspace`] and by the tools that reach the disk through it. The text says what happened to which
//! path; [`WorkspaceError::hint`] says what to do about it; neither repeats the text of the source error.

use std::fmt;
use std::io;

/// A path that could not be used as asked.
///
/// [`WorkspaceError::code`] is the stable part: programs decide by it, never by the text.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The directory given as the root cannot be opened as one.
    #[error("the workspace root `{root}` cannot be opened")]
    RootUnusable {
        /// The root as it was given.
        root: String,
        /// What the system answered.
        source: io::Error,
    },
    /// The path is the empty string.
    #[error("the path is empty")]
    EmptyPath,
    /// The path holds a NUL character, which no file name can.
    #[error("the path `{path}` holds a NUL character")]
    NulInPath {
        /// The path as it was given, with the NUL made visible.
        path: String,
    },
    /// The path, or one name in it, is longer than the file system allows.
    #[error("the path `{path}` is longer than the file system allows")]
    PathTooLong {
        /// The path as it was given, shortened.
        path: String,
    },
    /// A new entry would get a name that nobody could see or type.
    #[error("the path `{path}` holds a control or invisible character, which no new name may")]
    HiddenInName {
        /// The path as it was given, with the control characters made visible.
        path: String,
    },
    /// The path begins with `~`, and the workspace has no entry of that name.
    #[error("`{path}` begins with `~`, which is not expanded here")]
    HomeDirectory {
        /// The path as it was given.
        path: String,
    },
    /// The path names the root itself, which no tool changes.
    #[error("`{path}` is the workspace root itself")]
    IsTheRoot {
        /// The path as it was given.
        path: String,
    },
    /// A path that ends with a separator was given for a file.
    #[error("`{path}` ends with a separator, so it names a directory, not a file")]
    NamesADirectory {
        /// The path as it was given.
        path: String,
    },
    /// The path leads to a name that is not valid UTF-8, which no result could show.
    #[error("the path `{path}` leads to a name that is not valid UTF-8")]
    NameNotUtf8 {
        /// The path as it was given.
        path: String,
    },
    /// The path itself lies outside the workspace root.
    #[error("`{path}` is outside the workspace `{root}`")]
    Outside {
        /// The path as it was given.
        path: String,
        /// The workspace root.
        root: String,
    },
    /// A symbolic link on the path leads out of the workspace root.
    #[error("`{path}` leaves the workspace: the symbolic link `{link}` points to `{target}`")]
    LinkOutside {
        /// The path as it was given.
        path: String,
        /// The link, relative to the root.
        link: String,
        /// Where the link points.
        target: String,
    },
    /// A symbolic link on the path points to nothing.
    #[error(
        "`{path}` cannot be followed: the symbolic link `{link}` points to `{target}`, which does not exist"
    )]
    LinkDangling {
        /// The path as it was given.
        path: String,
        /// The link, relative to the root.
        link: String,
        /// Where the link points.
        target: String,
    },
    /// The symbolic links on the path lead back to themselves, or there are more than 40 of them.
    #[error(
        "`{path}` cannot be followed: the symbolic links on it form a loop, or are too many, at `{link}`"
    )]
    LinkLoop {
        /// The path as it was given.
        path: String,
        /// The link at which it was given up, relative to the root.
        link: String,
    },
    /// Nothing has this name.
    #[error("`{path}` does not exist: there is no `{missing}` in the workspace")]
    NotFound {
        /// The path as it was given.
        path: String,
        /// The first part of it that is missing.
        missing: String,
    },
    /// The path goes through a file as if it were a directory.
    #[error("`{path}` cannot be entered: `{file}` is not a directory")]
    NotADirectory {
        /// The path as it was given.
        path: String,
        /// The part of it that is not a directory.
        file: String,
    },
    /// The path names a directory where a file is needed.
    #[error("`{path}` is a directory, not a file")]
    IsADirectory {
        /// The path as it was given.
        path: String,
    },
    /// The path names something that only looks like a file: a pipe, a socket or a device.
    #[error("`{path}` is {kind}, not a regular file")]
    NotARegularFile {
        /// The path as it was given.
        path: String,
        /// What it is.
        kind: SpecialFile,
    },
    /// The system does not let this process read the path.
    #[error("`{path}` may not be read by this process: permission denied")]
    PermissionDenied {
        /// The path as it was given.
        path: String,
    },
    /// The file holds NUL bytes, so it is not text.
    #[error("`{path}` is a binary file: it holds a NUL byte at byte {offset}")]
    BinaryFile {
        /// The path as it was given.
        path: String,
        /// Where the first NUL byte is, counted from 0.
        offset: u64,
    },
    /// The lines asked for hold bytes that are not valid UTF-8.
    #[error("`{path}` is not valid UTF-8: line {line} holds an invalid byte at byte {offset} of the file")]
    NotUtf8 {
        /// The path as it was given.
        path: String,
        /// The line that holds the byte, counted from 1.
        line: u64,
        /// Where the byte is, counted from 0.
        offset: u64,
    },
    /// The file starts with the byte order mark of UTF-16.
    #[error("`{path}` is UTF-16 text, not UTF-8")]
    Utf16 {
        /// The path as it was given.
        path: String,
    },
    /// The system failed in another way.
    #[error("`{path}` could not be read")]
    Io {
        /// The path as it was given.
        path: String,
        /// What the system answered.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// The stable code of this reason. Each has a page in `docs/errors/`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RootUnusable { .. } => "WORKSPACE_UNAVAILABLE",
            Self::EmptyPath
            | Self::NulInPath { .. }
            | Self::PathTooLong { .. }
            | Self::HiddenInName { .. }
            | Self::HomeDirectory { .. }
            | Self::NameNotUtf8 { .. } => "INVALID_PATH",
            Self::IsTheRoot { .. } => "WORKSPACE_ROOT",
            Self::Outside { .. } | Self::LinkOutside { .. } => "OUTSIDE_WORKSPACE",
            Self::LinkDangling { .. } => "DANGLING_SYMLINK",
            Self::LinkLoop { .. } => "SYMLINK_LOOP",
            Self::NotFound { .. } => "FILE_NOT_FOUND",
            Self::NotADirectory { .. } => "NOT_A_DIRECTORY",
            Self::IsADirectory { .. } | Self::NamesADirectory { .. } => "IS_A_DIRECTORY",
            Self::NotARegularFile { .. } => "NOT_A_REGULAR_FILE",
            Self::PermissionDenied { .. } => "PERMISSION_DENIED",
            Self::BinaryFile { .. } => "BINARY_FILE",
            Self::NotUtf8 { .. } | Self::Utf16 { .. } => "NOT_UTF8",
            Self::Io { .. } => "FILE_UNREADABLE",
        }
    }

    /// What the caller can do about it, as one sentence without a final stop.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::RootUnusable { .. } => "name an existing directory that this process may read",
            Self::EmptyPath => "give a path relative to the workspace root, or `.` for the root itself",
            Self::NulInPath { .. } => "remove the NUL character from the path",
            Self::PathTooLong { .. } => "give a shorter path",
            Self::HiddenInName { .. } => "choose a name of visible characters, on one line",
            Self::HomeDirectory { .. } => "give a path relative to the workspace root",
            Self::IsTheRoot { .. } => "name something in the workspace",
            Self::NamesADirectory { .. } => "leave the separator out to name a file",
            Self::NameNotUtf8 { .. } => "rename the file or directory to a UTF-8 name",
            Self::Outside { .. } => "give a path inside the workspace, relative to its root",
            Self::LinkOutside { .. } => {
                "name a file inside the workspace; links that leave it are not followed"
            }
            Self::LinkDangling { .. } => "repair the link, or name another file",
            Self::LinkLoop { .. } => "break the loop of links, or name another file",
            Self::NotFound { .. } => "look for the right name with the glob tool",
            Self::NotADirectory { .. } => "name a directory, or correct the path",
            Self::IsADirectory { .. } => "list what is in it with the glob tool, then name one of its files",
            Self::NotARegularFile { .. } => {
                "name a regular file; pipes, sockets and devices are never opened"
            }
            Self::PermissionDenied { .. } => "ask the user to allow reading it, or use another file",
            Self::BinaryFile { .. } => "only text files can be read; use a program that knows this format",
            Self::NotUtf8 { .. } => {
                "read other lines with offset and limit, or convert the file to UTF-8 first"
            }
            Self::Utf16 { .. } => "convert the file to UTF-8 first; the grep tool can search it as it is",
            Self::Io { .. } => "try again; if it stays, check the file system",
        }
    }
}

/// What a path names when it is neither a file, a directory nor a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialFile {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Something this platform does not name.
    Other,
}

impl fmt::Display for SpecialFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "a special file",
        })
    }
}
