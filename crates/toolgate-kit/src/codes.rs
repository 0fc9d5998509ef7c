//! The one table of the codes that this crate adds to those of `toolgate`. Each has a page in `docs/errors`.

use toolgate::result::{CatalogEntry, EntryKind};

/// The error name of the codes of paths and files.
pub(crate) const WORKSPACE_ERROR: &str = "WorkspaceError";

/// The error name of the codes of commands and jobs.
pub(crate) const SHELL_ERROR: &str = "ShellError";

const fn shell(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: SHELL_ERROR }, summary }
}

const fn coded(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: WORKSPACE_ERROR }, summary }
}

/// Every code that the tools of this crate add.
pub const CATALOG: &[CatalogEntry] = &[
    coded("WORKSPACE_UNAVAILABLE", "The directory given as the workspace root cannot be opened."),
    coded("INVALID_PATH", "The path is empty, too long, or holds what no file name can."),
    coded("OUTSIDE_WORKSPACE", "The path, or a symbolic link on it, leads out of the workspace."),
    coded("FILE_NOT_FOUND", "Nothing in the workspace has this path."),
    coded("DANGLING_SYMLINK", "A symbolic link on the path points to nothing."),
    coded("SYMLINK_LOOP", "The symbolic links on the path lead back to themselves."),
    coded("NOT_A_DIRECTORY", "The path goes through, or ends in, a file where a directory is needed."),
    coded("IS_A_DIRECTORY", "The path names a directory where a file is needed."),
    coded("NOT_A_REGULAR_FILE", "The path names a pipe, a socket or a device; those are never opened."),
    coded("PERMISSION_DENIED", "The system does not let this process read the path."),
    coded("BINARY_FILE", "The file holds NUL bytes, so it is not text."),
    coded("NOT_UTF8", "The text asked for is not valid UTF-8."),
    coded("FILE_UNREADABLE", "The system failed while the path was read."),
    shell(
        "CONFINEMENT_UNAVAILABLE",
        "The confinement that commands must have cannot be enforced on this machine.",
    ),
    shell("SHELL_UNAVAILABLE", "The shell, or the process that watches over it, cannot be started."),
    shell(
        "SUPERVISOR_KILLED",
        "The process that watched over a command was killed before the command ended.",
    ),
    shell("PROCESS_LIMIT", "A command had more processes than it may, and was ended."),
    shell("JOB_LIMIT", "As many jobs are running as may."),
    shell("UNKNOWN_JOB", "The caller has no job of this id."),
];
