//! Hard links: the other names that a replaced file has, and what the model is told of them.

use super::before::Before;

/// How many other names the file had. A rename gives the new content to one name only.
#[cfg(unix)]
pub(crate) fn other_names(before: &Before) -> u64 {
    use cap_std::fs::MetadataExt as _;
    before.metadata.nlink().saturating_sub(1)
}

#[cfg(not(unix))]
pub(crate) fn other_names(_before: &Before) -> u64 {
    0
}

/// What to say of them.
pub(crate) fn other_names_note(count: u64) -> Option<String> {
    let what = if count == 1 {
        "1 other name (hard link), which keeps".to_owned()
    } else {
        format!("{count} other names (hard links), which keep")
    };
    (count > 0).then(|| format!("The file had {what} the old content."))
}
