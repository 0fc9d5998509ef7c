//! The words about rules, approvals and configuration.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use toml::Value;
use toolgate_policy::rules::Decision;

use crate::config::Flag;

const CONFIG_EXAMPLES: &str = "\
Examples:
  toolgate config                         every value in force, and who says so
  toolgate config --json | jq '.values[] | select(.origin.kind != \"default\")'
  toolgate config --schema > toolgate.schema.json
  toolgate config trust                   let the file of this workspace widen, too

Read are, in this order, and the later goes before the earlier:
  1. the user's own $XDG_CONFIG_HOME/toolgate/toolgate.toml (~/.config/toolgate/toolgate.toml)
  2. the nearest toolgate.toml in the workspace or a folder above it
  3. flags such as --allow and --timeout
Rules of all of them count together: deny beats ask beats allow, wherever they stand.

The file of a workspace may come from strangers. Until you trust its content it only
narrows: its rules that deny or ask count, and values that allow less. The rest is
ignored with a warning. A changed file has to be trusted anew.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  toolgate policy explain write '{\"file_path\": \"notes.txt\", \"content\": \"\"}'
  toolgate policy explain bash '{\"command\": \"git status; id\"}' --allow 'bash(git status)'
  toolgate policy explain bash @arguments.json --json | jq -r .decision

Nothing is run and nobody is asked.";

/// Rules and answers for this run. A rule is TOOL or TOOL(WHAT): `read`, `bash(git status)`, `bash(cargo test:*)`,
/// `write(src/**)`, `web_fetch(docs.rs)`. Deny beats ask beats allow, wherever a rule comes from.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rules and approvals")]
pub(crate) struct PolicyFlags {
    /// Let these calls run without asking, such as 'bash(git status)' or 'write(src/**)'; repeatable
    #[arg(long, value_name = "RULE", value_hint = ValueHint::Other)]
    allow: Vec<String>,

    /// Ask about these calls, although they would run otherwise; repeatable
    #[arg(long, value_name = "RULE", value_hint = ValueHint::Other)]
    ask: Vec<String>,

    /// Refuse these calls, such as 'bash(rm:*)' or 'read(secrets/**)'; repeatable
    #[arg(long, value_name = "RULE", value_hint = ValueHint::Other)]
    deny: Vec<String>,

    /// Answer yes to whatever rules ask about; what they deny stays denied
    #[arg(long, conflicts_with = "deny_asks")]
    yes: bool,

    /// Ask nobody: deny whatever rules ask about
    #[arg(long)]
    deny_asks: bool,
}

impl PolicyFlags {
    /// What was said, for the configuration.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let lists = [
            (Decision::Allow, &self.allow, "--allow"),
            (Decision::Ask, &self.ask, "--ask"),
            (Decision::Deny, &self.deny, "--deny"),
        ];
        let rules = lists.into_iter().flat_map(|(decision, list, flag)| {
            list.iter().map(move |text| Flag::Rule { decision, text: text.clone(), flag })
        });
        let stances = [(self.yes, "yes", "--yes"), (self.deny_asks, "never", "--deny-asks")];
        let stances =
            stances.into_iter().filter(|(is_given, _, _)| *is_given).map(|(_, stance, flag)| Flag::Value {
                path: vec!["approvals".to_owned(), "stance".to_owned()],
                value: Value::from(stance),
                flag,
            });
        rules.chain(stances).collect()
    }
}

/// What to show of the configuration.
#[derive(Debug, Args)]
#[command(after_help = CONFIG_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ConfigAction>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    /// Print one line of JSON
    #[arg(long, conflicts_with = "schema")]
    pub(crate) json: bool,

    /// Print the JSON Schema of toolgate.toml, for editors
    #[arg(long)]
    pub(crate) schema: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

/// What to do about the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Let the toolgate.toml of a workspace widen what is allowed, as it is now
    Trust(TrustArgs),
}

/// Which file to trust.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate config trust                    after you have read the file
  toolgate config trust -C ~/project
  toolgate config trust --revoke

Trusted is the content that the file has now, at the place where it is. Once it changes,
it only narrows again until it is trusted anew.")]
pub(crate) struct TrustArgs {
    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    /// Trust it no more
    #[arg(long)]
    pub(crate) revoke: bool,
}

/// What to find out about the rules.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate policy test                                          every rule and every example
  toolgate policy explain bash '{\"command\": \"git status; id\"}'  what would be decided, and why")]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) action: PolicyAction,
}

/// What to find out about the rules.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// Read all rules and check the examples that they carry
    Test(PolicyTestArgs),
    /// Say what would be decided about a call, and which rule decides
    Explain(PolicyExplainArgs),
}

/// Which rules to test.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate policy test
  toolgate policy test -C ~/project --deny 'bash(rm:*)'

Rules of a file that is not trusted are tested as well. Exit code 2 if one is wrong.")]
pub(crate) struct PolicyTestArgs {
    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

/// Which call to explain.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct PolicyExplainArgs {
    /// The tool
    pub(crate) name: String,

    /// The arguments as JSON, `@file` to read them from a file, or `-` for standard input; `{}` if left out
    #[arg(value_name = "JSON|@FILE|-", value_hint = ValueHint::Other)]
    pub(crate) arguments: Option<OsString>,

    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    /// Print one line of JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}

/// What to look at.
#[cfg(unix)]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate doctor
  toolgate doctor --json | jq .sandbox.modes

Exit code 1 where the sandbox that the configuration requires cannot be enforced.")]
pub(crate) struct DoctorArgs {
    /// The directory that tools may use
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: PathBuf,

    /// Print the report as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}
