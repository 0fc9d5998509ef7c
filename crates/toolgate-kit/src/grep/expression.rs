//! The regular expression of a search, bounded, and a readable reason when it is none.
//!
//! Called once per search. An expression of a few characters can take gigabytes, or minutes for one line, so what is
//! compiled is limited in size and in weight: neither compiling nor searching one line takes long.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::Hir;

use super::weight::weight;
use crate::failure::FileToolError;
use crate::workspace::shown_text;

/// How long an expression may be, in bytes.
const MAXIMUM_EXPRESSION: usize = 4 * 1024;

/// How heavy an expression may be. Times [`MAXIMUM_LINE`](super::file::MAXIMUM_LINE), times some nanoseconds, this is
/// how long one line can take: half a second.
const MAXIMUM_WEIGHT: u64 = 600;

/// How large the compiled expression, and each of its caches, may become in bytes. It is room for as many Unicode
/// classes as the weight allows; with a smaller cache some ordinary expressions are searched many times slower.
const MAXIMUM_COMPILED: usize = 4 * 1024 * 1024;

/// How deep groups may nest; the limit of the library.
const MAXIMUM_NESTING: u32 = 250;

const ESCAPE: &str = "escape what is meant literally, as in `\\(`, `\\[` or `\\{`";

/// Compiles the expression for searching line by line.
pub(super) fn compile(pattern: &str) -> Result<RegexMatcher, FileToolError> {
    if pattern.is_empty() {
        let hint = "say what to look for; the glob tool lists files";
        return Err(FileToolError::Arguments { what: "`pattern` is empty".to_owned(), hint });
    }
    if pattern.len() > MAXIMUM_EXPRESSION {
        let what = format!("`pattern` is longer than {MAXIMUM_EXPRESSION} bytes");
        return Err(FileToolError::Arguments { what, hint: "use a shorter expression, or several calls" });
    }
    let expression = parse(pattern)?;
    if weight(&expression) > MAXIMUM_WEIGHT {
        return Err(too_large(pattern));
    }
    let built = RegexMatcherBuilder::new()
        .multi_line(true)
        .crlf(true)
        .ban_byte(Some(0))
        .size_limit(MAXIMUM_COMPILED)
        .dfa_size_limit(MAXIMUM_COMPILED)
        .nest_limit(MAXIMUM_NESTING)
        .build(pattern);
    built.map_err(|error| explain(pattern, error.kind()))
}

fn explain(pattern: &str, kind: &ErrorKind) -> FileToolError {
    if matches!(kind, ErrorKind::NotAllowed(_) | ErrorKind::Banned(_)) {
        let shown = shown_text(pattern);
        let what =
            format!("`pattern` asks for a line break or NUL character, which no line holds: `{shown}`");
        return FileToolError::Arguments { what, hint: "look for a part that stands within one line" };
    }
    too_large(pattern)
}

fn too_large(pattern: &str) -> FileToolError {
    let what = format!("`pattern` is too large with its repetitions written out: `{}`", shown_text(pattern));
    FileToolError::Arguments { what, hint: "use smaller repetition counts, or several calls" }
}

fn parse(pattern: &str) -> Result<Hir, FileToolError> {
    regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .crlf(true)
        .nest_limit(MAXIMUM_NESTING)
        .build()
        .parse(pattern)
        .map_err(|error| wrong_syntax(pattern, &error))
}

/// What is wrong with the syntax, and at which character, counted from 1.
fn wrong_syntax(pattern: &str, error: &regex_syntax::Error) -> FileToolError {
    let (reason, offset) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span().start.offset),
        other => (other.to_string(), 0),
    };
    let position = pattern.get(..offset).unwrap_or_default().chars().count() + 1;
    let shown = shown_text(pattern);
    let what =
        format!("`pattern` is not a regular expression: {reason}, at character {position} of `{shown}`");
    let hint = if reason.contains("look-around") || reason.contains("backreferences") {
        "leave it out and narrow the matches down by reading them"
    } else {
        ESCAPE
    };
    FileToolError::Arguments { what, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pattern: &str) -> String {
        compile(pattern).unwrap_err().to_string()
    }

    #[test]
    fn a_syntax_error_names_the_character() {
        assert!(refusal("foo(").contains("unclosed group, at character 4 of `foo(`"), "{}", refusal("foo("));
        assert!(refusal("ä[z").contains("at character 2"), "{}", refusal("ä[z"));
        assert!(refusal("(?=x)").contains("look-around"), "{}", refusal("(?=x)"));
        assert!(refusal("*x").contains("at character 1"), "{}", refusal("*x"));
        assert!(refusal(r"\p{Nonsense}").contains("at character 1"), "{}", refusal(r"\p{Nonsense}"));
    }

    #[test]
    fn what_no_line_holds_is_refused() {
        assert!(refusal("a\\nb").contains("line break"));
        assert!(refusal("a\nb").contains("line break"));
        assert!(refusal("\\x00").contains("NUL"));
    }

    #[test]
    fn size_is_bounded() {
        assert!(refusal("((((x{999}){999}){999}){999}){999}").contains("too large"));
        assert!(refusal(&"x".repeat(MAXIMUM_EXPRESSION + 1)).contains("longer than"));
        assert!(refusal("").contains("empty"));
    }
}
