//! Text from tools, files and models, made safe for a terminal.
//!
//! Everything that this program did not write itself is shown through [`Line`] or [`Text`]. Control characters, and
//! characters that hide or reorder what stands beside them, become visible escapes; nothing that a file holds can
//! move the cursor, change colours or forge a line. Tabs are kept.

use std::fmt;

use toolgate::text::is_hidden;

/// A text on one line: line breaks are escaped as well.
pub(crate) struct Line<'a>(pub(crate) &'a str);

/// A text whose line breaks are kept.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, self.0, |c| c == '\n' || is_unsafe(c))
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, self.0, |c| c != '\n' && is_unsafe(c))
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str, must_escape: impl Fn(char) -> bool) -> fmt::Result {
    let mut rest = text;
    while let Some((at, found)) = rest.char_indices().find(|(_, c)| must_escape(*c)) {
        let (plain, tail) = rest.split_at(at);
        f.write_str(plain)?;
        match found {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            c if u32::from(c) < 0x100 => write!(f, "\\x{:02x}", u32::from(c))?,
            c => write!(f, "\\u{{{:x}}}", u32::from(c))?,
        }
        rest = tail.strip_prefix(found).unwrap_or_default();
    }
    f.write_str(rest)
}

/// Whether a character acts on the terminal or on its neighbours, or is not seen at all.
fn is_unsafe(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && c != '\t';
    }
    is_hidden(c)
}

/// The first characters of a text, with `…` where something is cut.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_or_hides_is_shown() {
        for (text, line) in [
            ("plain ü 日本 😀\ttab", "plain ü 日本 😀\ttab"),
            ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
            ("a\r\nb", "a\\r\\nb"),
            ("\0\x07\x08\x7f", "\\x00\\x07\\x08\\x7f"),
            ("\u{9b}31m", "\\x9b31m"),
            ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
            ("z\u{200b}w\u{feff}", "z\\u{200b}w\\u{feff}"),
            ("\u{ad}\u{e0041}", "\\xad\\u{e0041}"),
            ("❤\u{fe0f}", "❤\u{fe0f}"),
            ("back\\slash", "back\\slash"),
        ] {
            assert_eq!(Line(text).to_string(), line);
        }
        assert_eq!(Text("a\r\nb\x1b").to_string(), "a\\r\nb\\x1b");
    }

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(shortened("über", 2), "üb…");
        assert_eq!(shortened("über", 4), "über");
    }
}
