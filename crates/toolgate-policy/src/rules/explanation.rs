//! Why a call was decided as it was, for the person who is asked, for the model that is denied, and for
//! `toolgate policy explain`.

use std::fmt;

use super::rule::{Decision, Rule};

/// The longest part of a command that is shown, in characters.
const LONGEST_SHOWN: usize = 200;

/// A decision and what led to it.
#[derive(Clone, Debug)]
pub struct Explanation {
    tool: String,
    /// What decided.
    pub because: Because,
    /// Each simple command of the call's command line, if it has one that rules can speak of.
    pub commands: Vec<CommandDecision>,
    /// What in that line is not surely understood, and why: text and reason.
    pub doubts: Vec<(String, String)>,
}

/// What decided about a call.
#[derive(Clone, Debug)]
pub enum Because {
    /// This rule.
    Rule(Rule),
    /// Rules allow every command of the line.
    EveryCommand,
    /// No rule, and the tool changes nothing.
    Pure,
    /// No rule, and the call is a program, whose calls are decided one by one.
    Program,
    /// No rule, and the tool changes something.
    Changes,
    /// No tool of that name can be called.
    NoTool,
}

impl PartialEq for Because {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rule(one), Self::Rule(other)) => one.to_string() == other.to_string(),
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
}

/// One simple command of a line.
#[derive(Clone, Debug)]
pub struct CommandDecision {
    /// The command, as it is written.
    pub command: String,
    /// The rule that speaks of it, if there is one.
    pub rule: Option<Rule>,
}

impl CommandDecision {
    /// What the rule says.
    #[must_use]
    pub fn decision(&self) -> Option<Decision> {
        self.rule.as_ref().map(Rule::decision)
    }
}

impl Explanation {
    pub(super) fn new(tool: &str, because: Because) -> Self {
        Self { tool: tool.to_owned(), because, commands: Vec::new(), doubts: Vec::new() }
    }

    /// The decision.
    #[must_use]
    pub fn decision(&self) -> Decision {
        match &self.because {
            Because::Rule(rule) => rule.decision(),
            Because::EveryCommand | Because::Pure | Because::Program => Decision::Allow,
            Because::Changes => Decision::Ask,
            Because::NoTool => Decision::Deny,
        }
    }

    /// The rule that decided, where one alone did.
    #[must_use]
    pub fn rule(&self) -> Option<&Rule> {
        match &self.because {
            Because::Rule(rule) => Some(rule),
            Because::EveryCommand | Because::Pure | Because::Program | Because::Changes | Because::NoTool => {
                None
            }
        }
    }

    fn write_because(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = shown(&self.tool);
        match &self.because {
            Because::Rule(rule) => {
                write!(f, "the rule `{}` ({}) decides", rule.pattern(), rule.origin())?;
                rule.reason().map_or(Ok(()), |reason| write!(f, ": {reason}"))
            }
            Because::EveryCommand => f.write_str("rules allow every command of the line"),
            Because::Pure => write!(f, "no rule speaks of it, and `{tool}` changes nothing"),
            Because::Program => {
                write!(f, "no rule speaks of it, and the calls of a program are decided one by one")
            }
            Because::Changes if self.commands.is_empty() && self.doubts.is_empty() => {
                write!(f, "no rule allows it, and `{tool}` changes something")
            }
            Because::Changes => f.write_str("rules do not allow every command of the line"),
            Because::NoTool => write!(f, "no tool called `{tool}` can be called"),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.decision())?;
        self.write_because(f)?;
        for command in &self.commands {
            let text = shown(&command.command);
            match &command.rule {
                Some(rule) => write!(f, "\n  `{text}`: {rule}")?,
                None => write!(f, "\n  `{text}`: no rule")?,
            }
        }
        for (text, reason) in &self.doubts {
            write!(f, "\n  `{}`: {reason}", shown(text))?;
        }
        Ok(())
    }
}

/// A text on one line: escaped, and shortened with a mark.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_SHOWN).flat_map(escaped).collect();
    let left: usize = text.chars().skip(LONGEST_SHOWN).map(char::len_utf8).sum();
    if left > 0 {
        shown.push_str(&format!("… (+{left} bytes)"));
    }
    shown
}

/// A character as it can be shown without changing what stands around it.
fn escaped(character: char) -> Vec<char> {
    if character.is_control() || toolgate::text::is_hidden(character) {
        character.escape_unicode().collect()
    } else {
        vec![character]
    }
}
