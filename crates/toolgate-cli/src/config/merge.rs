//! Brings the sources together: each value from the one that goes before the others, all rules from all of them.
//!
//! Flags go before the file of the workspace, that before the user's, that before the defaults. Of a workspace's file that
//! is not trusted, only what narrows is taken, and the rest is told.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize as _;
use toml::{Table, Value};
use toolgate::text::Line;
use toolgate_policy::rules::{Decision, Origin as RuleOrigin, RulesError};
use toolgate_policy::{PermissionsConfig, Rules};

use super::file::{ConfigFile, Role};
use super::keys::{KEYS, Key};
use super::narrow;
use super::settings::Settings;
use super::trust::TrustFolder;
use crate::fault::UsageError;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody said anything.
    Default,
    /// A line of a file, counted from 1.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// A flag, such as `--yes`.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", Line(&path.display().to_string())),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// What a flag of the command line says: a value, or a rule.
#[derive(Clone, Debug)]
pub(crate) enum Flag {
    /// The value of a key.
    Value {
        /// The parts of its path.
        path: Vec<String>,
        /// What it says.
        value: Value,
        /// The flag.
        flag: &'static str,
    },
    /// A rule.
    Rule {
        /// What it says of the calls.
        decision: Decision,
        /// The rule.
        text: String,
        /// The flag.
        flag: &'static str,
    },
}

/// Something of a file that is not trusted, and does not count.
#[derive(Clone, Debug)]
pub(crate) struct Ignored {
    /// What it says.
    pub(crate) what: String,
    /// Where.
    pub(crate) origin: Origin,
}

/// A value in force.
#[derive(Clone, Debug)]
pub(crate) struct Effective {
    /// The parts of its path.
    pub(crate) path: Vec<String>,
    /// What it is, as it may be shown.
    pub(crate) value: Value,
    /// Who says so.
    pub(crate) origin: Origin,
}

impl Effective {
    fn new(path: Vec<String>, value: &Value, origin: Origin) -> Self {
        let value = Key::at(&path).map_or_else(|| value.clone(), |key| key.shown(value));
        Self { path, value, origin }
    }
}

/// A file that counts.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The file.
    pub(crate) file: ConfigFile,
    /// Whose it is.
    pub(crate) role: Role,
    /// Whether everything in it counts.
    pub(crate) is_trusted: bool,
}

/// All that was said, brought together.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    /// The values, for those who use them.
    pub(crate) settings: Settings,
    /// The same for those who show them, in the order of the list of keys.
    pub(crate) values: Vec<Effective>,
    /// The rules.
    pub(crate) rules: Rules,
    /// The files, the user's first.
    pub(crate) sources: Vec<Source>,
    /// What does not count.
    pub(crate) ignored: Vec<Ignored>,
}

impl Configuration {
    /// Who says what a key is in force; none where it has no value.
    pub(crate) fn origin(&self, path: &str) -> Option<&Origin> {
        let is_here = |value: &&Effective| value.path.iter().map(String::as_str).eq(path.split('.'));
        self.values.iter().find(is_here).map(|value| &value.origin)
    }
}

/// Finds, reads and merges everything that counts for a workspace.
///
/// # Errors
/// A [`UsageError`] where a file cannot be used, or a rule is wrong; a defect of this program.
pub(crate) fn load(workspace: &Path, flags: &[Flag]) -> anyhow::Result<Configuration> {
    let sources = sources(workspace)?;
    let (mut merged, mut ignored) = (Merged::defaults()?, Vec::new());
    let mut rules = Rules::builder(workspace);
    for Source { file, is_trusted, .. } in &sources {
        let mut permissions = file.permissions.clone();
        for given in file.values.iter().filter(|given| !is_rules(given.key)) {
            let origin = Origin::File { path: file.path.clone(), line: given.line };
            if *is_trusted || narrow::is_taken(given, merged.get(&given.path)) {
                merged.set(&given.path, given.value.clone(), origin);
            } else {
                let value = given.key.shown(&given.value);
                ignored.push(Ignored { what: format!("{} = {value}", given.path.join(".")), origin });
            }
        }
        if !is_trusted {
            ignored.extend(ignored_rules(&mut permissions, file));
        }
        rules = rules.config(&permissions, &file.path, &file.text);
    }
    for flag in flags {
        match flag {
            Flag::Value { path, value, flag } => merged.set(path, value.clone(), Origin::Flag(flag)),
            Flag::Rule { decision, text, flag } => {
                rules = rules.rule(*decision, text.as_str(), RuleOrigin::Flag((*flag).to_owned()));
            }
        }
    }
    let rules = rules.build().map_err(wrong_rules)?;
    let settings = merged.settings()?;
    Ok(Configuration { settings, values: merged.in_order(), rules, sources, ignored })
}

/// Reads every rule that there is, also those that do not count because nobody trusts their file.
///
/// # Errors
/// A [`UsageError`] where a file cannot be used, or a rule or an example is wrong.
pub(crate) fn every_rule(workspace: &Path, flags: &[Flag]) -> Result<Rules, UsageError> {
    let mut rules = Rules::builder(workspace);
    for Source { file, .. } in sources(workspace)? {
        rules = rules.config(&file.permissions, &file.path, &file.text);
    }
    for flag in flags {
        if let Flag::Rule { decision, text, flag } = flag {
            rules = rules.rule(*decision, text.as_str(), RuleOrigin::Flag((*flag).to_owned()));
        }
    }
    rules.build().map_err(wrong_rules)
}

/// The files that there are, the user's first.
fn sources(workspace: &Path) -> Result<Vec<Source>, UsageError> {
    let user = super::find::of_user();
    let mut sources = Vec::new();
    if let Some(path) = &user
        && let Some(file) = ConfigFile::load(path, Role::User)?
    {
        sources.push(Source { file, role: Role::User, is_trusted: true });
    }
    let found = super::find::above(workspace)?;
    // Where the workspace is the user's own folder of configurations, the file is one and the same.
    let is_users = |path: &PathBuf| user.as_ref().is_some_and(|user| is_same(user, path));
    if let Some(path) = found.filter(|path| !is_users(path))
        && let Some(file) = ConfigFile::load(&path, Role::Workspace)?
    {
        let is_trusted = TrustFolder::of_user().is_some_and(|folder| folder.has(&file.path, &file.text));
        sources.push(Source { file, role: Role::Workspace, is_trusted });
    }
    Ok(sources)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn is_rules(key: &Key) -> bool {
    key.path.starts_with("permissions.")
}

fn ignored_rules(permissions: &mut PermissionsConfig, file: &ConfigFile) -> Vec<Ignored> {
    let line = |at: usize| file.text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    narrow::take_allowing(permissions)
        .into_iter()
        .map(|(at, what)| Ignored { what, origin: Origin::File { path: file.path.clone(), line: line(at) } })
        .collect()
}

/// Every mistake of every rule, with its place.
pub(crate) fn wrong_rules(error: RulesError) -> UsageError {
    UsageError::new(error.to_string())
        .with_hint("rules are used together or not at all; `toolgate policy test` checks them")
}

/// Values by path, while sources are laid over each other.
struct Merged(BTreeMap<Vec<String>, (Value, Origin)>);

impl Merged {
    fn defaults() -> anyhow::Result<Self> {
        let mut values = BTreeMap::new();
        for key in KEYS {
            let Some(default) = key.default else { continue };
            let value = default
                .parse::<Value>()
                .with_context(|| format!("the default of {} is no value, which is a defect", key.path))?;
            values.insert(key.parts().map(str::to_owned).collect(), (value, Origin::Default));
        }
        Ok(Self(values))
    }

    fn get(&self, path: &[String]) -> Option<&Value> {
        self.0.get(path).map(|(value, _)| value)
    }

    fn set(&mut self, path: &[String], value: Value, origin: Origin) {
        self.0.insert(path.to_owned(), (value, origin));
    }

    /// The values as the types of those who use them. Each was checked in its own file.
    fn settings(&self) -> anyhow::Result<Settings> {
        let mut root = Table::new();
        for (path, (value, _)) in &self.0 {
            let Some((name, sections)) = path.split_last() else { continue };
            let mut table = Some(&mut root);
            for section in sections {
                table = table.and_then(|table| {
                    let inner = table.entry(section.as_str()).or_insert_with(|| Value::Table(Table::new()));
                    inner.as_table_mut()
                });
            }
            if let Some(table) = table {
                table.insert(name.clone(), value.clone());
            }
        }
        Settings::deserialize(Value::Table(root))
            .map_err(|error| {
                UsageError::new(format!("the configuration contradicts itself: {}", error.message()))
            })
            .context("the sources of the configuration could not be brought together")
    }

    fn in_order(self) -> Vec<Effective> {
        let place =
            |path: &[String]| KEYS.iter().position(|key| Key::at(path).is_some_and(|at| at.path == key.path));
        let mut values: Vec<_> =
            self.0.into_iter().map(|(path, (value, origin))| Effective::new(path, &value, origin)).collect();
        values.sort_by_cached_key(|value| (place(&value.path), value.path.clone()));
        values
    }
}
