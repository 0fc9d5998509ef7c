//! The words about serving clients of the Model Context Protocol.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use toml::Value;

use super::{AgentMode, Lang, PolicyFlags};
use crate::config::{Flag, ServedTools};

pub(super) const EXAMPLES: &str = "\
Examples:
  toolgate mcp -C ~/project                         for a client that starts its servers
  toolgate mcp --tools servers --mode code          the tools of your servers, for programs
  toolgate mcp --http 127.0.0.1:8931                for clients that have an address and a token
  toolgate mcp --http 127.0.0.1:8931 --profile ci   with what [mcp.profiles.ci] leaves of it
  toolgate mcp doctor                               the servers that it is in front of

A client is told to start it like any other server:
  { \"mcpServers\": { \"toolgate\": { \"command\": \"toolgate\", \"args\": [\"mcp\", \"-C\", \"/path/of/project\"] } } }

Every call goes through the same policy as `toolgate call`. What the rules ask about is put
to the person by the client, where it can do that, and denied where it cannot.
It serves until its input ends, or until SIGTERM or Ctrl-C: calls under way get five seconds.";

/// What to serve, and to whom.
#[derive(Debug, Args)]
pub(crate) struct McpServeArgs {
    /// Serve over streamable HTTP at this address instead of standard input and output; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", value_hint = ValueHint::Other)]
    pub(crate) http: Option<String>,

    /// Let every program of this machine in, without a token
    #[arg(long, requires = "http")]
    pub(crate) no_token: bool,

    /// A name under which it may be reached, beside those of this machine for itself; repeatable
    #[arg(long, value_name = "HOST", requires = "http", value_hint = ValueHint::Hostname)]
    pub(crate) allow_host: Vec<String>,

    /// The origin of web pages that may speak to it, such as `https://example.org`; repeatable
    #[arg(long, value_name = "ORIGIN", requires = "http", value_hint = ValueHint::Url)]
    pub(crate) allow_origin: Vec<String>,

    /// Serve this profile of the configuration and nothing else
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// Whose tools to serve; `mcp.serve.tools` (all) if left out
    #[arg(long, value_name = "TOOLS")]
    pub(crate) tools: Option<ServedTools>,

    /// How clients get the tools; `mcp.serve.mode` (native) if left out
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<AgentMode>,

    /// What programs are written in; TypeScript if left out
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Option<Lang>,

    /// How many tokens of declarations the description of `run_code` may have; two tools find and declare tools where
    /// there are more. 10,000 if left out
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

impl McpServeArgs {
    /// What was said, for the configuration.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let say = |name: &str, value: Value, flag| Flag::Value {
            path: ["mcp", "serve", name].map(str::to_owned).to_vec(),
            value,
            flag,
        };
        let mut flags = self.policy.flags();
        flags.extend(self.tools.map(|tools| say("tools", tools.as_str().into(), "--tools")));
        flags.extend(self.mode.map(|mode| say("mode", mode.as_str().into(), "--mode")));
        flags
    }
}
