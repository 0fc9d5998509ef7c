//! One configuration file, read and checked: its keys, its types, and the place of each value.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};
use toolgate::text::Line;
use toolgate_policy::PermissionsConfig;

use super::keys::{KEYS, Key};
use super::read::read;
use super::settings::Settings;
use crate::excerpt::excerpt;
use crate::fault::UsageError;
use crate::suggest;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The user's own, whose word counts.
    User,
    /// One that was found in the workspace or above it.
    Workspace,
}

/// A file.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// Its rules.
    pub(crate) permissions: PermissionsConfig,
    /// Its other values, in the order of the file.
    pub(super) values: Vec<Given>,
}

/// A value of a file.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The parts of its path.
    pub(super) path: Vec<String>,
    /// What it is about.
    pub(super) key: &'static Key,
    /// What it says.
    pub(super) value: Value,
    /// The line, counted from 1.
    pub(super) line: usize,
}

/// The rules of a file, and whatever else there is.
#[derive(Deserialize)]
struct WithRules {
    #[serde(default)]
    permissions: PermissionsConfig,
}

impl ConfigFile {
    /// Reads and checks a file; nothing where there is none.
    ///
    /// # Errors
    /// It cannot be read, or something in it is wrong: with file, line and column, and the line itself.
    pub(super) fn load(path: &Path, role: Role) -> Result<Option<Self>, UsageError> {
        read(path, role)?.map(|text| Self::parse(path, text)).transpose()
    }

    fn parse(path: &Path, text: String) -> Result<Self, UsageError> {
        let wrong = |error: &toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            fault(path, &text, at, error.message())
                .with_hint("`toolgate config --schema` says what each key takes")
        };
        let tree = DeTable::parse(&text).map_err(|error| wrong(&error))?;
        let mut places = Vec::new();
        walk(tree.get_ref(), &mut Vec::new(), &mut places).map_err(|unknown| unknown.fault(path, &text))?;
        let WithRules { permissions } = toml::from_str(&text).map_err(|error| wrong(&error))?;
        toml::from_str::<Settings>(&text).map_err(|error| wrong(&error))?;
        let table: Table = toml::from_str(&text).map_err(|error| wrong(&error))?;
        let values = places
            .into_iter()
            .filter_map(|(parts, key, at)| {
                let value = value_at(&table, &parts)?.clone();
                Some(Given { path: parts, key, value, line: line_of(&text, at) })
            })
            .collect();
        Ok(Self { path: path.to_owned(), permissions, values, text })
    }
}

/// A value's place: the parts of its path, its key, and where it begins.
type Place = (Vec<String>, &'static Key, usize);

/// A key that nobody knows.
struct Unknown {
    within: Vec<String>,
    name: String,
    at: Range<usize>,
}

/// Finds every value, and the first key that is none.
fn walk(table: &DeTable<'_>, path: &mut Vec<String>, places: &mut Vec<Place>) -> Result<(), Unknown> {
    for (name, value) in table {
        path.push(name.get_ref().to_string());
        if let Some(key) = Key::at(path) {
            places.push((path.clone(), key, name.span().start));
        } else if Key::below(path).is_empty() {
            let within = path.iter().take(path.len() - 1).cloned().collect();
            return Err(Unknown { within, name: name.get_ref().to_string(), at: name.span() });
        } else if let DeValue::Table(inner) = Spanned::get_ref(value) {
            walk(inner, path, places)?;
        }
        path.pop();
    }
    Ok(())
}

impl Unknown {
    fn fault(&self, path: &Path, text: &str) -> UsageError {
        let within = self.within.join(".");
        let message = if within.is_empty() {
            format!("there is no section `{}`", self.name)
        } else {
            format!("`[{within}]` has no key `{}`", self.name)
        };
        let error = fault(path, text, self.at.start, &message);
        let known = Key::below(&self.within);
        if let Some(question) = suggest::question(&suggest::near(&self.name, known.iter().copied())) {
            return error.with_hint(question);
        }
        // A key of another section, or one whose section was forgotten.
        let elsewhere = KEYS.iter().find(|key| key.parts().last() == Some(self.name.as_str()));
        error.with_hint(match elsewhere {
            Some(key) => format!("did you mean `{}`?", key.path),
            None => format!("known here: {}", known.join(", ")),
        })
    }
}

/// A mistake at a place of a file.
fn fault(path: &Path, text: &str, at: usize, message: &str) -> UsageError {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let place = format!("{}:{}:{column}", Line(&path.display().to_string()), line_of(text, at));
    UsageError::new(format!("{place}: {}", message.trim_end())).with_excerpt(excerpt(text.as_bytes(), at))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn value_at<'a>(table: &'a Table, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(first)?, |value, part| value.get(part))
}
