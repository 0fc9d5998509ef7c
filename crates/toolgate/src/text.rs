//! Foreign text made safe to show, in one place: what must be escaped, how, and how a cut is marked.
//!
//! Used by whoever shows or prints names, arguments and content that others wrote: prompts, cards, messages. It never
//! changes what is stored or sent.

use std::fmt;

/// Whether a character cannot be seen or changes how its neighbours are seen: controls, line separators, directional
/// and other format characters. Variation selectors are left alone; they choose between pictures of one character.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A text on one line: hidden characters and line breaks become visible escapes. Tabs are kept.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a str);

/// A text whose line breaks are kept: other hidden characters become visible escapes. Tabs are kept.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, self.0, |c| c != '\t' && is_hidden(c))
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, self.0, |c| c != '\t' && c != '\n' && is_hidden(c))
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

/// The first `characters` of a text; where something is cut, with a mark that says how many bytes are missing.
#[must_use]
pub fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => {
            let (head, rest) = text.split_at(end);
            format!("{head}… (+{} bytes)", rest.len())
        }
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
    fn a_cut_says_how_much_is_missing() {
        assert_eq!(shortened("über", 4), "über");
        assert_eq!(shortened("größer", 2), "gr… (+6 bytes)");
    }
}
