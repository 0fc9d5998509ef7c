//! What the bash tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `bash` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BashArgs {
    /// The command, as it would be typed into the shell. It may have several lines.
    pub(crate) command: String,
    /// What the command is for, in five to ten words, for the person who watches.
    pub(crate) description: Option<String>,
    /// The folder to begin in, relative to the workspace root or absolute and inside it. The root if left out. Prefer
    /// it to `cd`.
    pub(crate) workdir: Option<String>,
    /// How many milliseconds the command may take. It is ended when they are over. A job has no limit if left out.
    pub(crate) timeout_ms: Option<u64>,
    /// Do not wait for the command: let it run as a job, read what it prints with `job_output`, end it with
    /// `job_kill`. Never put `&` behind a command for that.
    pub(crate) run_in_background: Option<bool>,
}

/// How a command ended and what it printed, or the job that it became.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct BashOutput {
    /// What it printed on standard output and standard error, in the order in which it was printed. Of a long output
    /// the beginning and the end, with a line between them that says how much is left out. What is not UTF-8 is
    /// replaced.
    pub(crate) output: String,
    /// How many bytes it printed in all.
    pub(crate) output_bytes: u64,
    /// How many of them are not in `output`.
    pub(crate) omitted_bytes: u64,
    /// The exit code, if it exited.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGSEGV`.
    pub(crate) signal: Option<String>,
    /// How many processes it had left behind; they were ended with it.
    pub(crate) ended_processes: u64,
    /// How many processes could not be ended and still run.
    pub(crate) surviving_processes: u64,
    /// The absolute path of the folder that it began in.
    pub(crate) workdir: String,
    /// How many milliseconds it took.
    pub(crate) duration_ms: u64,
    /// The id of the job, for a command that runs in the background. Everything above is then still to come.
    pub(crate) job_id: Option<String>,
}
