//! The one table of the codes that this crate adds to those of `toolgate`. Each has a page in `docs/errors`.

use toolgate::result::{CatalogEntry, EntryKind};

/// The error name of the codes about paths.
pub(crate) const WORKSPACE_ERROR: &str = "WorkspaceError";

/// The error name of the codes of commands and jobs.
pub(crate) const SHELL_ERROR: &str = "ShellError";

/// The error name of what the web tools add.
pub(crate) const WEB_ERROR: &str = "WebError";

/// The error name of the codes of `ask_user`.
pub(crate) const QUESTION_ERROR: &str = "QuestionError";

/// There is nobody who could answer.
pub(crate) const NOBODY_TO_ASK: &str = "NOBODY_TO_ASK";

/// The person does not want to answer.
pub(crate) const QUESTION_DECLINED: &str = "QUESTION_DECLINED";

const fn coded(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: WORKSPACE_ERROR }, summary }
}

const fn shell(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: SHELL_ERROR }, summary }
}

const fn web(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: WEB_ERROR }, summary }
}

const fn question(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: QUESTION_ERROR }, summary }
}

/// Every code of this crate: those that a [`WorkspaceError`](crate::WorkspaceError) can have, and those of the tools.
pub const CATALOG: &[CatalogEntry] = &[
    coded("WORKSPACE_UNAVAILABLE", "The directory given as the workspace root cannot be opened."),
    coded("INVALID_PATH", "The path is empty, too long, or holds what no file name can or may."),
    coded("OUTSIDE_WORKSPACE", "The path, or a symbolic link on it, leads out of the workspace."),
    coded("FILE_NOT_FOUND", "Nothing in the workspace has this path."),
    coded("DANGLING_SYMLINK", "A symbolic link on the path points to nothing."),
    coded("SYMLINK_LOOP", "The symbolic links on the path lead back to themselves."),
    coded("NOT_A_DIRECTORY", "The path goes through, or ends in, a file where a directory is needed."),
    coded("IS_A_DIRECTORY", "The path names a directory where a file is needed."),
    coded("NOT_A_REGULAR_FILE", "The path names a pipe, a socket or a device; those are never opened."),
    coded("PERMISSION_DENIED", "The system does not let this process read or change the path."),
    coded("BINARY_FILE", "The file holds NUL bytes, so it is not text."),
    coded("NOT_UTF8", "The text asked for is not valid UTF-8."),
    coded("FILE_UNREADABLE", "The system failed while the path was read."),
    coded("WORKSPACE_ROOT", "The path names the workspace root itself, which no tool changes."),
    coded("FILE_TOO_LARGE", "The text, before or after the change, is larger than 8 MiB."),
    coded("FILE_CHANGED", "The file is not as it was when the agent last saw it."),
    coded("FILE_NOT_READ", "The agent must read a file before it changes it, and has not."),
    coded("TEXT_NOT_FOUND", "The text to replace is not in the file."),
    coded("TEXT_NOT_UNIQUE", "The text to replace is in the file more than once."),
    coded("ALREADY_EXISTS", "Something has the path that the change needs."),
    coded("DIRECTORY_NOT_EMPTY", "The directory to delete is not empty."),
    coded("TREE_TOO_LARGE", "The directory to delete holds too much; nothing was deleted."),
    coded("PARTLY_DELETED", "A directory was deleted in part before it failed or was cancelled."),
    coded("MOVE_INTO_ITSELF", "A directory should be moved to a place inside itself."),
    coded("OTHER_FILE_SYSTEM", "Source and destination of a move are on different file systems."),
    coded("DIRECTORY_BUSY", "Another process holds the directory for its own changes."),
    coded("FILE_UNWRITABLE", "The system failed while the path was changed."),
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
    question(NOBODY_TO_ASK, "There is no person who could answer the question."),
    question(QUESTION_DECLINED, "The person does not want to answer the question."),
    web("ADDRESS_REFUSED", "The address to contact is not public, and the configuration does not allow it."),
    web("FETCH_FAILED", "The host was not found, could not be reached, or gave no valid answer."),
    web("FETCH_TIMEOUT", "The page was not fetched within the time that one call has."),
    web("REDIRECT_REFUSED", "The server points to another site, away from TLS, or in circles."),
    web("UNSUPPORTED_CONTENT", "What the server sends is not text."),
    web("SEARCH_UNAVAILABLE", "Web search lacks a valid key or provider."),
    web("SEARCH_FAILED", "The search provider did not answer as it should."),
];
