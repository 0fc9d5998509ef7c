//! The text form of a rule: `TOOL` or `TOOL(WHAT)`.
//!
//! Called for the lists of a configuration, for flags, and for the short rules of the table form. It reports one
//! mistake of one rule, with its place; whoever reads several rules reports all of theirs.

use std::str::FromStr;

use super::call_pattern::{CallPattern, Condition, Place, Test};
use super::host::HostPattern;
use super::path::PathPattern;
use super::shell::CommandPattern;
use super::subject::Subject;
use super::wildcard::Wildcard;

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {}: {message}", at + 1)]
pub struct PatternError {
    /// Where in the text, in characters from 0.
    pub at: usize,
    /// What is wrong there, with a hint.
    pub message: String,
}

impl PatternError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

impl FromStr for CallPattern {
    type Err = PatternError;

    fn from_str(written: &str) -> Result<Self, PatternError> {
        let (tool, what) = split(written)?;
        let conditions = match what {
            None => Vec::new(),
            Some((at, what)) => {
                let condition = condition(tool, what)
                    .map_err(|(inside, message)| PatternError::new(chars(written, at + inside), message))?;
                condition.into_iter().collect()
            }
        };
        Ok(Self { tool: Wildcard::new(tool), conditions, written: written.to_owned() })
    }
}

/// The content of the parentheses, behind its place in bytes.
type Inside<'a> = (usize, &'a str);

/// Tool and parentheses.
fn split(written: &str) -> Result<(&str, Option<Inside<'_>>), PatternError> {
    let (tool, what) = match written.find('(') {
        None => (written, None),
        Some(open) => {
            let inside = written.get(open + 1..).unwrap_or_default();
            let Some(inside) = inside.strip_suffix(')') else {
                let at = written.chars().count();
                return Err(PatternError::new(
                    at,
                    "the parenthesis is not closed; hint: end the rule with `)`",
                ));
            };
            (written.get(..open).unwrap_or_default(), Some((open + 1, inside)))
        }
    };
    if tool.is_empty() {
        let hint =
            "a rule begins with the name of a tool; hint: write `bash(git status)`, `read` or `mcp__*`";
        return Err(PatternError::new(0, hint));
    }
    if let Some(at) = tool.find(|each: char| each.is_whitespace() || each.is_control() || each == ')') {
        let message = "a tool's name ends here, and something else follows; hint: put it in parentheses";
        return Err(PatternError::new(chars(written, at), message));
    }
    Ok((tool, what))
}

/// What the parentheses say. Mistakes come with their place in bytes.
fn condition(tool: &str, what: &str) -> Result<Option<Condition>, (usize, String)> {
    if what.starts_with("@/") {
        let Some((pointer, value)) = what.split_once('=') else {
            return Err((what.len(), "the value is missing; hint: write `@/field=value`".to_owned()));
        };
        let pointer = pointer.trim_start_matches('@').to_owned();
        return Ok(Some(Condition {
            place: Place::Pointer(pointer),
            test: Test::Value(Wildcard::new(value)),
        }));
    }
    if what == "*" {
        return Ok(None);
    }
    let Some(subject) = Subject::of(tool) else {
        let whose = if tool.contains('*') { "several tools" } else { "this tool" };
        return Err((
            0,
            format!(
                "rules know no short form for {whose}; hint: name an argument, as in `{tool}(@/field=value)`, or use a \
                 table with `paths`, `urls` or `commands`"
            ),
        ));
    };
    let test = match subject {
        Subject::Command => {
            Test::Command(CommandPattern::parse(what).map_err(|error| (error.at, error.to_string()))?)
        }
        Subject::Path | Subject::Tree => {
            Test::Path(PathPattern::parse(what).map_err(|message| (0, message))?.into())
        }
        Subject::Url => Test::Url(HostPattern::parse(what).map_err(|message| (0, message))?),
    };
    Ok(Some(Condition { place: Place::Subject(subject), test }))
}

/// A place in bytes as one in characters.
fn chars(text: &str, bytes: usize) -> usize {
    text.char_indices().take_while(|(index, _)| *index < bytes).count()
}
