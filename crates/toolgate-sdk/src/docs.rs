//! Descriptions, made fit for comments: split into lines, made visible, and cut.

use toolgate::text::is_hidden;

/// The longest description of a tool, in bytes.
pub(crate) const TOOL_BYTES: usize = 4096;

/// The longest description of anything inside a schema, in bytes.
pub(crate) const SCHEMA_BYTES: usize = 1024;

/// A description as lines of plain text: no line break of any kind, no hidden character, no blank line at either
/// end. Language-specific endings are the printers' affair.
pub(crate) struct Lines {
    pub(crate) lines: Vec<String>,
    /// Whether the text was longer than allowed; the last line then ends with a mark.
    pub(crate) cut: bool,
}

/// Splits a description of at most `most` bytes; what is longer is cut.
pub(crate) fn lines(text: &str, most: usize) -> Lines {
    let kept = prefix(text, most);
    let cut = kept.len() < text.len();
    let mut lines: Vec<String> = Vec::new();
    for line in kept.replace("\r\n", "\n").split(is_line_break) {
        let line = visible(line.trim_end());
        // A run of blank lines counts as one, and none stands first.
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if cut {
        let mark = format!("… (+{} bytes)", text.len() - kept.len());
        match lines.last_mut() {
            Some(last) => last.push_str(&mark),
            None => lines.push(mark),
        }
    }
    Lines { lines, cut }
}

/// A description on one line, of at most `most` bytes and a mark.
fn one_line(text: &str, most: usize) -> String {
    let words: Vec<String> =
        prefix(text, most).split(char::is_whitespace).filter(|word| !word.is_empty()).map(visible).collect();
    let mark = if text.len() > most { "…" } else { "" };
    words.join(" ") + mark
}

/// The beginning of a name or of JSON text, with a mark where it is cut. Nothing is made visible: callers quote.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let kept = prefix(text, most);
    if kept.len() < text.len() { format!("{kept}…") } else { text.to_owned() }
}

/// The first sentence of a description, on one line.
pub(crate) fn first_sentence(text: &str, most: usize) -> String {
    let text = text.trim_start();
    let paragraph = text.split(is_line_break).next().unwrap_or_default();
    let end = paragraph.char_indices().find_map(|(at, c)| {
        let after = at + c.len_utf8();
        let ends = matches!(c, '。' | '！' | '？')
            || (matches!(c, '.' | '!' | '?') && paragraph.get(after..).is_some_and(begins_a_sentence));
        ends.then_some(after)
    });
    one_line(end.and_then(|end| paragraph.get(..end)).unwrap_or(paragraph), most)
}

/// Whether what follows a full stop is a new sentence or nothing: "e.g. this" goes on.
fn begins_a_sentence(rest: &str) -> bool {
    rest.is_empty()
        || (rest.starts_with(char::is_whitespace)
            && rest.trim_start().chars().next().is_none_or(|c| !c.is_lowercase()))
}

/// The longest beginning of a text that has at most `most` bytes.
pub(crate) fn prefix(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Hidden characters become visible escapes; a tab is a space.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push(' '),
            c if is_hidden(c) => shown.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => shown.push(c),
        }
    }
    shown
}
