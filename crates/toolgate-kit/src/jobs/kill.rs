//! The `job_kill` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use toolgate::{
    ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError,
    ToolResult, ToolResultView,
};

use super::Jobs;
use super::output::{JobOutput, card};
use crate::command::Why;
use crate::text::text_argument;
use crate::workspace::shown_text;

/// How long the end of a job may take. Its supervisor gives up earlier.
const PATIENCE: Duration = Duration::from_secs(10);

/// The arguments of the `job_kill` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobKillArgs {
    /// The id that `bash` gave.
    pub(crate) job_id: String,
}

/// Ends a job with everything that it started: the tool `job_kill`.
///
/// It returns when nothing of the job is left, with what had not been read. A job that has ended stays as it is. It
/// fails with `UNKNOWN_JOB` for an id that the calling scope has no job of; cancelled, it stops waiting, with
/// `ABORTED`, and the job ends all the same.
#[derive(Debug)]
pub(crate) struct JobKillTool {
    jobs: Arc<Jobs>,
}

impl JobKillTool {
    /// A tool of a session.
    pub(crate) fn new(jobs: Arc<Jobs>) -> Self {
        Self { jobs }
    }
}

impl Tool for JobKillTool {
    type Args = JobKillArgs;
    type Output = JobOutput;

    fn name(&self) -> Cow<'static, str> {
        "job_kill".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "End a job with everything that it started, and read what it had printed and nobody has read.".into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(PATIENCE + Duration::from_secs(5))
    }

    async fn run(&self, args: JobKillArgs, cx: RunContext) -> Result<JobOutput, ToolError> {
        let job =
            self.jobs.find(&args.job_id, cx.call().scope()).map_err(|error| error.into_tool_error(""))?;
        job.end_it(Why::Killed);
        let has_ended = job.wait_for_end(PATIENCE, cx.cancellation()).await;
        if !has_ended && cx.is_cancelled() {
            return Err(ToolError::aborted());
        }
        Ok(JobOutput::of(&job))
    }

    fn render(&self, _args: &JsonValue, output: &JobOutput) -> Option<Vec<ContentBlock>> {
        Some(output.blocks())
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &JobOutput) -> Option<JsonValue> {
        output.meta()
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Idempotent
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Execute
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        let title = format!("End {}", shown_text(text_argument(args, "job_id")?));
        Some(ToolCallView::Terminal { title, description: None, cwd: None })
    }

    fn present_result(&self, _args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        card(result)
    }
}
