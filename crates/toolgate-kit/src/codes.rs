//! The one table of the codes that this crate adds to those of `toolgate`. Each has a page in `docs/errors`.

use toolgate::result::{CatalogEntry, EntryKind};

/// The error name of the codes about paths.
pub(crate) const WORKSPACE_ERROR: &str = "WorkspaceError";

/// The error name of what the web tools add.
pub(crate) const WEB_ERROR: &str = "WebError";

const fn coded(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: WORKSPACE_ERROR }, summary }
}

const fn web(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: WEB_ERROR }, summary }
}

/// Every code of this crate: those that a [`WorkspaceError`](crate::WorkspaceError) can have, and those of the tools.
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
    web("ADDRESS_REFUSED", "The address to contact is not public, and the configuration does not allow it."),
    web("FETCH_FAILED", "The host was not found, could not be reached, or gave no valid answer."),
    web("FETCH_TIMEOUT", "The page was not fetched within the time that one call has."),
    web("REDIRECT_REFUSED", "The server points to another site, away from TLS, or in circles."),
    web("UNSUPPORTED_CONTENT", "What the server sends is not text."),
    web("SEARCH_UNAVAILABLE", "Web search lacks a valid key or provider."),
    web("SEARCH_FAILED", "The search provider did not answer as it should."),
];
