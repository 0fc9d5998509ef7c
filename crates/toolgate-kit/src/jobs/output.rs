//! The `job_output` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolgate::{
    ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError,
    ToolResult, ToolResultView,
};

use super::Jobs;
use super::job::Job;
use crate::text::{blocks, text_argument};
use crate::workspace::shown_text;

/// How long a call may wait, in milliseconds.
const LONGEST_WAIT: u64 = 60_000;

/// How much a call gives at most, in bytes.
const MOST: usize = 32 << 10;

/// The arguments of the `job_output` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobOutputArgs {
    /// The id that `bash` gave.
    pub(crate) job_id: String,
    /// How many milliseconds to wait for output where there is none yet, 60000 at most. Not at all if left out.
    pub(crate) wait_ms: Option<u64>,
}

/// What a job has printed since the last time, and whether it still runs.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct JobOutput {
    /// What it printed that no call has read before, the oldest first, 32 KiB at most.
    pub(crate) output: String,
    /// How many bytes before `output` are lost, because nobody read them before the buffer was full.
    pub(crate) dropped_bytes: u64,
    /// How many bytes are there already for the next call.
    pub(crate) unread_bytes: u64,
    /// How many bytes it has printed in all.
    pub(crate) total_bytes: u64,
    /// Whether it still runs.
    pub(crate) running: bool,
    /// The exit code, if it has exited.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    pub(crate) signal: Option<String>,
    /// Why it was ended, if it did not end by itself.
    pub(crate) ended_because: Option<String>,
}

impl JobOutput {
    /// What there is to read of a job.
    pub(super) fn of(job: &Job) -> Self {
        let taken = job.take(MOST);
        let end = job.end();
        Self {
            output: taken.text,
            dropped_bytes: taken.dropped,
            unread_bytes: taken.unread,
            total_bytes: taken.total,
            running: end.is_none(),
            exit_code: end.and_then(|end| end.code),
            signal: end.and_then(|end| end.signal.clone()),
            ended_because: end.and_then(|end| end.because.clone()),
        }
    }

    /// The output as it is, and how things are with the job in a block of its own.
    pub(super) fn blocks(&self) -> Vec<ContentBlock> {
        let mut notes = Vec::new();
        if self.dropped_bytes > 0 {
            notes.push(format!(
                "{} bytes before this are lost: they were not read in time.",
                self.dropped_bytes
            ));
        }
        if self.unread_bytes > 0 {
            notes.push(format!("{} more bytes are there already.", self.unread_bytes));
        }
        let nothing = if self.output.is_empty() { "No new output. " } else { "" };
        let state = match (self.running, &self.signal, self.exit_code) {
            (true, _, _) => "The job runs.".to_owned(),
            (false, Some(signal), _) => format!("The job was ended by {signal}."),
            (false, None, Some(code)) => format!("The job exited with code {code}."),
            (false, None, None) => "The job has ended.".to_owned(),
        };
        notes.push(format!("{nothing}{state}"));
        notes.extend(self.ended_because.iter().map(|why| format!("Why: {why}.")));
        blocks(self.output.clone(), &notes)
    }

    /// What a card needs besides the content.
    pub(super) fn meta(&self) -> Option<JsonValue> {
        let meta = JobMeta {
            has_output: !self.output.is_empty(),
            exit_code: self.exit_code,
            signal: self.signal.clone(),
        };
        JsonValue::encode(&meta).ok()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct JobMeta {
    has_output: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    signal: Option<String>,
}

/// The card of a job's output; a pure function of the durable result.
pub(super) fn card(result: &ToolResult<'_>) -> Option<ToolResultView> {
    let JobMeta { has_output, exit_code, signal } = result.meta?.decode().ok()?;
    let output = if has_output { result.content.first()?.as_text() } else { None };
    if result.error.is_some() || (output.is_none() && exit_code.is_none() && signal.is_none()) {
        return None;
    }
    Some(ToolResultView::Terminal { title: None, output: output.map(str::to_owned), exit_code, signal })
}

/// Reads what a job has printed: the tool `job_output`.
///
/// Each byte is given once. A cancelled call stops waiting and reads nothing, with `ABORTED`. It fails with
/// `UNKNOWN_JOB` for an id that the calling scope has no job of.
#[derive(Debug)]
pub(crate) struct JobOutputTool {
    jobs: Arc<Jobs>,
}

impl JobOutputTool {
    /// A tool of a session.
    pub(crate) fn new(jobs: Arc<Jobs>) -> Self {
        Self { jobs }
    }
}

impl Tool for JobOutputTool {
    type Args = JobOutputArgs;
    type Output = JobOutput;

    fn name(&self) -> Cow<'static, str> {
        "job_output".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Read what a job has printed since it was last read, and whether it still runs. With wait_ms it waits for output \
         where there is none; it returns as soon as there is some, or the job ends. A job that ended is remembered for \
         an hour."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_millis(LONGEST_WAIT) + Duration::from_secs(10))
    }

    async fn run(&self, args: JobOutputArgs, cx: RunContext) -> Result<JobOutput, ToolError> {
        let job =
            self.jobs.find(&args.job_id, cx.call().scope()).map_err(|error| error.into_tool_error(""))?;
        let wait = Duration::from_millis(args.wait_ms.unwrap_or_default().min(LONGEST_WAIT));
        job.wait(wait, cx.cancellation()).await;
        // What is read now would be lost.
        if cx.is_cancelled() {
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
        ToolEffect::Pure
    }

    fn is_concurrency_safe(&self, _args: &JobOutputArgs) -> bool {
        true
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Execute
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        let title = format!("Output of {}", shown_text(text_argument(args, "job_id")?));
        Some(ToolCallView::Terminal { title, description: None, cwd: None })
    }

    fn present_result(&self, _args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        card(result)
    }
}
