//! Rules that were loaded together, and the loading: every mistake of all of them is reported at once.
//!
//! Called where a configuration is read. A rule that is wrong is never left out silently: without it, what it denied
//! would be allowed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use super::call_pattern::{CallPattern, Condition, Place, Test};
use super::config::{PermissionsConfig, RuleConfig};
use super::example::Example;
use super::facts::Facts;
use super::host::HostPattern;
use super::path::{Folder, PathPattern};
use super::rule::{Decision, Origin, Rule};
use super::shell::CommandPattern;
use super::wildcard::Wildcard;

/// Compiled rules of one layer: a file, a command line, a scope. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Rules {
    pub(super) rules: Arc<[Rule]>,
    pub(super) folder: Arc<Folder>,
    examples: usize,
}

impl Rules {
    /// Begins the rules for calls that are made in a workspace, from which their paths count.
    pub fn builder(workspace: &Path) -> RulesBuilder {
        RulesBuilder { workspace: workspace.to_owned(), pending: Vec::new() }
    }

    /// The rules, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// How many examples the rules carry. All of them hold, or there would be no rules.
    #[must_use]
    pub fn examples(&self) -> usize {
        self.examples
    }

    pub(super) fn into_first(self) -> Result<Rule, RulesError> {
        self.rules.first().cloned().ok_or(RulesError { problems: Vec::new() })
    }
}

/// Something that is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProblem {
    /// Where the rule comes from.
    pub origin: Origin,
    /// The rule.
    pub rule: String,
    /// Where in the rule's text, in characters from 0, if it is about its text.
    pub at: Option<usize>,
    /// What is wrong, with a hint.
    pub message: String,
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  {}", self.origin, self.message, self.rule)?;
        self.at.map_or(Ok(()), |at| write!(f, "\n  {}^", " ".repeat(at)))
    }
}

/// Everything that is wrong with the rules that were loaded together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", shown(problems))]
pub struct RulesError {
    /// Each mistake; at least one.
    pub problems: Vec<RuleProblem>,
}

fn shown(problems: &[RuleProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Collects rules, and reads them all when it is done.
#[derive(Clone, Debug)]
#[must_use = "call `build` to get the rules"]
pub struct RulesBuilder {
    workspace: PathBuf,
    pending: Vec<(Origin, RuleConfig)>,
}

impl RulesBuilder {
    /// Adds a rule in its text form.
    pub fn rule(mut self, decision: Decision, text: impl Into<String>, origin: Origin) -> Self {
        self.pending.push((origin, plain(decision, text.into())));
        self
    }

    /// Adds the rules of a configuration that was decoded from the text of a file.
    pub fn config(mut self, config: &PermissionsConfig, file: &Path, source: &str) -> Self {
        let origin = |start: usize| {
            let before = source.as_bytes().get(..start).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            Origin::File { file: file.to_owned(), line }
        };
        let lists =
            [(Decision::Deny, &config.deny), (Decision::Ask, &config.ask), (Decision::Allow, &config.allow)];
        for (decision, list) in lists {
            let rules = list.iter().map(|rule: &Spanned<String>| {
                (origin(rule.span().start), plain(decision, rule.as_ref().clone()))
            });
            self.pending.extend(rules);
        }
        let rules = config.rules.iter();
        self.pending.extend(rules.map(|rule| (origin(rule.span().start), rule.as_ref().clone())));
        self
    }

    /// Reads the rules and checks their examples.
    ///
    /// # Errors
    /// Everything that is wrong, at once. Nothing is left of rules of which one is wrong.
    pub fn build(self) -> Result<Rules, RulesError> {
        let folder = Folder::new(&self.workspace).map_err(|error| {
            let message = format!("the workspace cannot be found: {error}; hint: name a folder that exists");
            let rule = self.workspace.display().to_string();
            RulesError { problems: vec![RuleProblem { origin: Origin::Program, rule, at: None, message }] }
        })?;
        let folder = Arc::new(folder);
        let (mut rules, mut problems, mut examples) = (Vec::new(), Vec::new(), 0);
        for (origin, config) in self.pending {
            let mut faults = Vec::new();
            let rule = read(&config, origin.clone(), &folder, &mut faults);
            if let Some(rule) = &rule {
                examples += config.matches.len() + config.no_match.len();
                check_examples(rule, &config, &mut faults);
            }
            rules.extend(rule);
            problems.extend(faults.into_iter().map(|(at, message)| RuleProblem {
                origin: origin.clone(),
                rule: config.rule.clone(),
                at,
                message,
            }));
        }
        if problems.is_empty() {
            Ok(Rules { rules: rules.into(), folder, examples })
        } else {
            Err(RulesError { problems })
        }
    }
}

fn plain(decision: Decision, rule: String) -> RuleConfig {
    RuleConfig {
        decision,
        rule,
        reason: None,
        arguments: Default::default(),
        paths: Default::default(),
        urls: Default::default(),
        commands: Default::default(),
        matches: Vec::new(),
        no_match: Vec::new(),
    }
}

type Faults = Vec<(Option<usize>, String)>;

/// Reads one rule; none where anything of it is wrong.
fn read(config: &RuleConfig, origin: Origin, folder: &Arc<Folder>, faults: &mut Faults) -> Option<Rule> {
    let pattern = config.rule.parse::<CallPattern>();
    let mut pattern = pattern.map_err(|error| faults.push((Some(error.at), error.message))).ok();
    let mut conditions = Vec::new();
    let mut add = |table: &str, pointer: &str, test: Result<Test, String>| {
        if !pointer.starts_with('/') {
            faults.push((
                None,
                format!("`{pointer}` in `{table}` is no JSON pointer; hint: write `\"/{pointer}\"`"),
            ));
        }
        match test {
            Ok(test) => conditions.push(Condition { place: Place::Pointer(pointer.to_owned()), test }),
            Err(message) => faults.push((None, format!("`{pointer}` in `{table}`: {message}"))),
        }
    };
    for (pointer, text) in &config.arguments {
        add("arguments", pointer, Ok(Test::Value(Wildcard::new(text.as_str()))));
    }
    for (pointer, text) in &config.paths {
        add("paths", pointer, PathPattern::parse(text).map(|pattern| Test::Path(pattern.into())));
    }
    for (pointer, text) in &config.urls {
        add("urls", pointer, HostPattern::parse(text).map(Test::Url));
    }
    for (pointer, text) in &config.commands {
        add(
            "commands",
            pointer,
            CommandPattern::parse(text).map(Test::Command).map_err(|error| error.to_string()),
        );
    }
    if let Some(pattern) = &mut pattern {
        pattern.conditions.extend(conditions);
        let commands =
            pattern.conditions.iter().filter(|condition| matches!(condition.test, Test::Command(_)));
        if commands.count() > 1 {
            faults.push((None, "a rule speaks of one command line; hint: write two rules".to_owned()));
        }
    }
    let pattern = if faults.is_empty() { pattern } else { None };
    pattern.map(|pattern| Rule {
        decision: config.decision,
        pattern,
        reason: config.reason.clone(),
        origin,
        folder: Arc::clone(folder),
    })
}

/// Checks that a rule does to its examples what it says.
fn check_examples(rule: &Rule, config: &RuleConfig, faults: &mut Faults) {
    let examples = config.matches.iter().map(|example| (example, true));
    let examples = examples.chain(config.no_match.iter().map(|example| (example, false)));
    for (example, expected) in examples {
        let call = match Example::read(example, &rule.pattern) {
            Ok(call) => call,
            Err(message) => {
                faults.push((None, message));
                continue;
            }
        };
        let facts = Facts::new(&call.tool, &call.arguments, &rule.folder);
        if rule.decides(&facts) != expected {
            let (list, does) = if expected { ("match", "does not decide") } else { ("no_match", "decides") };
            faults.push((
                None,
                format!("the rule {does} {call}, an example under `{list}`; hint: change one of them"),
            ));
        }
    }
}
