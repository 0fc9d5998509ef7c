//! The words about the pages in the browser.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use toml::Value;

use super::{AgentMode, ModelArgs, PolicyFlags};
use crate::config::Flag;

/// Where to serve, and who works.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate web --model openai:NAME
  toolgate web --script examples/scripts/fix-test.toml -C /tmp/greeting
  toolgate web --listen 127.0.0.1:8080 --sessions /tmp/sessions

The link that it shows is good for one browser, once; a page gives links for others. A
browser that is in stays in, also when this command is started again.
Everything is served from this machine, and nothing is fetched from any other one. An
address that is not of this machine itself can be reached by others, without encryption:
put a proxy with TLS in front of it, and name it with --host.
Without a model the pages show sessions, and none can be begun.
Ctrl-C asks agents and their tools to stop and keeps what was done; a second one quits at once.")]
pub(crate) struct WebArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// The address to serve at
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7420")]
    pub(crate) listen: SocketAddr,

    /// A further name that browsers use for the server, with its port where that is not 80; repeatable
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,

    /// How the model gets the tools; `agent.mode` (native) if left out
    #[arg(long, value_name = "MODE")]
    mode: Option<AgentMode>,

    /// How often the model is asked at most in a turn; `agent.max_steps` (100) if left out
    #[arg(long, value_name = "COUNT")]
    max_steps: Option<u32>,

    /// Where sessions are kept; the user's data directory if left out
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) sessions: Option<PathBuf>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    #[command(flatten)]
    policy: PolicyFlags,
}

impl WebArgs {
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
