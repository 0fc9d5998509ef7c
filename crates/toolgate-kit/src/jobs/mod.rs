//! Jobs: commands that run on after the call that began them, until they end, are killed, or their session is over.
//!
//! `table` holds the jobs of a session, `job` is one of them, `ring` its output that nobody has read yet. `output`,
//! `list` and `kill` are the tools. A job belongs to the scope that began it: others neither see nor end it.

mod job;
mod kill;
mod list;
mod output;
mod ring;
mod table;

pub(crate) use kill::JobKillTool;
pub(crate) use list::JobListTool;
pub(crate) use output::JobOutputTool;
pub(crate) use table::{EndJobs, Jobs};
