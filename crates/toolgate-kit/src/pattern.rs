//! Glob patterns as a model writes them, brought into the form that a walk takes.
//!
//! Used by the glob engine for `pattern` and by the grep engine for `include`. A `..` that is spelled out as a whole
//! name is refused with a hint. One that is put together by a group or class is not looked for: it matches nothing,
//! because no name in a walk is `..`.

use crate::failure::FileToolError;
use crate::walk::{Links, Selection};
use crate::workspace::{Workspace, shown_text};

/// How long a pattern may be, in bytes.
const MAXIMUM_PATTERN: usize = 4096;

const SYNTAX: &str =
    "write it like `src/**/*.rs` or `*.{ts,tsx}`: `*` stays within one name, `**` crosses directories";

/// The files below `start` that the pattern of a `glob` call means.
pub(crate) fn selection_of_pattern(
    workspace: &Workspace,
    start: &str,
    pattern: &str,
) -> Result<Selection, FileToolError> {
    let below = without_root("pattern", workspace, start, pattern)?;
    if below.ends_with('/') {
        return Err(wrong(
            "pattern",
            pattern,
            "ends with `/`, and only files are found",
            "append `**` to it",
        ));
    }
    select("pattern", below, pattern, Links::List)
}

/// The files below `start` that the `include` filter of a `grep` call means. Without a `/` it is about names.
pub(crate) fn selection_of_include(
    workspace: &Workspace,
    start: &str,
    include: &str,
) -> Result<Selection, FileToolError> {
    if include.starts_with('!') {
        let hint = "say which files to search; files named in .gitignore are left out by themselves";
        return Err(wrong("include", include, "is a negation, which is not supported", hint));
    }
    if include.contains('/') {
        let below = without_root("include", workspace, start, include)?;
        select("include", below, include, Links::Skip)
    } else {
        select("include", &format!("**/{include}"), include, Links::Skip)
    }
}

fn select(argument: &str, glob: &str, given: &str, links: Links) -> Result<Selection, FileToolError> {
    if given.is_empty() {
        return Err(FileToolError::Arguments { what: format!("`{argument}` is empty"), hint: SYNTAX });
    }
    if given.len() > MAXIMUM_PATTERN {
        let how = format!("is longer than {MAXIMUM_PATTERN} bytes");
        return Err(wrong(argument, given, &how, "use a shorter pattern, or several calls"));
    }
    if glob.split('/').any(|name| name == "..") {
        let hint = "leave `..` out, and give the directory to search as `path`";
        return Err(wrong(argument, given, "leads upwards with `..`", hint));
    }
    Selection::matching(glob, links)
        .map_err(|error| wrong(argument, given, &format!("is not a valid glob: {}", error.kind()), SYNTAX))
}

/// The pattern given as `argument` relative to `start`, where it is absolute or begins with dots.
fn without_root<'p>(
    argument: &str,
    workspace: &Workspace,
    start: &str,
    pattern: &'p str,
) -> Result<&'p str, FileToolError> {
    let mut below = pattern;
    if pattern.starts_with('/') {
        let inside = workspace.strip_root(pattern).and_then(|inside| match start {
            "" => Some(inside),
            start => inside.strip_prefix(start)?.strip_prefix('/'),
        });
        let hint = "give it relative to `path`, or to the workspace root where there is no `path`";
        below = inside.ok_or_else(|| wrong(argument, pattern, "is outside the directory to search", hint))?;
    }
    while let Some(rest) = below.strip_prefix("./") {
        below = rest;
    }
    Ok(below)
}

fn wrong(argument: &str, given: &str, how: &str, hint: &'static str) -> FileToolError {
    FileToolError::Arguments { what: format!("`{argument}` {how}: `{}`", shown_text(given)), hint }
}
