//! What a rule says about commands: `git status`, or `cargo test:*` for everything that begins like that.
//!
//! The pattern is read by the same readers as the lines it is compared with. To allow, a command has to be surely the
//! one that was written; to deny or ask, it is enough that it may be.

use std::fmt;

use super::line::{ShellLine, SimpleCommand};
use super::word::Word;
use super::wrappers::{Reach, base_name};

/// A pattern of simple commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// As it was written.
    written: String,
    words: Vec<PatternWord>,
    /// Whether more words may follow.
    is_prefix: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PatternWord {
    text: String,
    is_assignment: bool,
}

/// Why a text is no pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; hint: {hint}")]
pub(crate) struct CommandPatternError {
    /// Where in the text.
    pub(crate) at: usize,
    problem: String,
    hint: &'static str,
}

impl CommandPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// The text is not exactly one simple command whose words are all known.
    pub(crate) fn parse(written: &str) -> Result<Self, CommandPatternError> {
        let (text, is_prefix) = written.strip_suffix(":*").map_or((written, false), |text| (text, true));
        let refuse = |at: usize, problem: String, hint| Err(CommandPatternError { at, problem, hint });
        if text.trim().is_empty() {
            return refuse(
                0,
                "it names no command".to_owned(),
                "write the tool's name alone for every command",
            );
        }
        let line = ShellLine::read(text);
        let unknown =
            line.commands.iter().flat_map(|command| &command.words).find(|word| word.text.is_none());
        if let Some(word) = unknown {
            let shown = text.get(word.range.clone()).unwrap_or_default();
            return refuse(
                word.range.start,
                format!("`{shown}` is not one certain word"),
                "quote what is meant literally, and end the rule with `:*` to allow more words",
            );
        }
        if let Some(doubt) = line.doubts.first() {
            return refuse(
                doubt.range.start,
                doubt.kind.to_string(),
                "a rule is one plain command, such as `git status` or `cargo test:*`",
            );
        }
        let [command] = line.commands.as_slice() else {
            let second = line.commands.get(1).map_or(0, |command| command.range().start);
            return refuse(second, "it is not one command".to_owned(), "write one rule for each command");
        };
        let whole = text.trim_matches([' ', '\t']);
        if command.range().len() != whole.len() {
            return refuse(
                command.range().end,
                "there is more than a command's words".to_owned(),
                "leave out everything but the command's name and arguments",
            );
        }
        if command.argv().is_empty() {
            return refuse(0, "it names no command".to_owned(), "write a command behind the variables");
        }
        let words = command.words.iter().filter_map(|word| {
            Some(PatternWord { text: word.text.clone()?, is_assignment: word.is_assignment })
        });
        Ok(Self { written: written.to_owned(), words: words.collect(), is_prefix })
    }

    /// Whether the command is surely one that the pattern means. Nothing is skipped: other options, another path of
    /// the program and variables before it make it another command.
    pub(crate) fn covers(&self, command: &SimpleCommand) -> bool {
        let fits = if self.is_prefix {
            command.words.len() >= self.words.len()
        } else {
            command.words.len() == self.words.len()
        };
        fits && self.words.iter().zip(&command.words).all(|(pattern, word)| {
            word.text.as_deref() == Some(&*pattern.text) && word.is_assignment == pattern.is_assignment
        })
    }

    /// Whether the command, or one that it runs, may be one that the pattern means.
    pub(crate) fn may_be(&self, command: &SimpleCommand, line: &ShellLine) -> bool {
        let reach = Reach::of(command, line.has_inputs || line.commands.len() > 1);
        reach.is_open || reach.commands.iter().any(|argv| self.may_be_argv(argv))
    }

    fn may_be_argv(&self, argv: &[Word]) -> bool {
        let mut pattern = self.words.iter().filter(|word| !word.is_assignment).map(|word| word.text.as_str());
        let (Some(name), Some(first)) = (pattern.next(), argv.first()) else { return false };
        match first.text.as_deref() {
            None => return true,
            // Some file systems find a program whatever its case.
            Some(text) if !base_name(text).eq_ignore_ascii_case(base_name(name)) => return false,
            Some(_) => {}
        }
        let mut words = argv.get(1..).unwrap_or_default().iter();
        for wanted in pattern {
            // Options, and what may be their values, can stand before a word without changing what it means; before an
            // option, anything can.
            let may_stand_anywhere = self.is_prefix && wanted.starts_with('-');
            let mut may_skip = 0;
            loop {
                let Some(word) = words.next() else { return false };
                match word.text.as_deref() {
                    None => return true,
                    Some(text) if text == wanted => break,
                    Some(text) if text.starts_with('-') => may_skip = 1,
                    Some(_) if may_skip > 0 => may_skip -= 1,
                    Some(_) if may_stand_anywhere => {}
                    Some(_) => return false,
                }
            }
        }
        // An expansion may vanish, so more words that are unknown are no difference.
        self.is_prefix || words.all(|word| word.text.is_none())
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}
