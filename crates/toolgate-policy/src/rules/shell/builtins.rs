//! Builtins that do more than their words show.
//!
//! Called by the reading of a line. A rule that allows such a builtin allows it alone: beside other commands it would
//! change what their names mean, or run the text of its arguments.

use super::line::SimpleCommand;
use super::word::Word;
use super::{Doubt, DoubtKind};

/// Change names, variables, options or input of the shell that runs the rest of the line.
const CHANGE_MEANING: &[&str] = &[
    ".",
    "bind",
    "builtin",
    "command",
    "complete",
    "declare",
    "eval",
    "exec",
    "export",
    "fc",
    "getopts",
    "let",
    "local",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unalias",
    "unset",
    "wait",
];

/// Give commands other names, behind which those that follow hide.
const RENAME: &[&str] = &["alias", "enable", "hash"];

/// Options behind which a builtin takes a text to run.
const RUN_TEXT: &[(&str, &[&str])] =
    &[("compgen", &["-C", "-F", "-W"]), ("jobs", &["-x"]), ("mapfile", &["-C"]), ("readarray", &["-C"])];

/// Take names of variables as arguments, and evaluate the subscripts in them.
const TAKE_NAMES: &[&str] = &["getopts", "let", "mapfile", "read", "readarray", "unset", "wait"];

/// What is doubtful about the builtins among the commands of one line.
pub(super) fn doubts_of_builtins(commands: &[SimpleCommand]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for command in commands {
        let Some(name) = command.name() else { continue };
        let is_alone = commands.len() == 1;
        let doubt = |kind| Doubt { kind, range: command.range() };
        if !is_alone && CHANGE_MEANING.contains(&name) {
            doubts.push(doubt(DoubtKind::ChangesMeaning));
        }
        if !is_alone && RENAME.contains(&name) && command.argv().len() > 1 {
            doubts.push(doubt(DoubtKind::Renames));
        }
        if !is_alone
            && name == "cd"
            && (!goes_down(command) || commands.iter().any(is_named_by_relative_path))
        {
            doubts.push(doubt(DoubtKind::ChangesMeaning));
        }
        let arguments = command.argv().get(1..).unwrap_or_default();
        if evaluates_names(name, arguments) || runs_text(name, arguments) {
            doubts.push(doubt(DoubtKind::RunsText));
        }
    }
    doubts
}

/// Whether a `cd` goes to a folder below the current one, as far as its text says.
fn goes_down(command: &SimpleCommand) -> bool {
    let [_, folder] = command.argv() else { return false };
    folder.text.as_deref().is_some_and(|folder| {
        !folder.is_empty() && !folder.starts_with(['/', '-']) && folder.split('/').all(|part| part != "..")
    })
}

fn is_named_by_relative_path(command: &SimpleCommand) -> bool {
    command.name().is_none_or(|name| name.contains('/') && !name.starts_with('/'))
}

/// Whether a builtin may have an option with a text to run. Options may be written together, and with their text.
fn runs_text(name: &str, arguments: &[Word]) -> bool {
    let options = RUN_TEXT.iter().find(|(builtin, _)| *builtin == name).map(|(_, options)| *options);
    options.is_some_and(|options| {
        arguments.iter().any(|word| {
            word.text.as_deref().is_none_or(|text| {
                text.starts_with('-')
                    && options.iter().any(|option| text.contains(option.trim_start_matches('-')))
            })
        })
    })
}

/// Whether a builtin may evaluate one of its arguments as the name of a variable with a subscript, in which shells run
/// substitutions.
fn evaluates_names(name: &str, arguments: &[Word]) -> bool {
    let asks_for_variable = |word: &Word| {
        word.text.as_deref().is_some_and(|text| text.starts_with("-v") || text.starts_with("-R"))
    };
    match name {
        // Two arguments that nobody knows may be the option and the name.
        "[" | "test" => {
            // Some shells calculate what is compared as numbers.
            arguments.iter().any(|word| asks_for_variable(word) || holds_substitution(word))
                || arguments.windows(2).any(|pair| pair.iter().all(|word| word.text.is_none()))
        }
        "printf" => {
            arguments.iter().any(asks_for_variable)
                || arguments.first().is_some_and(|word| word.text.is_none())
        }
        name if TAKE_NAMES.contains(&name) => {
            arguments.iter().any(|word| word.text.is_none() || holds_substitution(word))
        }
        _ => false,
    }
}

/// Whether a word is a text with a subscript and a substitution in it, which is none until the text is evaluated.
fn holds_substitution(word: &Word) -> bool {
    word.text.as_deref().is_some_and(|text| text.contains('[') && (text.contains("$(") || text.contains('`')))
}
