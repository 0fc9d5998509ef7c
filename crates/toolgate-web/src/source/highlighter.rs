//! [`Highlighter`]: the tokens of one text, line after line.

use super::language::{Language, language};

/// What a piece of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// Nothing special.
    Plain,
    /// A comment.
    Comment,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A word of the language.
    Word,
}

impl Token {
    /// The class of its element; none for plain text.
    pub(crate) fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Comment => Some("tk-c"),
            Self::Text => Some("tk-s"),
            Self::Number => Some("tk-n"),
            Self::Word => Some("tk-w"),
        }
    }
}

/// What goes on behind the end of a line, and what ends it.
#[derive(Clone, Copy)]
struct Open {
    token: Token,
    end: &'static str,
}

/// Tells the lines of one text apart, in their order. Without a language, or with one that it does not know, everything
/// is plain.
pub(crate) struct Highlighter {
    language: Option<&'static Language>,
    open: Option<Open>,
}

impl Highlighter {
    pub(crate) fn new(hint: Option<&str>) -> Self {
        Self { language: hint.and_then(|hint| language(&hint.to_ascii_lowercase())), open: None }
    }

    /// The pieces of the next line, which together are the line.
    pub(crate) fn line<'a>(&mut self, line: &'a str) -> Vec<(Token, &'a str)> {
        let Some(language) = self.language else { return vec![(Token::Plain, line)] };
        let mut pieces = Vec::new();
        let mut rest = line;
        // Plain text that is not pushed yet is in front of `rest`.
        let mut plain = 0;
        let mut source = line;
        while !rest.is_empty() {
            let (token, length) = self.next(language, rest, source.get(..plain).unwrap_or_default());
            if token == Token::Plain {
                plain += length;
            } else {
                push(&mut pieces, Token::Plain, source.get(..plain).unwrap_or_default());
                push(&mut pieces, token, rest.get(..length).unwrap_or_default());
                plain = 0;
                source = rest.get(length..).unwrap_or_default();
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        push(&mut pieces, Token::Plain, source.get(..plain).unwrap_or_default());
        pieces
    }

    /// What `rest` begins with, and how many bytes of it. At least one character.
    fn next(&mut self, language: &Language, rest: &str, before: &str) -> (Token, usize) {
        if let Some(open) = self.open {
            return match rest.find(open.end) {
                Some(at) => {
                    self.open = None;
                    (open.token, at + open.end.len())
                }
                None => (open.token, rest.len()),
            };
        }
        if let Some((begin, end)) = language.block_comment
            && rest.starts_with(begin)
        {
            return self.begin(Token::Comment, begin.len(), end, rest);
        }
        // `#` and `;` begin a comment only where a word could.
        let is_free = before.chars().next_back().is_none_or(char::is_whitespace);
        if language.line_comments.iter().any(|mark| rest.starts_with(mark) && (mark.len() > 1 || is_free)) {
            return (Token::Comment, rest.len());
        }
        if let Some(mark) = language.long_strings.iter().find(|mark| rest.starts_with(**mark)) {
            return self.begin(Token::Text, mark.len(), mark, rest);
        }
        let Some(first) = rest.chars().next() else { return (Token::Plain, rest.len().max(1)) };
        if language.quotes.contains(&first) {
            return string_of(rest, first);
        }
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
            return (Token::Number, end.unwrap_or(rest.len()));
        }
        if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default();
            let is_word = if language.ignores_case {
                language.words.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
            } else {
                language.words.binary_search(&word).is_ok()
            };
            return (if is_word { Token::Word } else { Token::Plain }, end);
        }
        (Token::Plain, first.len_utf8())
    }

    /// Something that may go on over several lines.
    fn begin(&mut self, token: Token, mark: usize, end: &'static str, rest: &str) -> (Token, usize) {
        match rest.get(mark..).and_then(|inside| inside.find(end)) {
            Some(at) => (token, mark + at + end.len()),
            None => {
                self.open = Some(Open { token, end });
                (token, rest.len())
            }
        }
    }
}

/// A string within a line. One without an end is plain, as an apostrophe is.
fn string_of(rest: &str, quote: char) -> (Token, usize) {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == quote {
            return (Token::Text, at + quote.len_utf8());
        }
    }
    (Token::Plain, quote.len_utf8())
}

fn push<'a>(pieces: &mut Vec<(Token, &'a str)>, token: Token, text: &'a str) {
    if !text.is_empty() {
        pieces.push((token, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hint: &str, text: &str) -> String {
        let mut highlighter = Highlighter::new(Some(hint));
        let lines = text.lines().map(|line| {
            let pieces = highlighter.line(line);
            assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), line);
            let marked = pieces.iter().map(|(token, text)| match token {
                Token::Plain => (*text).to_owned(),
                Token::Comment => format!("⟨c {text}⟩"),
                Token::Text => format!("⟨s {text}⟩"),
                Token::Number => format!("⟨n {text}⟩"),
                Token::Word => format!("⟨w {text}⟩"),
            });
            marked.collect::<String>()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn pieces_are_told_apart() {
        for (hint, text, expected) in [
            ("rust", "let a = 1_0; // one", "⟨w let⟩ a = ⟨n 1_0⟩; ⟨c // one⟩"),
            ("rust", "/* a\nb */ fn", "⟨c /* a⟩\n⟨c b */⟩ ⟨w fn⟩"),
            ("rust", r#"f("a\"b", 'c')"#, r#"f(⟨s "a\"b"⟩, 'c')"#),
            ("python", "x = '''a\nb''' # c", "x = ⟨s '''a⟩\n⟨s b'''⟩ ⟨c # c⟩"),
            ("bash", "echo ${#a} # n", "⟨w echo⟩ ${#a} ⟨c # n⟩"),
            ("sql", "SELECT 1", "⟨w SELECT⟩ ⟨n 1⟩"),
            ("unknown", "let a", "let a"),
            ("json", "{\"ü\": nulls}", "{⟨s \"ü\"⟩: nulls}"),
            ("ts", "it's `a\nb`", "it's ⟨s `a⟩\n⟨s b`⟩"),
        ] {
            assert_eq!(shown(hint, text), expected, "{hint}: {text}");
        }
    }
}
