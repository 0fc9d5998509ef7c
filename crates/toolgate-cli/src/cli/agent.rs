//! The words about agents.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use serde::Deserialize;
use toml::Value;
use toolgate::PresentationMode;

use super::PolicyFlags;
use crate::config::Flag;

/// What to work on, and who does.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate agent \"Make the failing test pass.\" --model openai:NAME
  toolgate agent \"Make the test pass.\" --script examples/scripts/fix-test.toml -C /tmp/greeting --yes
  toolgate agent \"Now add a test.\" --resume last --model anthropic:NAME
  toolgate agent \"How many TODOs are there?\" --mode code
  toolgate agent \"Summarise README.md.\" --json | jq -r 'select(.type == \"delta/text\").text'

What the model says is on standard output, its calls are on standard error. With --json
standard output has one object a line: the name of the session, each record of its log
once it is there, and pieces of answers as they come; docs/agent-events.schema.json is
their schema.
The model, its address and its key may stand in the section [model] of your toolgate.toml:
  [model]
  name = \"openai:NAME\"
  base_url = \"http://127.0.0.1:11434/v1\"
  key = { command = [\"pass\", \"show\", \"model\"] }     or { environment = \"NAME\" }
Its calls go through the same policy as `toolgate call`: what the rules ask about is asked
at the terminal, and denied where there is none. Everything is kept in a session;
`toolgate sessions` lists them, `toolgate replay` shows them again.
Ctrl-C asks the model and its tools to stop and keeps what was done; a second one quits at once.")]
pub(crate) struct AgentArgs {
    /// The task, in words
    pub(crate) task: String,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// Go on with a session: its name, the beginning of it, or `last`
    #[arg(long, value_name = "SESSION")]
    pub(crate) resume: Option<String>,

    /// How the model gets the tools; `agent.mode` (native) if left out
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<AgentMode>,

    /// How often the model is asked at most; `agent.max_steps` (100) if left out
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_steps: Option<u32>,

    /// Print one JSON object a line, and no cards
    #[arg(long)]
    pub(crate) json: bool,

    /// Where sessions are kept; the user's data directory if left out
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) sessions: Option<PathBuf>,

    /// The directory that tools may use; this one if left out, or that of the session with --resume
    #[arg(long, short = 'C', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

impl AgentArgs {
    /// What was said, for the configuration.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let say = |name: &str, value: Value, flag| Flag::Value {
            path: vec!["agent".to_owned(), name.to_owned()],
            value,
            flag,
        };
        let mut flags = self.policy.flags();
        flags.extend(self.mode.map(|mode| say("mode", mode.as_str().into(), "--mode")));
        flags.extend(self.max_steps.map(|steps| say("max_steps", i64::from(steps).into(), "--max-steps")));
        flags
    }
}

/// Who is asked.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model: `openai:NAME` (and servers that speak like it) or `anthropic:NAME`; `model.name` if left out
    #[arg(long, value_name = "PROVIDER:NAME")]
    pub(crate) model: Option<String>,

    /// Where the model is; `model.base_url`, or the provider's own address, if left out
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) base_url: Option<String>,

    /// Follow a file of answers instead of asking a model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "base_url"], value_hint = ValueHint::FilePath)]
    pub(crate) script: Option<PathBuf>,
}

/// How a model gets the tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgentMode {
    /// It calls them one by one
    #[default]
    Native,
    /// It writes programs that call them
    Code,
    /// As it likes
    Both,
}

impl AgentMode {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Code => "code",
            Self::Both => "both",
        }
    }

    /// The same for a runtime.
    pub(crate) fn presentation(self) -> PresentationMode {
        match self {
            Self::Native => PresentationMode::Native,
            Self::Code => PresentationMode::Code,
            Self::Both => PresentationMode::Both,
        }
    }
}
