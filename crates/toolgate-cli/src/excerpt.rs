//! The line of a text that something is wrong with, and a caret below the place.

use std::borrow::Cow;

use toolgate::text::Line;
use toolgate_sandbox::Language;

/// The most characters of the text that are shown on either side of a place.
const CONTEXT: usize = 40;

/// Two lines: the part of the text around a place, and a caret below the place.
pub(crate) fn excerpt(text: &[u8], offset: usize) -> String {
    // Four bytes a character at most, so the windows hold enough however the text is encoded.
    let window = CONTEXT * 4;
    let (before, after) = text.split_at(offset.min(text.len()));
    let before = lossy(before.get(before.len().saturating_sub(window)..).unwrap_or_default());
    let after = lossy(after.get(..window.min(after.len())).unwrap_or_default());
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    let hidden = before.chars().count().saturating_sub(CONTEXT);
    let start: String = before.chars().skip(hidden).collect();
    let end: String = after.chars().take(CONTEXT).collect();
    let left = format!("{}{}", if hidden > 0 { "…" } else { "" }, Line(&start)).replace('\t', " ");
    let right =
        format!("{}{}", Line(&end), if end.len() < after.len() { "…" } else { "" }).replace('\t', " ");
    let blank: String = left.chars().map(|c| if is_wide(c) { '\u{3000}' } else { ' ' }).collect();
    format!("  {left}{right}\n  {blank}^")
}

/// Whether a terminal gives a character two cells, roughly: the scripts of East Asia and most pictures.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}' | '\u{1f900}'..='\u{1f9ff}' | '\u{20000}'..='\u{3fffd}')
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The byte offset of a line and a column, both counted from 1 and the column in characters; the end of the line for
/// a column that it does not have.
pub(crate) fn offset_of(text: &str, language: Language, line: u32, column: u32) -> Option<usize> {
    let (mut at, mut column) = (line_start(text, language, line)?, column);
    for c in text.get(at..)?.chars() {
        if column <= 1 || is_line_break(c, language) {
            break;
        }
        column -= 1;
        at += c.len_utf8();
    }
    Some(at)
}

/// Where a line begins, as programs of the language count lines.
fn line_start(text: &str, language: Language, line: u32) -> Option<usize> {
    let mut lines = 1;
    let mut characters = text.char_indices().peekable();
    if line <= 1 {
        return Some(0);
    }
    while let Some((at, c)) = characters.next() {
        let is_first_half = c == '\r' && characters.peek().is_some_and(|(_, next)| *next == '\n');
        if is_line_break(c, language) && !is_first_half {
            lines += 1;
            if lines == line {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

fn is_line_break(c: char, language: Language) -> bool {
    match c {
        '\n' | '\r' => true,
        '\u{2028}' | '\u{2029}' => language == Language::TypeScript,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_on_both_sides() {
        let text = format!("{{\"a\": \"{}\", x{}", "ü".repeat(1_000), "y".repeat(1_000));
        let lines = excerpt(text.as_bytes(), text.find('x').unwrap());
        let (shown, caret) = lines.split_once('\n').unwrap();
        assert!(shown.starts_with("  …ü") && shown.ends_with("y…"), "{lines}");
        assert_eq!(shown.chars().position(|c| c == 'x'), caret.chars().position(|c| c == '^'));
    }

    #[test]
    fn places_become_offsets() {
        let text = "aü\r\nb\u{2028}cd\n";
        for (line, column, offset) in [
            (1, 1, Some(0)),
            (1, 2, Some(1)),
            (1, 3, Some(3)),
            (1, 99, Some(3)),
            (2, 1, Some(5)),
            (3, 2, Some(10)),
            (4, 7, Some(12)),
            (5, 1, None),
        ] {
            assert_eq!(offset_of(text, Language::TypeScript, line, column), offset, "{line}:{column}");
        }
    }
}
