//! The forms that rules have in a configuration file: the table `[permissions]`.
//!
//! Decoded from TOML only, because every rule carries its place in the file. Unknown keys are errors of the decoder;
//! what is wrong with the rules themselves is said by [`RulesBuilder`](super::RulesBuilder), all of it at once.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use super::Decision;

/// The table `[permissions]` of a configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PermissionsConfig {
    /// Calls that may run without asking.
    pub allow: Vec<Spanned<String>>,
    /// Calls that somebody has to allow, each time.
    pub ask: Vec<Spanned<String>>,
    /// Calls that may never run.
    pub deny: Vec<Spanned<String>>,
    /// Rules that say more: `[[permissions.rules]]`.
    pub rules: Vec<Spanned<RuleConfig>>,
}

/// One rule in its long form.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleConfig {
    /// What the rule says.
    pub decision: Decision,
    /// Which calls, in the short form; further conditions may be added by the tables below.
    pub rule: String,
    /// Why, for those who are asked or denied.
    #[serde(default)]
    pub reason: Option<String>,
    /// Patterns of values, by the JSON pointer of the argument. All have to fit.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Patterns of paths, by JSON pointer.
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
    /// Patterns of hosts, by JSON pointer.
    #[serde(default)]
    pub urls: BTreeMap<String, String>,
    /// Patterns of commands, by JSON pointer.
    #[serde(default)]
    pub commands: BTreeMap<String, String>,
    /// Calls that the rule has to decide, checked when it is loaded.
    #[serde(default, rename = "match")]
    pub matches: Vec<ExampleConfig>,
    /// Calls that the rule has to leave alone, checked when it is loaded.
    #[serde(default)]
    pub no_match: Vec<ExampleConfig>,
}

/// An example of a call.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ExampleConfig {
    /// What the short form of the rule's tool speaks of: a command, a path or an address; for a rule that names only
    /// tools, the name of one.
    Text(String),
    /// The whole call.
    Call(CallExample),
}

/// An example in full.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallExample {
    /// The tool; that of the rule where absent.
    #[serde(default)]
    pub tool: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}
