//! The pieces that the model texts of the tools share: paths on one line, and words for what is missing.
//!
//! The text of a result is what its card is rebuilt from when a log is replayed, so what is written here can be read
//! back without loss.

use std::borrow::Cow;

use toolgate::{ContentBlock, JsonValue, ToolCallView};

/// A path as one line of text: as it is, or as a JSON string when it holds control characters or begins like one.
pub(crate) fn path_line(path: &str) -> Cow<'_, str> {
    let plain = !path.starts_with('"') && !path.contains(char::is_control);
    match JsonValue::encode(path) {
        Ok(quoted) if !plain => Cow::Owned(quoted.to_text()),
        _ => Cow::Borrowed(path),
    }
}

/// The path that [`path_line`] wrote.
pub(crate) fn path_of_line(line: &str) -> Option<String> {
    if line.starts_with('"') { JsonValue::parse(line).ok()?.decode().ok() } else { Some(line.to_owned()) }
}

/// The body and the notes as the blocks of a result. The notes are a block of their own, so that a reader of the
/// body need not know them.
pub(crate) fn blocks(body: String, notes: &[String]) -> Vec<ContentBlock> {
    let texts = [body, notes.join("\n")];
    texts.into_iter().filter(|text| !text.is_empty()).map(ContentBlock::text).collect()
}

/// What to say about what was left out for a reason the caller should know: so many of `one`, or of `many`.
pub(crate) fn skipped_note(skipped: u64, one: &str, many: &str, why: &str) -> Option<String> {
    (skipped > 0).then(|| format!("Incomplete: {} ({why}).", counted(skipped, one, many)))
}

/// The title of a card whose search left something out; none where it did not, so that the pending title stays. The
/// card has no other place to say so.
pub(crate) fn incomplete_title(pending: Option<&ToolCallView>, skipped: u64) -> Option<String> {
    let pending = pending.map_or("Search", ToolCallView::title);
    let entries = counted(skipped, "entry", "entries");
    (skipped > 0).then(|| format!("{pending} (incomplete: {entries} could not be searched in full)"))
}

/// So many of `one`, or of `many`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A text argument, for presenters: they get the arguments as they came.
pub(crate) fn text_argument<'a>(args: &'a JsonValue, name: &str) -> Option<&'a str> {
    args.as_value().get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_comes_back() {
        for path in ["src/a.rs", "with space", "\"quoted\"", "line\nbreak", "tab\t", "ü/😀", ""] {
            let line = path_line(path);
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(path_of_line(&line).as_deref(), Some(path));
        }
        assert_eq!(path_line("src/a.rs"), "src/a.rs");
    }
}
