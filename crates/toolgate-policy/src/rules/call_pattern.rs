//! What a rule says about calls: the tool, and what its arguments have to be.
//!
//! The two questions are not each other's opposite. A rule that allows asks whether the call *surely* is what was
//! written; one that denies or asks, whether it *may* be. What cannot be read is never the first and always the second.

use std::fmt;

use serde_json::Value;

use super::facts::Facts;
use super::host::HostPattern;
use super::path::PathPattern;
use super::shell::{CommandPattern, ShellLine, SimpleCommand};
use super::subject::Subject;
use super::wildcard::Wildcard;

/// Which calls a rule means, written `TOOL` or `TOOL(WHAT)`.
///
/// In `TOOL`, `*` stands for any characters. `WHAT` depends on the tool: a command for `bash`, a path for the tools of
/// files and search, a host for `web_fetch`, and `@/field=value` for an argument of any tool.
/// Reading one is [`str::parse`]; [`Display`](fmt::Display) gives the text back.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPattern {
    pub(super) tool: Wildcard,
    pub(super) conditions: Vec<Condition>,
    pub(super) written: String,
}

/// What one argument has to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    pub(super) place: Place,
    pub(super) test: Test,
}

/// Where the argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// What the short form of the tool speaks of.
    Subject(Subject),
    /// A JSON pointer.
    Pointer(String),
}

/// How the argument is read, and what it has to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    Command(CommandPattern),
    Path(Box<PathPattern>),
    Url(HostPattern),
    Value(Wildcard),
}

impl CallPattern {
    /// Whether the call surely is one of those that are meant.
    pub(crate) fn covers(&self, facts: &Facts<'_>) -> bool {
        self.tool.fits(facts.tool) && self.conditions.iter().all(|condition| condition.covers(facts))
    }

    /// Whether the call may be one of those that are meant.
    pub(crate) fn may_mean(&self, facts: &Facts<'_>) -> bool {
        self.tool.fits(facts.tool) && self.conditions.iter().all(|condition| condition.may_hold(facts))
    }

    /// Where the command line is that the pattern speaks of, if it fits the call but for that line.
    pub(crate) fn command_line(&self, facts: &Facts<'_>) -> Option<&str> {
        if !self.tool.fits(facts.tool) {
            return None;
        }
        let mut found = None;
        for condition in &self.conditions {
            match &condition.test {
                Test::Command(_) if found.is_none() && condition.stands_alone(facts) => {
                    found = Some(condition.pointer());
                }
                Test::Command(_) => return None,
                Test::Path(_) | Test::Url(_) | Test::Value(_) if condition.covers(facts) => {}
                Test::Path(_) | Test::Url(_) | Test::Value(_) => return None,
            }
        }
        found
    }

    /// Whether the pattern's command is surely this one.
    pub(crate) fn covers_command(&self, command: &SimpleCommand) -> bool {
        self.conditions.iter().any(|condition| match &condition.test {
            Test::Command(pattern) => pattern.covers(command),
            Test::Path(_) | Test::Url(_) | Test::Value(_) => false,
        })
    }

    /// Whether the pattern's command may be this one.
    pub(crate) fn may_be_command(&self, command: &SimpleCommand, line: &ShellLine) -> bool {
        self.conditions.iter().any(|condition| match &condition.test {
            Test::Command(pattern) => pattern.may_be(command, line),
            Test::Path(_) | Test::Url(_) | Test::Value(_) => false,
        })
    }
}

impl Condition {
    fn pointer(&self) -> &str {
        match &self.place {
            Place::Subject(Subject::Command) => "/command",
            Place::Subject(Subject::Url) => "/url",
            Place::Subject(Subject::Path | Subject::Tree) => "",
            Place::Pointer(pointer) => pointer,
        }
    }

    fn stands_alone(&self, facts: &Facts<'_>) -> bool {
        match self.place {
            Place::Subject(_) => facts.command_stands_alone(),
            Place::Pointer(_) => true,
        }
    }

    fn covers(&self, facts: &Facts<'_>) -> bool {
        match &self.test {
            Test::Command(pattern) => facts.line(self.pointer()).is_some_and(|line| {
                self.stands_alone(facts)
                    && line.doubts.is_empty()
                    && !line.commands.is_empty()
                    && line.commands.iter().all(|command| pattern.covers(command))
            }),
            Test::Path(pattern) => match self.place {
                Place::Subject(subject) => facts.paths_of(subject).iter().all(|path| pattern.covers(path)),
                Place::Pointer(_) => pattern.covers(&facts.path(self.pointer())),
            },
            Test::Url(pattern) => pattern.covers(&facts.address(self.pointer())),
            Test::Value(pattern) => facts.value(self.pointer()).is_some_and(|value| fits(pattern, value)),
        }
    }

    fn may_hold(&self, facts: &Facts<'_>) -> bool {
        match &self.test {
            Test::Command(pattern) => facts.line(self.pointer()).is_none_or(|line| {
                line.may_hide_commands() || line.commands.iter().any(|command| pattern.may_be(command, &line))
            }),
            Test::Path(pattern) => match self.place {
                Place::Subject(subject) => facts.paths_of(subject).iter().any(|path| pattern.may_touch(path)),
                Place::Pointer(_) => pattern.may_touch(&facts.path(self.pointer())),
            },
            Test::Url(pattern) => pattern.may_be(&facts.address(self.pointer())),
            // An argument that is absent is not what was written; the tool may still have a default for it.
            Test::Value(pattern) => facts.value(self.pointer()).is_some_and(|value| fits(pattern, value)),
        }
    }
}

/// Whether a value is what a pattern means: a text by its characters, a number by its value, anything else by its JSON.
fn fits(pattern: &Wildcard, value: &Value) -> bool {
    match value {
        Value::String(text) => pattern.fits(text),
        Value::Number(number) => {
            let wanted = pattern.literal().and_then(|text| text.parse::<f64>().ok());
            match (wanted, number.as_f64()) {
                #[expect(
                    clippy::float_cmp,
                    reason = "the same number is written in several ways: 1, 1.0, 1e0"
                )]
                (Some(wanted), Some(number)) => wanted == number,
                (Some(_) | None, Some(_) | None) => pattern.fits(&number.to_string()),
            }
        }
        Value::Null | Value::Bool(_) => pattern.fits(&value.to_string()),
        Value::Array(_) | Value::Object(_) => pattern.to_string() == "*",
    }
}

impl fmt::Display for CallPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}
