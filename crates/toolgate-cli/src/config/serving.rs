//! The sections `[mcp.serve]` and `[mcp.profiles.NAME]`: what clients of `toolgate mcp` get.

use clap::ValueEnum;
use serde::Deserialize;
use toolgate_kit::KeySource;

use crate::cli::AgentMode;

/// The section `[mcp.serve]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServeConfig {
    /// Whose tools.
    pub(crate) tools: ServedTools,
    /// How clients get them.
    pub(crate) mode: AgentMode,
    /// Where the token of clients over HTTP comes from.
    pub(crate) token: Option<KeySource>,
    /// Further names under which it may be reached.
    pub(crate) hosts: Vec<String>,
    /// Web pages that may speak to it.
    pub(crate) origins: Vec<String>,
    /// What happens where a client cannot ask a person.
    pub(crate) unanswered: WithoutAnswer,
}

/// Whose tools are served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServedTools {
    /// Those of servers, and Toolgate's own for files, shell and web
    #[default]
    All,
    /// Those of servers alone
    Servers,
}

impl ServedTools {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Servers => "servers",
        }
    }
}

/// What happens to a call that rules ask about where the client cannot ask a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WithoutAnswer {
    /// It is denied.
    #[default]
    Deny,
    /// It runs.
    Allow,
}

/// A section `[mcp.profiles.NAME]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProfileConfig {
    /// The tools, by name or by the beginning of names; all without it.
    pub(crate) allow: Option<Vec<String>>,
    /// Tools that are hidden all the same.
    pub(crate) deny: Vec<String>,
    /// Rules beside those for everybody.
    pub(crate) rules: ProfileRules,
    /// The names of clients that get it by themselves.
    pub(crate) clients: Vec<String>,
    /// How they get the tools.
    pub(crate) mode: Option<AgentMode>,
    /// Where its own token comes from.
    pub(crate) token: Option<KeySource>,
}

/// A section `[mcp.profiles.NAME.rules]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProfileRules {
    /// Calls that may run without asking.
    pub(crate) allow: Vec<String>,
    /// Calls that somebody has to allow.
    pub(crate) ask: Vec<String>,
    /// Calls that may never run.
    pub(crate) deny: Vec<String>,
}
