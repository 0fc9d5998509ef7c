//! The words about servers of the Model Context Protocol.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::McpServeArgs;

const DOCTOR_EXAMPLES: &str = "\
Examples:
  toolgate mcp doctor                    every server, and what is wrong with it
  toolgate mcp doctor files --json       one of them, for programs

A server is configured in toolgate.toml:
  [mcp.servers.files]
  command = \"npx\"
  args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]
or in another program's file that `mcp.files = [\".mcp.json\"]` points to.
The exit code is 1 where a server cannot be used.";

const DIFF_EXAMPLES: &str = "\
Examples:
  toolgate mcp diff
  toolgate mcp diff files

How a tool describes itself is kept when its server is used for the first time. A tool
that describes itself in another way later, or that is new, is held back until somebody
has read the difference and approves it. The exit code is 1 where something differs.";

const APPROVE_EXAMPLES: &str = "\
Examples:
  toolgate mcp approve files read_file     after `toolgate mcp diff`
  toolgate mcp approve files a b c";

const LOGIN_EXAMPLES: &str = "\
Examples:
  toolgate mcp login tracker               opens nothing: it prints the address to go to
  toolgate mcp login tracker --forget

What the server gives is kept in a file that only you can read, and refreshed when it is used.";

/// What to serve, or what to do about servers.
#[derive(Debug, Args)]
#[command(after_help = super::serve::EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) action: Option<McpAction>,

    #[command(flatten)]
    pub(crate) serve: McpServeArgs,
}

/// What to do about servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpAction {
    /// Connect to every server and say how it is
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(McpServersArgs),
    /// Show which tools describe themselves in another way than when they were first seen
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(McpServersArgs),
    /// Take what tools of a server say of themselves now
    #[command(after_help = APPROVE_EXAMPLES)]
    Approve(McpApproveArgs),
    /// Take everything that a server says of its tools now, and forget those that it has not any more
    Pin(McpPinArgs),
    /// Log in at a server, in a browser
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(McpLoginArgs),
}

/// Which servers.
#[derive(Debug, Args)]
pub(crate) struct McpServersArgs {
    /// The servers; all if left out
    #[arg(value_name = "SERVER")]
    pub(crate) servers: Vec<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: McpPlace,
}

/// What to approve.
#[derive(Debug, Args)]
pub(crate) struct McpApproveArgs {
    /// The server
    pub(crate) server: String,

    /// The tools, under the server's own names for them
    #[arg(value_name = "TOOL", required = true)]
    pub(crate) tools: Vec<String>,

    #[command(flatten)]
    pub(crate) place: McpPlace,
}

/// What to pin.
#[derive(Debug, Args)]
pub(crate) struct McpPinArgs {
    /// The servers
    #[arg(value_name = "SERVER", required = true)]
    pub(crate) servers: Vec<String>,

    #[command(flatten)]
    pub(crate) place: McpPlace,
}

/// Where to log in.
#[derive(Debug, Args)]
pub(crate) struct McpLoginArgs {
    /// The server
    pub(crate) server: String,

    /// Forget what was kept of an earlier log-in, and do not log in
    #[arg(long)]
    pub(crate) forget: bool,

    #[command(flatten)]
    pub(crate) place: McpPlace,
}

/// Whose servers.
#[derive(Debug, Args)]
pub(crate) struct McpPlace {
    /// The directory whose configuration counts
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,
}
