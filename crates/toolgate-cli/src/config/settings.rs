//! The values in force, as the types of those who use them.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use toolgate_agent::TurnLimits;
#[cfg(unix)]
use toolgate_kit::ShellConfig;
use toolgate_kit::{FileToolsConfig, KeySource, WebConfig};
use toolgate_mcp::config::ServerTable;
#[cfg(unix)]
use toolgate_policy::SpillConfig;
use toolgate_policy::{DeadlineConfig, Stance, duration};

use super::serving::{ProfileConfig, ServeConfig};
use crate::cli::AgentMode;
use crate::sessions::Store;
use crate::size;

/// Everything but the rules, which are read together with their places.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The rules have a reader of their own.
    #[serde(rename = "permissions")]
    _permissions: Option<IgnoredAny>,
    /// Who answers where rules ask.
    pub(crate) approvals: ApprovalsConfig,
    /// How long things may take.
    pub(crate) limits: DeadlineConfig,
    /// The tools for files.
    pub(crate) files: FileToolsConfig,
    /// Shell commands.
    #[cfg(unix)]
    pub(crate) shell: ShellConfig,
    /// Shell commands, which this system does not have.
    #[cfg(not(unix))]
    shell: Option<IgnoredAny>,
    /// The web tools.
    pub(crate) web: WebConfig,
    /// Oversized results.
    #[cfg(unix)]
    pub(crate) spill: SpillConfig,
    /// Oversized results, which this system does not keep.
    #[cfg(not(unix))]
    spill: Option<IgnoredAny>,
    /// Programs.
    pub(crate) code: CodeConfig,
    /// The model that agents ask.
    pub(crate) model: ModelConfig,
    /// Agents.
    pub(crate) agent: AgentConfig,
    /// What agents leave.
    pub(crate) sessions: SessionsConfig,
    /// Servers of the Model Context Protocol.
    pub(crate) mcp: McpConfig,
}

/// The section `[approvals]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ApprovalsConfig {
    /// Who answers.
    pub(crate) stance: Stance,
    /// How long an answer is waited for.
    #[serde(deserialize_with = "some_duration")]
    pub(crate) patience: Option<Duration>,
    /// For how many calls a rule holds that was chosen when asked.
    pub(crate) grant_uses: Option<NonZeroU32>,
    /// For how long it holds.
    #[serde(deserialize_with = "some_duration")]
    pub(crate) grant_lasts: Option<Duration>,
}

/// The section `[code]`. What is left out has the default of the list of keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CodeConfig {
    /// How long a program may take.
    #[serde(deserialize_with = "some_duration")]
    pub(crate) timeout: Option<Duration>,
    /// How long it may compute.
    #[serde(deserialize_with = "some_duration")]
    pub(crate) cpu: Option<Duration>,
    /// How much memory it may use.
    #[serde(deserialize_with = "some_size")]
    pub(crate) memory: Option<usize>,
    /// How many calls it may make.
    pub(crate) max_calls: Option<usize>,
    /// How many of them may run at one time.
    pub(crate) parallel: Option<NonZeroUsize>,
}

/// The section `[model]`: one provider's.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelConfig {
    /// `openai:NAME` or `anthropic:NAME`.
    pub(crate) name: Option<String>,
    /// Where it is.
    pub(crate) base_url: Option<String>,
    /// Where its key comes from.
    pub(crate) key: Option<KeySource>,
    /// How many tokens an answer may have.
    pub(crate) output_tokens: Option<u64>,
}

/// The section `[agent]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgentConfig {
    /// How a model gets the tools.
    pub(crate) mode: AgentMode,
    /// How often it is asked in one turn.
    pub(crate) max_steps: u64,
    /// How many tokens a request may have.
    pub(crate) context_tokens: u64,
    /// How many tokens all requests of a turn may use together.
    pub(crate) turn_tokens: u64,
}

impl Default for AgentConfig {
    fn default() -> Self {
        let TurnLimits { steps, context_tokens, turn_tokens, .. } = TurnLimits::default();
        Self { mode: AgentMode::default(), max_steps: steps, context_tokens, turn_tokens }
    }
}

/// The section `[mcp]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct McpConfig {
    /// Files of other programs with more servers.
    pub(crate) files: Vec<PathBuf>,
    /// The lock file of what tools said of themselves.
    pub(crate) lock: Option<PathBuf>,
    /// The servers, by name.
    pub(crate) servers: BTreeMap<String, ServerTable>,
    /// What clients get.
    pub(crate) serve: ServeConfig,
    /// What some of them get, by the name of the profile.
    pub(crate) profiles: BTreeMap<String, ProfileConfig>,
}

/// The section `[sessions]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SessionsConfig {
    /// What keeps new ones.
    pub(crate) store: Store,
}

fn some_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration::parse(&text).map(Some).map_err(|expected| D::Error::custom(format!("{text:?}: {expected}")))
}

fn some_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let text = String::deserialize(deserializer)?;
    size::parse(&text).map(Some).map_err(|expected| D::Error::custom(format!("{text:?}: {expected}")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toml::{Table, Value};

    use super::*;
    use crate::config::keys::{KEYS, Key, Kind};

    fn written(path: &str, value: &str) -> String {
        let path = path.replace('*', "x");
        let (section, name) = path.rsplit_once('.').unwrap();
        format!("[{section}]\n{name} = {value}\n")
    }

    #[test]
    fn the_defaults_of_the_list_are_those_of_the_types() {
        let mut table = Table::new();
        for key in KEYS {
            if let Some(default) = key.default {
                let one: Table = toml::from_str(&written(key.path, default)).unwrap();
                merge(&mut table, one);
            }
        }
        let mut listed = Settings::deserialize(Value::Table(table)).unwrap();
        // What this program decides for itself, and the library leaves open.
        assert_eq!(listed.limits.grace.take(), Some(Duration::from_secs(5)));
        let code = std::mem::take(&mut listed.code);
        let limits = toolgate_sandbox::Limits::default();
        assert_eq!((code.timeout, code.cpu), (Some(limits.wall), Some(limits.cpu)));
        assert_eq!((code.memory, code.max_calls), (Some(limits.memory), Some(limits.calls)));
        let parallel = toolgate_code::CodeModeConfig::new(toolgate_sandbox::Language::TypeScript).parallel;
        assert_eq!(code.parallel, Some(parallel));
        assert_eq!(format!("{listed:?}"), format!("{:?}", Settings::default()));
    }

    fn merge(into: &mut Table, from: Table) {
        for (name, value) in from {
            match (into.get_mut(&name), value) {
                (Some(Value::Table(inner)), Value::Table(more)) => merge(inner, more),
                (_, value) => {
                    into.insert(name, value);
                }
            }
        }
    }

    #[test]
    fn the_types_know_every_key_of_the_list_and_no_other() {
        // An unknown key makes each type name those that it knows.
        let mut sections = BTreeSet::new();
        for key in KEYS.iter().filter(|key| !key.path.starts_with("permissions")) {
            sections.insert(key.path.rsplit_once('.').unwrap().0);
        }
        // Below these, a name is the user's own choice.
        let is_free = |section: &str| {
            KEYS.iter().any(|key| key.path.strip_prefix(section).is_some_and(|rest| rest.starts_with(".*")))
        };
        sections.retain(|section| !is_free(section));
        for section in sections {
            let text = format!("[{}]\nno-such-key = 1\n", section.replace('*', "x"));
            let error = toml::from_str::<Settings>(&text).unwrap_err().to_string();
            let known: BTreeSet<&str> = error.split('`').skip(3).step_by(2).collect();
            let within: Vec<String> = section.split('.').map(str::to_owned).collect();
            let listed: BTreeSet<&str> = Key::below(&within).into_iter().collect();
            assert_eq!(known, listed, "{section}: {error}");
        }
    }

    #[test]
    fn every_word_of_a_choice_is_known() {
        for key in KEYS {
            let Kind::Choice(words) = key.kind else { continue };
            for word in words {
                let text = written(key.path, &format!("{word:?}"));
                toml::from_str::<Settings>(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            }
            let text = written(key.path, "\"no-such-word\"");
            let error = toml::from_str::<Settings>(&text).unwrap_err().to_string();
            let known: BTreeSet<&str> =
                error.split('`').skip(3).step_by(2).filter(|word| !word.is_empty()).collect();
            assert_eq!(known, words.iter().copied().collect(), "{}: {error}", key.path);
        }
    }
}
