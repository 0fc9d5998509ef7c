//! The arguments of a call: from the command line, a file or standard input, bounded while they are read.
//!
//! What is not JSON, is too long or is nested too deeply ends here, with its place and a hint. Whether JSON fits the
//! tool is for the tool to say.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context as _;
use toolgate::{JsonValue, ParseError, ParseErrorKind, ParseLimits};

use crate::excerpt::excerpt;
use crate::fault::UsageError;
use crate::output::grouped;

/// The longest text of arguments, in bytes.
const MAXIMUM_BYTES: usize = 16 * 1024 * 1024;

/// The most values in the arguments, lists and objects included: what bounds the memory that they take.
const MAXIMUM_VALUES: usize = 200_000;

/// Reads the arguments: an empty object where there are none, a file for `@path`, standard input for `-`, and
/// otherwise the text itself.
///
/// # Errors
/// A [`UsageError`] where there is no such file, or the text is no JSON within the limits.
pub(crate) fn read(source: Option<&OsStr>) -> anyhow::Result<JsonValue> {
    let Some(source) = source else { return Ok(JsonValue::empty_object()) };
    let given = source.as_encoded_bytes();
    if given == b"-" {
        let text = read_bounded(io::stdin().lock()).context("standard input could not be read")?;
        return parse(&text, Source::Stdin);
    }
    match file_of(source) {
        Some(path) => {
            let text = File::open(path).and_then(read_bounded).map_err(|error| {
                UsageError::new(format!("the arguments file `{}` could not be read: {error}", path.display()))
                    .with_hint("after @ comes the path of a file that holds one JSON object")
            })?;
            parse(&text, Source::File)
        }
        None => parse(given, Source::CommandLine),
    }
}

/// The path in `@path`. `@` begins no JSON text, so nothing is lost.
fn file_of(source: &OsStr) -> Option<&Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        source.as_bytes().strip_prefix(b"@").map(|path| Path::new(OsStr::from_bytes(path)))
    }
    #[cfg(not(unix))]
    source.to_str()?.strip_prefix('@').map(Path::new)
}

/// Reads one byte more than the limit at most, so that too much is noticed and never kept.
fn read_bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    source.take(MAXIMUM_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Where a text came from; decides what to advise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    CommandLine,
    File,
    Stdin,
}

fn parse(text: &[u8], source: Source) -> anyhow::Result<JsonValue> {
    if text.len() > MAXIMUM_BYTES {
        let limit = grouped(MAXIMUM_BYTES as u64);
        return Err(UsageError::new(format!("the arguments are longer than {limit} bytes"))
            .with_hint("pass large data as a file of the workspace, and its path as the argument")
            .into());
    }
    let limits = ParseLimits { max_values: MAXIMUM_VALUES, ..ParseLimits::default() };
    JsonValue::parse_slice(text, limits).map_err(|error| refused(text, &error, source).into())
}

/// What the parser refused, with the place in the text and advice.
fn refused(text: &[u8], error: &ParseError, source: Source) -> UsageError {
    let (line, column) = (error.line(), error.column());
    let kind = error.kind();
    let message = if let ParseErrorKind::TooDeep { limit } = kind {
        let limit = grouped(limit as u64);
        format!(
            "the arguments are nested too deeply: more than {limit} levels at line {line}, column {column}"
        )
    } else if let ParseErrorKind::TooManyValues { limit } = kind {
        format!("the arguments hold too many values: more than {}", grouped(limit as u64))
    } else {
        let at = if error.path().is_empty() { String::new() } else { format!(" in `{}`,", error.path()) };
        format!("the arguments are not valid JSON: {kind}{at} at line {line}, column {column}")
    };
    UsageError::new(message).with_excerpt(excerpt(text, error.offset())).with_hint(hint(text, error, source))
}

/// What to do about a refused text.
fn hint(text: &[u8], error: &ParseError, source: Source) -> &'static str {
    match error.kind() {
        ParseErrorKind::TooDeep { .. } => "pass less deeply nested data",
        ParseErrorKind::TooManyValues { .. } => "pass less data in one call",
        ParseErrorKind::IntegerOutOfRange | ParseErrorKind::NumberOverflow | ParseErrorKind::NegativeZero => {
            "write the number as a string if the tool takes one"
        }
        ParseErrorKind::DuplicateKey => "give each key once",
        ParseErrorKind::InvalidUtf8 | ParseErrorKind::ByteOrderMark => {
            "save the text as UTF-8 without a byte order mark"
        }
        ParseErrorKind::ControlCharacter => "write a line break in a string as \\n and a tab as \\t",
        ParseErrorKind::InvalidEscape | ParseErrorKind::LoneSurrogate => {
            "write a backslash in a string as \\\\, and any other character as it is"
        }
        ParseErrorKind::UnexpectedEnd
        | ParseErrorKind::ExpectedValue
        | ParseErrorKind::ExpectedKey
        | ParseErrorKind::ExpectedColon
        | ParseErrorKind::ExpectedCommaOrEnd
        | ParseErrorKind::TrailingText
        | ParseErrorKind::InvalidNumber
        | _ => syntax_hint(text, error, source),
    }
}

/// What to do about a text that is no JSON, from what stands at the place.
fn syntax_hint(text: &[u8], error: &ParseError, source: Source) -> &'static str {
    let (before, after) = text.split_at(error.offset().min(text.len()));
    let is_typed = source == Source::CommandLine;
    match (before.trim_ascii_end().last(), after.first()) {
        _ if text.trim_ascii().is_empty() => "the text is empty; for a call without arguments write {}",
        (_, Some(b'\'')) => "JSON strings stand in double quotes",
        (Some(b','), Some(b'}' | b']')) => "remove the comma before the closing bracket",
        _ if is_typed && !text.trim_ascii_start().starts_with(b"{") => {
            "give one JSON object, such as '{\"file_path\": \"README.md\"}', or @file to read it from a file"
        }
        (_, None) => "close every string, list and object",
        _ if is_typed => "put the whole text in single quotes, so that the shell keeps its double quotes",
        _ => "give one JSON object, such as {\"file_path\": \"README.md\"}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], message: &str, lines: &str, advice: &str) {
        let error = JsonValue::parse_slice(text, ParseLimits::default()).unwrap_err();
        let refused = refused(text, &error, Source::CommandLine);
        assert!(refused.to_string().contains(message), "{refused}");
        assert_eq!(excerpt(text, error.offset()), lines);
        assert!(hint(text, &error, Source::CommandLine).contains(advice), "{refused:?}");
    }

    #[test]
    fn mistakes_are_shown_at_their_place() {
        check(b"{'a': 1}", "line 1, column 2", "  {'a': 1}\n   ^", "double quotes");
        check(b"{\"a\": 1,}", "line 1, column 9", "  {\"a\": 1,}\n          ^", "remove the comma");
        check(b"{\"a\":", "line 1, column 6", "  {\"a\":\n       ^", "close every");
        check(b"{\n \"a\": x\n}", "line 2, column 7", "   \"a\": x\n        ^", "single quotes");
        check(b"README.md", "column 1", "  README.md\n  ^", "@file");
        check(b"", "line 1, column 1", "  \n  ^", "{}");
        check(b"{\"a\":1,\"a\":2}", "occurs twice", "  {\"a\":1,\"a\":2}\n         ^", "once");
        check(b"\"\x1b[31m\"", "control character", "  \"\\x1b[31m\"\n   ^", "\\n");
        check("{日: 1}".as_bytes(), "column 2", "  {日: 1}\n   ^", "single quotes");
        check("{\"日\", 1}".as_bytes(), "column 5", "  {\"日\", 1}\n    \u{3000} ^", "single quotes");
        check(b"\"\xff\"", "not UTF-8", "  \"\u{fffd}\"\n   ^", "UTF-8");
    }

    #[test]
    fn the_depth_limit_is_stated() {
        let text = "[".repeat(100_000);
        let error = JsonValue::parse(&text).unwrap_err();
        let refused = refused(text.as_bytes(), &error, Source::File);
        assert!(refused.to_string().contains("more than 1,000 levels"), "{refused}");
    }
}
