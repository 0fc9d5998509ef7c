//! How paths and other given text appear inside messages: on one line, and bounded.
//!
//! Used by every error of this crate. A path comes from a model, so it may be a megabyte long or hold control
//! and invisible characters; neither may reach a message. Nothing here touches the disk.

use std::path::Path;

use toolgate::text::is_hidden;

/// The longest excerpt of given text that a message holds, in characters.
const EXCERPT: usize = 240;

/// `text` with hidden characters escaped and the middle cut out when it is long.
pub(crate) fn shown_text(text: &str) -> String {
    let escaped = |part: &mut dyn Iterator<Item = char>| {
        part.flat_map(|character| -> Box<dyn Iterator<Item = char>> {
            if is_hidden(character) {
                Box::new(character.escape_default())
            } else {
                Box::new(std::iter::once(character))
            }
        })
        .collect::<String>()
    };
    if text.char_indices().nth(EXCERPT).is_none() {
        return escaped(&mut text.chars());
    }
    let half = EXCERPT / 2;
    let tail = text.chars().rev().take(half).collect::<Vec<_>>();
    format!("{}…{}", escaped(&mut text.chars().take(half)), escaped(&mut tail.into_iter().rev()))
}

/// `path` as messages show it; what is not Unicode is replaced.
pub(crate) fn shown_path(path: &Path) -> String {
    if path.as_os_str().is_empty() { ".".to_owned() } else { shown_text(&path.to_string_lossy()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shown_text("a\nb\0c\u{202e}"), "a\\nb\\u{0}c\\u{202e}");
    }

    #[test]
    fn long_text_keeps_both_ends() {
        let shown = shown_text(&format!("start{}end", "x".repeat(1_000_000)));
        assert!(shown.starts_with("start") && shown.ends_with("end"));
        assert!(shown.chars().count() <= EXCERPT + 1);
    }

    #[test]
    fn the_root_is_a_dot() {
        assert_eq!(shown_path(Path::new("")), ".");
    }
}
