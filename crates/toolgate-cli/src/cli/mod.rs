//! The words of the command line. Help, completions and the man page all come from these definitions.
//!
//! Nothing here reads a file or runs a tool.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use toolgate_policy::duration;
use toolgate_sandbox::Language;

pub(crate) use self::acp::AcpArgs;
pub(crate) use self::agent::{AgentArgs, AgentMode, ModelArgs};
pub(crate) use self::mcp::{McpAction, McpApproveArgs, McpArgs, McpLoginArgs, McpPinArgs, McpServersArgs};
#[cfg(unix)]
pub(crate) use self::policy::DoctorArgs;
pub(crate) use self::policy::{
    ConfigAction, ConfigArgs, PolicyAction, PolicyArgs, PolicyExplainArgs, PolicyFlags, PolicyTestArgs,
    TrustArgs,
};
pub(crate) use self::serve::McpServeArgs;
pub(crate) use self::sessions::{
    LogAction, LogArgs, LogExportArgs, LogFollowArgs, LogListArgs, LogShowArgs, LogVerifyArgs, ReplayArgs,
    SessionState, SessionsArgs,
};
pub(crate) use self::web::WebArgs;
use crate::size;

mod acp;
mod agent;
mod mcp;
mod policy;
mod serve;
mod sessions;
mod web;

const EXAMPLES: &str = "\
Examples:
  toolgate tools                                        what can be called, and with what
  toolgate call read '{\"file_path\": \"README.md\"}'       read a file of this directory
  toolgate call grep '{\"pattern\": \"TODO\"}' --json       the whole result, for programs
  toolgate run report.ts                                run a program that calls many
  toolgate sdk --lang ts                                what a program can call, as declarations
  toolgate agent 'Make the test pass.'                  let a model work on a task
  toolgate replay last                                  what it did, card by card
  toolgate mcp                                          serve the tools to any MCP client
  toolgate explain OUTSIDE_WORKSPACE                    what an error means and what to do
  toolgate config                                       what is in force, and who says so
  toolgate policy explain bash '{\"command\": \"id\"}'    what the rules decide, and why

Exit codes:
  0    success
  1    the call or the program failed
  2    wrong usage
  130  interrupted";

const CALL_EXAMPLES: &str = "\
Examples:
  toolgate call read '{\"file_path\": \"src/main.rs\", \"offset\": 10, \"limit\": 20}'
  toolgate call glob '{\"pattern\": \"**/*.rs\"}' --workspace ~/project
  toolgate call grep @arguments.json --timeout 10s
  toolgate call bash '{\"command\": \"git status\"}' --allow 'bash(git status)'
  echo '{\"pattern\": \"TODO\"}' | toolgate call grep -

The arguments are one JSON object; `toolgate tools` shows what each tool takes.
A tool that changes something asks first, at the terminal; where there is none, or to
say it beforehand, --allow names what may run. `toolgate policy explain` tries it out.
Ctrl-C asks the tool to stop and shows the result; a second one quits at once.";

const RUN_EXAMPLES: &str = "\
Examples:
  toolgate run report.ts
  toolgate run report.ts --workspace ~/project --timeout 30s
  toolgate run report.ts --check                        with TypeScript's compiler, if it is there
  toolgate run report.ts --json | jq .value.result
  echo 'return (await tools.glob({ pattern: \"**/*.rs\" })).total' | toolgate run -

A program is the body of an async function in TypeScript; types are erased, not checked:
  const files = await tools.grep({ pattern: \"TODO\" });
  console.log(files.total, \"lines\");
  return files.files.map((file) => file.path);

`toolgate sdk --lang ts` shows what it can call. Besides `tools` it has `console`,
timers and the language's own values. Each call goes through the same pipeline as
`toolgate call`, rules and approvals included, and is shown on standard error when it
has settled; what the program prints and returns is on standard output. Without
--timeout it may compute for 10s.
A program in Python runs where the binary was built with the feature `python`.
Ctrl-C stops the program and its calls; a second one quits at once.";

const SDK_EXAMPLES: &str = "\
Examples:
  toolgate sdk --lang ts
  toolgate sdk --lang ts > tools.d.ts
  toolgate sdk --lang py --workspace ~/project
  toolgate sdk --lang ts --budget 0                     the index that a prompt carries of many tools

What the declarations cannot say of a tool is noted on standard error.";

/// Call tools for AI agents through one guarded path.
///
/// Every call goes through the whole pipeline: policy, guards, limits, the tool, and the checks of what it returns.
/// Tools see one directory, the workspace, and nothing outside it.
#[derive(Debug, Parser)]
#[command(name = "toolgate", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the tools and their arguments
    Tools(ToolsArgs),
    /// Call a tool and show its result
    Call(CallArgs),
    /// Run a program that calls tools
    Run(RunArgs),
    /// Let a model work on a task with the tools
    Agent(AgentArgs),
    /// Be the agent of an editor that speaks the Agent Client Protocol
    Acp(AcpArgs),
    /// Watch and steer agents in the browser
    Web(WebArgs),
    /// List the sessions of agents
    Sessions(SessionsArgs),
    /// Look at the log of a session, follow it, export it, or check it for damage
    Log(LogArgs),
    /// Show a session as it happened, or run it again without a model and without tools
    Replay(ReplayArgs),
    /// Print the tools as declarations for programs
    Sdk(SdkArgs),
    /// Serve the tools to clients of the Model Context Protocol, or look after servers of it
    Mcp(McpArgs),
    /// Say what this machine can enforce on shell commands
    #[cfg(unix)]
    Doctor(DoctorArgs),
    /// Show the configuration in force, and where each value comes from
    Config(ConfigArgs),
    /// Test the permission rules, or explain what they decide
    Policy(PolicyArgs),
    /// Say what an error code or cause means
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the man page
    Man(ManArgs),
}

/// How to list tools.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate tools
  toolgate tools --json | jq '.[].name'")]
pub(crate) struct ToolsArgs {
    /// Print an array of name, description and parameter schema, as a model gets it
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which tool to call, with what.
#[derive(Debug, Args)]
#[command(after_help = CALL_EXAMPLES)]
pub(crate) struct CallArgs {
    /// The tool
    pub(crate) name: String,

    /// The arguments as JSON, `@file` to read them from a file, or `-` for standard input; `{}` if left out
    #[arg(value_name = "JSON|@FILE|-", value_hint = ValueHint::Other)]
    pub(crate) arguments: Option<OsString>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    /// Print the whole result as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How long the tool may take, such as 500ms, 10s or 2m; what the tool itself allows if left out
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

/// Which program to run, and what it may use.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// The program: a .ts or .py file, or `-` for standard input
    #[arg(value_name = "PROGRAM.ts|PROGRAM.py|-", value_hint = ValueHint::FilePath)]
    pub(crate) program: PathBuf,

    /// The language of the program; what its name says if left out, TypeScript on standard input
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Option<Lang>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    /// How long the program may take, waiting included, such as 500ms, 10s or 2m; `code.timeout` of the configuration (5m) if left out
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,

    /// How much memory the program may use, such as 64M; `code.memory` (64M) if left out
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) memory: Option<usize>,

    /// How many calls the program may make; `code.max_calls` (10,000) if left out
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<usize>,

    /// How many calls may run at one time, 1 for one after the other; `code.parallel` (10) if left out
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<NonZeroUsize>,

    /// Print the whole result as one line of JSON, and no calls
    #[arg(long)]
    pub(crate) json: bool,

    /// Check the types of the program instead of running it, with the `tsc` of the PATH or of node_modules
    #[arg(long, conflicts_with = "json")]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

/// Which declarations to print.
#[derive(Debug, Args)]
#[command(after_help = SDK_EXAMPLES)]
pub(crate) struct SdkArgs {
    /// The language
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Lang,

    /// Print what a prompt carries within so many tokens: an index where the declarations have more, 0 for always
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,
}

/// A language of programs and declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// TypeScript
    #[value(name = "ts", alias = "typescript")]
    TypeScript,
    /// Python
    #[value(name = "py", alias = "python")]
    Python,
}

impl Lang {
    /// The same for those who run programs.
    pub(crate) fn language(self) -> Language {
        match self {
            Self::TypeScript => Language::TypeScript,
            Self::Python => Language::Python,
        }
    }

    /// The same for those who declare tools.
    pub(crate) fn declarations(self) -> toolgate_sdk::Language {
        match self {
            Self::TypeScript => toolgate_sdk::Language::TypeScript,
            Self::Python => toolgate_sdk::Language::Python,
        }
    }
}

/// What to explain.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate explain                 every code and cause, in one line each
  toolgate explain INVALID_ARGS    one of them, in full")]
pub(crate) struct ExplainArgs {
    /// The code or cause, as a result shows it; all of them if left out
    #[arg(value_name = "CODE")]
    pub(crate) key: Option<String>,
}

/// Which shell to complete for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate completions bash > ~/.local/share/bash-completion/completions/toolgate
  toolgate completions fish > ~/.config/fish/completions/toolgate.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Which page to print.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate man | man -l -
  toolgate man call > toolgate-call.1")]
pub(crate) struct ManArgs {
    /// The subcommand whose page to print; the page of toolgate itself if left out
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
