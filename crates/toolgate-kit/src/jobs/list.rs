//! The `job_list` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolgate::{ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallKind, ToolEffect, ToolError};

use super::Jobs;
use super::job::Job;
use crate::bash::length;
use crate::text::path_line;

/// The `job_list` tool takes no arguments.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobListArgs {}

/// The jobs of the caller.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct JobList {
    /// The jobs, in the order in which they began.
    pub(crate) jobs: Vec<JobEntry>,
}

/// A job and how things are with it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct JobEntry {
    /// Its id.
    pub(crate) job_id: String,
    /// Its command.
    pub(crate) command: String,
    /// What it is for.
    pub(crate) description: Option<String>,
    /// The absolute path of the folder that it began in.
    pub(crate) workdir: String,
    /// Whether it still runs.
    pub(crate) running: bool,
    /// How many milliseconds it has run.
    pub(crate) duration_ms: u64,
    /// The exit code, if it has exited.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<String>,
    /// How many bytes of its output are there to be read.
    pub(crate) unread_bytes: u64,
}

impl JobEntry {
    fn of(job: &Job) -> Self {
        let end = job.end();
        Self {
            job_id: job.id.clone(),
            command: job.command.clone(),
            description: job.description.clone(),
            workdir: job.workdir.to_string_lossy().into_owned(),
            running: end.is_none(),
            duration_ms: u64::try_from(job.age().as_millis()).unwrap_or(u64::MAX),
            exit_code: end.and_then(|end| end.code),
            signal: end.and_then(|end| end.signal.clone()),
            unread_bytes: job.unread(),
        }
    }

    fn line(&self) -> String {
        let state = match (self.running, &self.signal, self.exit_code) {
            (true, _, _) => format!("runs for {}", length(Duration::from_millis(self.duration_ms))),
            (false, Some(signal), _) => format!("ended by {signal}"),
            (false, None, Some(code)) => format!("exit code {code}"),
            (false, None, None) => "ended".to_owned(),
        };
        format!("{}: {state}, {} bytes unread: {}", self.job_id, self.unread_bytes, path_line(&self.command))
    }
}

/// Lists the jobs of the calling scope: the tool `job_list`. It does not fail.
#[derive(Debug)]
pub(crate) struct JobListTool {
    jobs: Arc<Jobs>,
}

impl JobListTool {
    /// A tool of a session.
    pub(crate) fn new(jobs: Arc<Jobs>) -> Self {
        Self { jobs }
    }
}

impl Tool for JobListTool {
    type Args = JobListArgs;
    type Output = JobList;

    fn name(&self) -> Cow<'static, str> {
        "job_list".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "List the jobs, those that run and those that have ended within the last hour.".into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(10))
    }

    async fn run(&self, _args: JobListArgs, cx: RunContext) -> Result<JobList, ToolError> {
        let jobs = self.jobs.of(cx.call().scope());
        Ok(JobList { jobs: jobs.iter().map(|job| JobEntry::of(job)).collect() })
    }

    fn render(&self, _args: &JsonValue, output: &JobList) -> Option<Vec<ContentBlock>> {
        let lines: Vec<_> = output.jobs.iter().map(JobEntry::line).collect();
        let text = if lines.is_empty() { "No jobs.".to_owned() } else { lines.join("\n") };
        Some(vec![ContentBlock::text(text)])
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    fn is_concurrency_safe(&self, _args: &JobListArgs) -> bool {
        true
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Execute
    }
}
