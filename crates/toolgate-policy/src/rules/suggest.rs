//! Rules to offer to a person who is asked about a call.

use std::sync::Arc;

use serde_json::Value;

use super::facts::Facts;
use super::host::Address;
use super::path::Folder;
use super::rule::{Decision, Origin, Rule};
use super::shell::{LONGEST_LINE, SimpleCommand, is_open_ended};
use super::subject::Subject;

/// Rules that would each allow the call, narrowest first.
pub(super) fn suggest(tool: &str, arguments: &Value, folder: &Arc<Folder>) -> Vec<Rule> {
    let facts = Facts::new(tool, arguments, folder);
    let texts = match Subject::of(tool) {
        Some(Subject::Command) => of_command(&facts),
        Some(Subject::Path) => of_paths(tool, &facts),
        Some(Subject::Url) => of_address(tool, &facts),
        Some(Subject::Tree) => vec![tool.to_owned()],
        // A name with a special character could mean other tools as well.
        None if tool.contains(['*', '(', ')']) || tool.contains(char::is_whitespace) => Vec::new(),
        None => vec![tool.to_owned()],
    };
    let rules = texts.into_iter().filter_map(|text| {
        let pattern = text.parse().ok()?;
        let folder = Arc::clone(folder);
        Some(Rule { decision: Decision::Allow, pattern, reason: None, origin: Origin::Person, folder })
    });
    // What is offered is what would be kept, so it is tried first.
    rules.filter(|rule| rule.decides(&facts)).collect()
}

/// The exact command, and its first words where those say what it does.
fn of_command(facts: &Facts<'_>) -> Vec<String> {
    let Some(line) = facts.line("/command") else { return Vec::new() };
    let ([command], []) = (line.commands.as_slice(), line.doubts.as_slice()) else { return Vec::new() };
    let Some(words) = quoted_words(command) else { return Vec::new() };
    let mut texts = vec![format!("bash({})", words.join(" "))];
    let name = command.name().unwrap_or_default();
    let has_variables = command.argv().len() < command.words.len();
    if !has_variables {
        let is_subcommand =
            |word: &&String| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let second = words.get(1).filter(is_subcommand).filter(|word| !word.starts_with('-'));
        if let (Some(first), Some(second)) = (words.first(), second)
            && !is_open_ended(name, second)
        {
            texts.push(format!("bash({first} {second}:*)"));
        }
    }
    texts.retain(|text| text.len() <= LONGEST_LINE);
    texts
}

/// The words of a command, written so that they are read as they are.
fn quoted_words(command: &SimpleCommand) -> Option<Vec<String>> {
    let words = command.words.iter().map(|word| {
        let text = word.text.as_deref()?;
        let is_plain = !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte))
            && !text.starts_with('=');
        Some(if word.is_assignment {
            let (name, value) = text.split_once('=')?;
            format!("{name}='{}'", value.replace('\'', r"'\''"))
        } else if is_plain && (!word.is_quoted || !text.contains('=')) {
            text.to_owned()
        } else {
            format!("'{}'", text.replace('\'', r"'\''"))
        })
    });
    words.collect()
}

/// The very file, its folder, and the tool.
fn of_paths(tool: &str, facts: &Facts<'_>) -> Vec<String> {
    let paths = facts.paths_of(Subject::Path);
    let mut texts = Vec::new();
    if let [path] = paths.as_slice()
        && path.is_inside()
        && let Some(name) = path.first()
    {
        let name = escaped(name);
        texts.push(format!("{tool}({name})"));
        if let Some((folder, _)) = name.rsplit_once('/') {
            texts.push(format!("{tool}({folder}/**)"));
        }
    }
    if paths.iter().all(|path| path.is_inside()) {
        texts.push(format!("{tool}(**)"));
    }
    texts
}

fn of_address(tool: &str, facts: &Facts<'_>) -> Vec<String> {
    match &*facts.address("/url") {
        Address::Known { url, host, is_plain: true } => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            vec![format!("{tool}({}://{host}{port})", url.scheme())]
        }
        Address::Known { .. } | Address::Unreadable => Vec::new(),
    }
}

/// A path as a pattern that means only itself.
fn escaped(path: &str) -> String {
    path.chars()
        .flat_map(|each| ['\\'].into_iter().filter(move |_| "*?[]{}!\\".contains(each)).chain([each]))
        .collect()
}
