//! The regular expression of a search, bounded, and a readable reason when it is none.
//!
//! Called once per search. Compilation is limited in size, so that an expression of a few characters cannot take
//! gigabytes.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use crate::failure::FileToolError;
use crate::workspace::shown_text;

/// How long an expression may be, in bytes.
const MAXIMUM_EXPRESSION: usize = 16 * 1024;

/// How large the compiled expression, and each of its caches, may become in bytes.
const MAXIMUM_COMPILED: usize = 16 * 1024 * 1024;

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
    let shown = shown_text(pattern);
    if let Some((reason, position)) = syntax_error(pattern) {
        let what =
            format!("`pattern` is not a regular expression: {reason}, at character {position} of `{shown}`");
        let hint = if reason.contains("look-around") || reason.contains("backreferences") {
            "leave it out and narrow the matches down by reading them"
        } else {
            ESCAPE
        };
        return FileToolError::Arguments { what, hint };
    }
    if matches!(kind, ErrorKind::NotAllowed(_) | ErrorKind::Banned(_)) {
        let what =
            format!("`pattern` asks for a line break or NUL character, which no line holds: `{shown}`");
        return FileToolError::Arguments { what, hint: "look for a part that stands within one line" };
    }
    let what = format!("`pattern` is too large once compiled: `{shown}`");
    FileToolError::Arguments { what, hint: "use smaller repetition counts" }
}

/// What is wrong with the syntax, and at which character, counted from 1.
fn syntax_error(pattern: &str) -> Option<(String, usize)> {
    let parsed = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .crlf(true)
        .nest_limit(MAXIMUM_NESTING)
        .build()
        .parse(pattern);
    let (reason, offset) = match parsed {
        Ok(_) => return None,
        Err(regex_syntax::Error::Parse(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(regex_syntax::Error::Translate(error)) => (error.kind().to_string(), error.span().start.offset),
        Err(other) => (other.to_string(), 0),
    };
    Some((reason, pattern.get(..offset).unwrap_or_default().chars().count() + 1))
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
