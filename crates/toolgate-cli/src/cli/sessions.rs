//! The words about sessions: which there are, their logs, and showing them again.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

/// What names a session, for every command that takes one.
const NAMES: &str = "\
SESSION is the name of a session, the beginning of it as far as no other has the same,
or `last` for the one that was begun last.";

/// Which sessions to list.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate sessions
  toolgate sessions test                       those whose task has the word
  toolgate sessions --state open               whose last turn has not ended
  toolgate sessions --limit 0 --json | jq -r '.[].id'

A session is open while an agent works on it, and stays open where its process was killed;
`toolgate agent --resume` closes what was left open and goes on.")]
pub(crate) struct SessionsArgs {
    /// Only those whose task or model has this text in it
    pub(crate) text: Option<String>,

    /// Only those in this state
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<SessionState>,

    /// How many are listed at most, the latest first; 0 for all
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(crate) limit: usize,

    /// Print an array
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) folder: SessionsFolder,
}

/// In what state a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionState {
    /// Its last turn has not ended
    Open,
    /// The model had nothing more to do
    Completed,
    /// Somebody interrupted it
    Interrupted,
    /// A limit of steps or tokens was reached
    #[value(name = "limit_reached")]
    LimitReached,
    /// The model or the log failed
    Failed,
    /// Its process was gone before the turn was over
    Crashed,
    /// Something of it is lost
    Damaged,
}

/// Where sessions are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SessionsFolder {
    /// Where sessions are kept; the user's data directory if left out
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) sessions: Option<PathBuf>,
}

/// What to do with a log.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate log list
  toolgate log show last --type tool/call
  toolgate log follow last                     what is appended from now on, until Ctrl-C
  toolgate log export last > session.jsonl
  toolgate log verify                          every session; exit code 1 where one is damaged")]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) action: LogAction,
}

/// What to do with a log.
#[derive(Debug, Subcommand)]
pub(crate) enum LogAction {
    /// List the logs: where each is kept, and how many records it has
    List(LogListArgs),
    /// Show the records of a log, one line each
    Show(LogShowArgs),
    /// Show records as they are appended
    Follow(LogFollowArgs),
    /// Write a log as JSON lines, whatever keeps it
    Export(LogExportArgs),
    /// Check logs for damage, and say what is lost
    Verify(LogVerifyArgs),
}

/// Where the logs are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate log list
  toolgate log list --json | jq -r '.[].path'")]
pub(crate) struct LogListArgs {
    /// Print an array
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) folder: SessionsFolder,
}

/// Which records to show.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  toolgate log show last
  toolgate log show last --from 10 --to 20
  toolgate log show last --type tool/call --type tool/result
  toolgate log show last --json | jq -c 'select(.type == \"tool/result\").data.error'

{NAMES}
Exit code 1 where records between those are lost."))]
pub(crate) struct LogShowArgs {
    /// The session
    pub(crate) session: String,

    /// The first place to show
    #[arg(long, value_name = "PLACE", default_value_t = 1)]
    pub(crate) from: u64,

    /// The last place to show; the end if left out
    #[arg(long, value_name = "PLACE")]
    pub(crate) to: Option<u64>,

    /// Only records of this type, such as `tool/call`; repeatable
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) types: Vec<String>,

    /// Print the records as they are kept, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) folder: SessionsFolder,
}

/// Which session to follow.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  toolgate log follow last
  toolgate log follow last --from 1 --json | jq -r .type

{NAMES}
It ends with Ctrl-C, which is no failure. Whoever writes the session never waits for it."))]
pub(crate) struct LogFollowArgs {
    /// The session
    pub(crate) session: String,

    /// The first place to show; what is appended from now on if left out
    #[arg(long, value_name = "PLACE")]
    pub(crate) from: Option<u64>,

    /// Print the records as they are kept, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) folder: SessionsFolder,
}

/// Which session to export.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  toolgate log export last > session.jsonl
  toolgate log export last | grep -c '\"type\":\"tool/call\"'

{NAMES}
Written is every record that can be read, byte for byte as it is kept, so the file is what
`sessions.store = \"jsonl\"` would have kept. Exit code 1 where records are lost."))]
pub(crate) struct LogExportArgs {
    /// The session
    pub(crate) session: String,

    #[command(flatten)]
    pub(crate) folder: SessionsFolder,
}

/// Which sessions to check.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  toolgate log verify
  toolgate log verify last
  toolgate log verify --json | jq '.[] | select(.damage != [])'

{NAMES}
Every record has a checksum, and how many were acknowledged is noted beside the log, so a
changed byte, a hole and a missing end are found. Exit code 1 where something is lost. A
half-written record at the end, of which nobody was told, is no loss."))]
pub(crate) struct LogVerifyArgs {
    /// The sessions; all of them if left out
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,

    /// Print an array
    #[arg(long)]
    pub(crate) json: bool,

    // Named apart from the list above.
    /// Where sessions are kept; the user's data directory if left out
    #[arg(long = "sessions", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}

/// Which session to show again.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  toolgate replay last
  toolgate replay last --json | jq -r 'select(.result.card == \"terminal\").result.exitCode'
  toolgate replay last --offline

{NAMES}
Nothing is run: cards are made from the log alone, by the tools of the workspace. With
--offline the agent's loop runs again with the answers and results of the log in the place
of model and tools, and has to write the same; exit code 1 where it does not."))]
pub(crate) struct ReplayArgs {
    /// The session
    pub(crate) session: String,

    /// Run the loop again and report what it does differently
    #[arg(long)]
    pub(crate) offline: bool,

    /// Print one JSON object a line: each card, or the report
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) folder: SessionsFolder,

    /// The directory whose tools show the cards; that of the session if left out, or this one where it is gone
    #[arg(long, short = 'C', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
}
