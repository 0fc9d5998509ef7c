//! What keeps a command line from being surely understood.

use std::fmt;
use std::ops::Range;

/// One thing in a line that is not surely understood, so that no rule for commands can allow the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// What it is.
    pub(crate) kind: DoubtKind,
    /// Where it is written.
    pub(crate) range: Range<usize>,
}

/// The kinds of doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoubtKind {
    /// The line is longer, or nested deeper, than is read.
    Size,
    /// It holds a character that is no text.
    Control,
    /// It is not the language of a shell.
    Syntax,
    /// Two readings of it disagree.
    Disagreement,
    /// A construct of the shell that rules do not look into.
    Construct(&'static str),
    /// An operator that not every shell reads alike.
    Operator,
    /// A parenthesis directly after a word.
    Parenthesis,
    /// A substitution in backquotes.
    Backquote,
    /// An arithmetic expansion.
    Arithmetic,
    /// A `$` that is more than the value of a variable.
    Expansion,
    /// A character outside ASCII that is not quoted.
    Unquoted,
    /// A line break that is escaped.
    Continuation,
    /// A file that is read or written by the shell itself.
    Redirection,
    /// Input that stands in the line.
    HereDocument,
    /// A command that stands for a file.
    ProcessSubstitution,
    /// A variable set for the commands that follow.
    Variable,
    /// A builtin that changes what the commands beside it mean.
    ChangesMeaning,
    /// A builtin that runs the text that it is given.
    RunsText,
    /// A builtin by which commands get other names.
    Renames,
}

impl DoubtKind {
    /// Whether commands may hide behind it that the grammar has not shown.
    pub(crate) fn may_hide_commands(self) -> bool {
        match self {
            Self::Size | Self::Control | Self::Syntax | Self::Arithmetic | Self::RunsText | Self::Renames => {
                true
            }
            // Whatever differs between shells is looked into as far as bash's grammar sees it; the rest shows as a
            // word that is not known.
            Self::Operator | Self::Disagreement | Self::Parenthesis => true,
            Self::Construct(_)
            | Self::Backquote
            | Self::Expansion
            | Self::Unquoted
            | Self::Continuation
            | Self::Redirection
            | Self::HereDocument
            | Self::ProcessSubstitution
            | Self::Variable
            | Self::ChangesMeaning => false,
        }
    }
}

impl fmt::Display for DoubtKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "the line is too long or too deeply nested to be read",
            Self::Control => "the line holds a control character",
            Self::Syntax => "the line is not complete, or not the language of a shell",
            Self::Disagreement => "the line can be read in more than one way",
            Self::Construct(name) => return write!(f, "rules do not look into {name}"),
            Self::Operator => "not every shell reads this operator alike",
            Self::Parenthesis => "a parenthesis directly after a word defines something",
            Self::Backquote => "rules do not look into backquotes; hint: write $(…)",
            Self::Arithmetic => "arithmetic can run commands and set variables",
            Self::Expansion => "this expansion is more than the value of a variable",
            Self::Unquoted => "characters outside ASCII are read only inside quotes",
            Self::Continuation => "the line is continued behind a backslash",
            Self::Redirection => "the shell itself reads or writes a file here",
            Self::HereDocument => "the line gives a command its input",
            Self::ProcessSubstitution => "a command stands for a file here",
            Self::Variable => "a variable is set for the commands that follow",
            Self::ChangesMeaning => "this builtin changes what the commands beside it mean",
            Self::RunsText => "this builtin runs the text that it is given",
            Self::Renames => "this builtin gives commands other names",
        })
    }
}
