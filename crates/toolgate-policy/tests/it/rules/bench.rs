//! What the tests of rules share: a folder with files, and rules in their text form.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate::{JsonValue, ToolEffect};
use toolgate_policy::rules::{Decision, Explanation, Origin, Permissions, Rules, RulesBuilder};

/// A workspace and the rules in force there.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) permissions: Permissions,
}

impl Bench {
    /// Rules such as `allow bash(git status)`, one a line.
    pub(crate) fn new(rules: &[&str]) -> Self {
        Self::with_files(rules, |_| {})
    }

    /// The same in a workspace with something in it.
    pub(crate) fn with_files(rules: &[&str], fill: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fill(folder.path());
        let rules = builder(folder.path(), rules).build().unwrap_or_else(|error| panic!("{error}"));
        Self { folder, permissions: Permissions::new(rules) }
    }

    pub(crate) fn explain(&self, tool: &str, arguments: Value) -> Explanation {
        let pure = ["read", "glob", "grep"].contains(&tool);
        let effect = if pure { ToolEffect::Pure } else { ToolEffect::NonIdempotent };
        self.permissions.explain(tool, &lossless(arguments), Some(effect), None)
    }

    pub(crate) fn decide(&self, tool: &str, arguments: Value) -> Decision {
        self.explain(tool, arguments).decision()
    }

    /// Checks that the decision about each line is the same; names every one where it is not.
    pub(crate) fn all(&self, expected: Decision, lines: &[&str]) {
        let explain = |line: &&&str| self.explain("bash", json!({ "command": line }));
        let wrong = lines.iter().filter(|line| self.bash(line) != expected);
        let wrong: Vec<String> = wrong.map(|line| format!("{line:?} is {}", explain(&line))).collect();
        assert!(wrong.is_empty(), "expected {expected}, but\n{}", wrong.join("\n"));
    }

    /// The decision about a command line.
    pub(crate) fn bash(&self, command: &str) -> Decision {
        self.decide("bash", json!({ "command": command }))
    }
}

/// Rules in their text form, each behind its decision.
pub(crate) fn builder(folder: &Path, rules: &[&str]) -> RulesBuilder {
    rules.iter().fold(Rules::builder(folder), |builder, rule| {
        let (decision, text) = rule.split_once(' ').expect("a decision and a rule");
        let decision = match decision {
            "allow" => Decision::Allow,
            "ask" => Decision::Ask,
            "deny" => Decision::Deny,
            other => panic!("{other} is no decision"),
        };
        builder.rule(decision, text, Origin::Flag(format!("--{decision}")))
    })
}

pub(crate) fn lossless(value: Value) -> JsonValue {
    JsonValue::new(value).expect("lossless")
}
