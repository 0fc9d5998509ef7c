//! What the glob tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `glob` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GlobArgs {
    /// Which files to find, such as `**/*.rs`, `src/**/*.{ts,tsx}` or `Cargo.toml`. `*` stays within one name, `**`
    /// crosses directories. A hidden file or directory is found only if the pattern spells its leading dot out, as in
    /// `.github/**`.
    pub(crate) pattern: String,
    /// The directory to search, relative to the workspace root or absolute and inside it. The whole workspace if left
    /// out. The pattern is relative to it and never leads out of it: `..` is refused, and in a group matches nothing.
    pub(crate) path: Option<String>,
}

/// The files that a pattern matches.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct GlobOutput {
    /// Their paths relative to the workspace root, in path order, 1000 at most.
    pub(crate) paths: Vec<String>,
    /// How many files match in all.
    pub(crate) total: u64,
    /// Whether `paths` holds fewer than `total`: the list was cut. What could not be looked at is in `skipped`.
    pub(crate) truncated: bool,
    /// How many entries could not be looked at in full, so that `total` may be wrong: directories that may not be read
    /// or are gone, names that are not UTF-8, and ignore files that cannot be read or are longer than 64 KiB or 1000
    /// rules, or twice that on one path; the rules beyond are not applied.
    pub(crate) skipped: u64,
}
