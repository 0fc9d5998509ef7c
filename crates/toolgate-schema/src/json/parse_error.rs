//! Why a text was refused by the parser.
//!
//! Made by `parse` only; line and column are counted when the error is made, not while parsing.

use std::fmt;

use super::value::Place;

/// What was wrong with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The text begins with a byte order mark.
    ByteOrderMark,
    /// The text ended inside a value.
    UnexpectedEnd,
    /// A value should begin here.
    ExpectedValue,
    /// A key should begin here.
    ExpectedKey,
    /// A key must be followed by a colon.
    ExpectedColon,
    /// A comma or the end of the container should stand here.
    ExpectedCommaOrEnd,
    /// There is something after the value.
    TrailingText,
    /// The value has more levels than the limits allow.
    TooDeep {
        /// How many levels the limits allow.
        limit: usize,
    },
    /// The text holds more values than the limits allow.
    TooManyValues {
        /// How many values the limits allow.
        limit: usize,
    },
    /// The token is not a JSON number.
    InvalidNumber,
    /// An integer token is outside `i64::MIN..=u64::MAX`.
    IntegerOutOfRange,
    /// A number is too large for a double.
    NumberOverflow,
    /// The number is negative zero.
    NegativeZero,
    /// An object has the same key twice.
    DuplicateKey,
    /// A control character stands unescaped in a string.
    ControlCharacter,
    /// A backslash is not followed by a known escape.
    InvalidEscape,
    /// A `\u` escape is half of a surrogate pair.
    LoneSurrogate,
}

/// A text was refused: what was wrong, and where in the text and in the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSON at line {line}, column {column}: {kind}{place}", place = Place(path))]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: usize,
    line: usize,
    column: usize,
    path: String,
}

impl ParseError {
    pub(super) fn new(kind: ParseErrorKind, text: &[u8], offset: usize, path: String) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // Continuation bytes of UTF-8 do not begin a character.
        let characters = before.iter().skip(line_start).filter(|&&byte| byte & 0xc0 != 0x80).count();
        Self { kind, offset, line, column: characters + 1, path }
    }

    /// What was wrong.
    #[must_use]
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Where in the text, in bytes from 0.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Where in the value, as `items[3].name`; empty for the value itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// One sentence for the reader, bounded in length.
    #[must_use]
    pub fn message(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidUtf8 => "the text is not UTF-8",
            Self::ByteOrderMark => "the text begins with a byte order mark",
            Self::UnexpectedEnd => "the text ends inside a value",
            Self::ExpectedValue => "expected a value",
            Self::ExpectedKey => "expected a key in double quotes",
            Self::ExpectedColon => "expected `:` after the key",
            Self::ExpectedCommaOrEnd => "expected `,` or the end of the list or object",
            Self::TrailingText => "unexpected text after the value",
            Self::TooDeep { limit } => {
                return write!(f, "the value is nested deeper than the {limit} levels that are accepted");
            }
            Self::TooManyValues { limit } => {
                return write!(f, "the text holds more than the {limit} values that are accepted");
            }
            Self::InvalidNumber => "the number is malformed",
            Self::IntegerOutOfRange => {
                "the integer is outside the range from -9223372036854775808 to 18446744073709551615"
            }
            Self::NumberOverflow => "the number is too large",
            Self::NegativeZero => "negative zero is not lossless JSON",
            Self::DuplicateKey => "the key occurs twice",
            Self::ControlCharacter => "a control character in a string must be escaped",
            Self::InvalidEscape => "the escape sequence is unknown",
            Self::LoneSurrogate => "the escape is half of a surrogate pair",
        })
    }
}
