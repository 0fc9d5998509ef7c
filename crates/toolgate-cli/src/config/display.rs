//! What `toolgate config` prints: every value in force and who says so, the rules, the files, and what does not count.

use std::io::{self, Write as _};

use serde_json::{Value, json};
use toolgate::text::Line;

use super::file::Role;
use super::find;
use super::keys::KEYS;
use super::merge::{Configuration, Origin, Source};
use crate::output::Page;

/// Shows the configuration in the form of a file, with origins as remarks.
pub(crate) fn show(page: &mut Page, configuration: &Configuration) -> io::Result<()> {
    let styles = page.styles();
    let (title, faint) = (styles.title, styles.faint);
    for source in &configuration.sources {
        writeln!(page, "{faint}# {}{faint:#}", Line(&described(source)))?;
    }
    if configuration.sources.is_empty() {
        let own =
            find::of_user().map_or_else(|| "nowhere: no home".to_owned(), |path| path.display().to_string());
        writeln!(page, "{faint}# no file; yours would be {}{faint:#}", Line(&own))?;
    }
    writeln!(page, "\n{title}# rules, all of which count: deny beats ask beats allow{title:#}")?;
    for rule in configuration.rules.iter() {
        let text = format!("{:<5} {}", rule.decision().to_string(), rule.pattern());
        writeln!(page, "{}  {faint}# {}{faint:#}", Line(&text), Line(&rule.origin().to_string()))?;
    }
    if configuration.rules.iter().next().is_none() {
        writeln!(page, "{faint}# none: what changes nothing runs, and the rest asks{faint:#}")?;
    }
    let mut section = "";
    let lines: Vec<(String, &Origin)> = configuration
        .values
        .iter()
        .map(|value| (format!("{} = {}", value.path.join("."), value.value), &value.origin))
        .collect();
    let width =
        lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width < 60).max().unwrap_or(0);
    for (line, origin) in &lines {
        let own = line.split('.').next().unwrap_or_default();
        if own != section {
            writeln!(page)?;
            section = own;
        }
        writeln!(page, "{:<width$}  {faint}# {origin}{faint:#}", Line(line).to_string())?;
    }
    let unset: Vec<_> = KEYS
        .iter()
        .filter(|key| !key.path.contains('*') && !key.path.starts_with("permissions"))
        .filter(|key| configuration.origin(key.path).is_none())
        .map(|key| key.path)
        .collect();
    writeln!(page, "\n{faint}# not set: {}{faint:#}", unset.join(", "))
}

fn described(source: &Source) -> String {
    let path = source.file.path.display();
    match (source.role, source.is_trusted) {
        (Role::User, _) => format!("{path}: yours"),
        (Role::Workspace, true) => format!("{path}: of the workspace, trusted"),
        (Role::Workspace, false) => format!("{path}: of the workspace, not trusted, so it only narrows"),
    }
}

/// The same as data.
pub(crate) fn to_json(configuration: &Configuration) -> Value {
    let origin = |origin: &Origin| match origin {
        Origin::Default => json!({ "kind": "default" }),
        Origin::File { path, line } => {
            json!({ "kind": "file", "path": path.to_string_lossy(), "line": line })
        }
        Origin::Flag(flag) => json!({ "kind": "flag", "flag": flag }),
    };
    let values: Vec<_> = configuration
        .values
        .iter()
        .map(|value| {
            json!({ "key": value.path.join("."), "value": value.value, "origin": origin(&value.origin) })
        })
        .collect();
    let rules: Vec<_> = configuration
        .rules
        .iter()
        .map(|rule| {
            json!({
                "decision": rule.decision().to_string(),
                "rule": rule.pattern().to_string(),
                "origin": rule.origin().to_string(),
            })
        })
        .collect();
    let files: Vec<_> = configuration
        .sources
        .iter()
        .map(|source| {
            let role = match source.role {
                Role::User => "user",
                Role::Workspace => "workspace",
            };
            json!({ "path": source.file.path.to_string_lossy(), "role": role, "trusted": source.is_trusted })
        })
        .collect();
    let ignored: Vec<_> = configuration
        .ignored
        .iter()
        .map(|ignored| json!({ "what": ignored.what, "origin": origin(&ignored.origin) }))
        .collect();
    json!({ "files": files, "rules": rules, "values": values, "ignored": ignored })
}
