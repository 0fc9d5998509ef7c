//! A command line, read twice: by the grammar of bash and by the token rules of POSIX.
//!
//! Called once per call by the decision, and once per rule when rules are loaded. What the two readers do not agree
//! on is a doubt, and a line with a doubt is never allowed by a rule for commands. Nothing is expanded or looked up.

use std::ops::Range;

use super::builtins::doubts_of_builtins;
use super::grammar::Outline;
use super::lexer::{Run, lone_word, runs};
use super::word::Word;
use super::{Doubt, DoubtKind};

/// The longest line that is read, in bytes.
pub(crate) const LONGEST_LINE: usize = 16 * 1024;

/// A simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// Its words: assignments, then the name, then the arguments.
    pub(crate) words: Vec<Word>,
}

impl SimpleCommand {
    /// Where the command is written.
    pub(crate) fn range(&self) -> Range<usize> {
        let start = self.words.first().map_or(0, |word| word.range.start);
        start..self.words.last().map_or(0, |word| word.range.end)
    }

    /// Name and arguments, without assignments.
    pub(crate) fn argv(&self) -> &[Word] {
        let first = self.words.iter().position(|word| !word.is_assignment).unwrap_or(self.words.len());
        self.words.get(first..).unwrap_or_default()
    }

    /// The command's name, where it is known.
    pub(crate) fn name(&self) -> Option<&str> {
        self.argv().first()?.text.as_deref()
    }
}

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellLine {
    /// The line that was read: as it was written, but for joined line breaks. All places are places in it.
    pub(crate) source: String,
    /// Every simple command that was found, in the order in which they begin.
    pub(crate) commands: Vec<SimpleCommand>,
    /// What is not surely understood.
    pub(crate) doubts: Vec<Doubt>,
    /// Texts in the line that a command gets as its input.
    pub(crate) has_inputs: bool,
}

impl ShellLine {
    /// Reads a line.
    pub(crate) fn read(written: &str) -> Self {
        let joined = written.replace("\\\n", "");
        let mut line = Self { source: joined, commands: Vec::new(), doubts: Vec::new(), has_inputs: false };
        if written.len() > LONGEST_LINE {
            line.source = String::new();
            line.doubts.push(Doubt { kind: DoubtKind::Size, range: 0..0 });
            return line;
        }
        if line.source.len() != written.len() && !surely_joins(written) {
            line.doubts.push(Doubt { kind: DoubtKind::Continuation, range: 0..line.source.len() });
        }
        line.read_source();
        line
    }

    fn read_source(&mut self) {
        let source = self.source.as_str();
        let control = |each: &(usize, char)| each.1.is_control() && each.1 != '\n' && each.1 != '\t';
        if let Some((index, each)) = source.char_indices().find(control) {
            self.doubts.push(Doubt { kind: DoubtKind::Control, range: index..index + each.len_utf8() });
        }
        let outline = Outline::of(source);
        match runs(source) {
            Ok(runs) => self.doubts.extend(disagreement(source, &outline, &runs)),
            Err(doubt) => self.doubts.push(doubt),
        }
        self.has_inputs = !outline.inputs.is_empty();
        self.doubts.extend(outline.doubts);
        self.commands = outline.commands.iter().map(|words| command(source, words)).collect();
        self.doubts.extend(doubts_of_builtins(&self.commands));
    }

    /// Whether commands may run that are not among [`commands`](Self::commands).
    pub(crate) fn may_hide_commands(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.kind.may_hide_commands())
    }
}

/// Whether every escaped line break of a line joins two lines, which it does not in single quotes, comments and some
/// inputs, nor behind an escaped backslash.
fn surely_joins(written: &str) -> bool {
    !written.contains(['\'', '#']) && !written.contains("<<") && !written.contains("\\\\")
}

fn command(source: &str, words: &[Range<usize>]) -> SimpleCommand {
    let mut words: Vec<Word> = words
        .iter()
        .map(|range| {
            let text = source.get(range.clone()).unwrap_or_default();
            let read = lone_word(text);
            Word {
                range: range.clone(),
                text: read.as_ref().and_then(|word| word.text.clone()),
                is_quoted: read.as_ref().is_none_or(|word| word.is_quoted),
                is_assignment: read.is_some_and(|word| word.is_assignment),
            }
        })
        .collect();
    // Behind the command's name, a word with an equals sign is an argument like any other.
    let name = words.iter().position(|word| !word.is_assignment).unwrap_or(words.len());
    words.iter_mut().skip(name).for_each(|word| word.is_assignment = false);
    SimpleCommand { words }
}

/// Where the two readings of a line differ, if they do: every run of words has to be keywords and then one command of
/// the grammar, word for word, and every command of the grammar has to be such a run.
fn disagreement(source: &str, outline: &Outline, runs: &[Run]) -> Option<Doubt> {
    let mut unseen: Vec<&Vec<Range<usize>>> = outline.commands.iter().collect();
    for run in runs {
        let is_keyword =
            |word: &Word| !word.is_quoted && outline.keywords.contains(&(word.range.start, word.range.end));
        let leading = run.words.iter().take_while(|word| is_keyword(word)).count();
        let rest = run.words.get(leading..).unwrap_or_default();
        let agrees = match rest {
            [] => true,
            [variable, values @ ..] if outline.variables.contains(&place(variable)) => {
                is_loop_header(source, variable, values, outline)
            }
            words if words.iter().all(|word| word.is_assignment) => {
                let end = words.last().map_or(0, |word| word.range.end);
                return Some(Doubt {
                    kind: DoubtKind::Variable,
                    range: words.first().map_or(0, |word| word.range.start)..end,
                });
            }
            words => {
                let position = unseen.iter().position(|command| {
                    command.len() == words.len()
                        && command.iter().zip(words).all(|(range, word)| *range == word.range)
                });
                position.map(|index| unseen.remove(index)).is_some() && !is_reserved(source, rest)
            }
        };
        if !agrees {
            let end = rest.last().map_or(0, |word| word.range.end);
            let start = rest.first().map_or(0, |word| word.range.start);
            return Some(Doubt { kind: DoubtKind::Disagreement, range: start..end });
        }
    }
    let unseen = unseen.first()?;
    let start = unseen.first().map_or(0, |range| range.start);
    let end = unseen.last().map_or(source.len(), |range| range.end);
    Some(Doubt { kind: DoubtKind::Disagreement, range: start..end })
}

fn place(word: &Word) -> (usize, usize) {
    (word.range.start, word.range.end)
}

/// Whether the words are `NAME` or `NAME in VALUES…`, with a name that means nothing to a shell or a program.
fn is_loop_header(source: &str, variable: &Word, rest: &[Word], outline: &Outline) -> bool {
    let name = source.get(variable.range.clone()).unwrap_or_default();
    let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let has_meaning = name.ends_with("path") || ["prompt", "histchars"].contains(&name);
    let values = match rest {
        [word, values @ ..] if outline.keywords.contains(&place(word)) => values,
        _ => return false,
    };
    is_plain && !has_meaning && values.iter().all(|value| outline.values.contains(&place(value)))
}

/// Whether a shell, if not this grammar, takes the first word for a keyword.
fn is_reserved(source: &str, words: &[Word]) -> bool {
    const RESERVED: &[&str] = &[
        "case",
        "coproc",
        "do",
        "done",
        "elif",
        "else",
        "esac",
        "fi",
        "for",
        "function",
        "if",
        "in",
        "select",
        "then",
        "until",
        "while",
        "{",
        "}",
        "!",
        "[[",
        "]]",
        "repeat",
        "foreach",
        "end",
        "nocorrect",
        "-",
    ];
    let first = words.iter().find(|word| !word.is_assignment);
    first.is_some_and(|word| {
        !word.is_quoted && RESERVED.contains(&source.get(word.range.clone()).unwrap_or_default())
    })
}
