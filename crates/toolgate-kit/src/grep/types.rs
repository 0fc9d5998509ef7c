//! What the grep tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `grep` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrepArgs {
    /// The regular expression to look for, in Rust's syntax (no look-around, no back-references). It is matched
    /// within one line and minds case; start it with `(?i)` to ignore case. Escape what is meant literally, as in
    /// `main\(\)`.
    pub(crate) pattern: String,
    /// The file or directory to search, relative to the workspace root or absolute and inside it. The whole workspace
    /// if left out.
    pub(crate) path: Option<String>,
    /// Search only files that match this glob, such as `*.rs` or `src/**/*.{ts,tsx}`. Without a `/` it is matched
    /// against the name alone, otherwise against the path below `path`.
    pub(crate) include: Option<String>,
}

/// The lines that match, by file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct GrepOutput {
    /// The files with matching lines, in path order. Each holds 100 lines at most, all together 500.
    pub(crate) files: Vec<GrepFile>,
    /// How many lines match in all.
    pub(crate) total: u64,
    /// How many files hold them.
    pub(crate) total_files: u64,
    /// Whether `files` holds fewer lines than `total`: the list was cut. What could not be searched is in `skipped`.
    pub(crate) truncated: bool,
    /// How many entries could not be searched in full, so that `total` may be wrong: files and directories that may
    /// not be read or are gone, files with a line of more than 128 KiB, names that are not UTF-8, and ignore files
    /// that cannot be read or are longer than 64 KiB or 1000 rules, or twice that on one path; the rules beyond are
    /// not applied. Binary files are left out and not counted.
    pub(crate) skipped: u64,
}

/// The matching lines of one file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct GrepFile {
    /// The file, relative to the workspace root.
    pub(crate) path: String,
    /// Its matching lines, in order.
    pub(crate) lines: Vec<GrepLine>,
    /// How many lines of it match.
    pub(crate) total: u64,
}

/// One matching line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct GrepLine {
    /// Its number, counted from 1.
    pub(crate) number: u64,
    /// Its text without the line ending. Of a very long line the part around the first match.
    pub(crate) text: String,
}
