//! The `bash` tool.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use toolgate::result::code;
use toolgate::{
    Cancellation, ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolError,
    ToolResult, ToolResultView,
};

use super::text::{length, printed};
use super::types::{BashArgs, BashOutput};
use super::{card, signal_name, text};
use crate::command::{Capture, CommandError, Ended, Ender, Finished, Launch, Shell, Why, launch};
use crate::jobs::Jobs;

/// How much longer the call may take than the command: its processes have to end.
const ENDING: Duration = Duration::from_secs(15);

/// Runs commands in a workspace: the tool `bash`.
///
/// A call ends when nothing of its command is left, so it is never alone with what it started. A cancelled one ends its
/// command and fails with `ABORTED`; one that takes too long, with `TOOL_TIMEOUT`; both say what the command had
/// printed. An exit code is no failure of the tool. Beyond those and the codes of
/// [`WorkspaceError`](crate::WorkspaceError) for `workdir` it fails with `INVALID_ARGS`, `CONFINEMENT_UNAVAILABLE`,
/// `SHELL_UNAVAILABLE`, `SUPERVISOR_KILLED`, `PROCESS_LIMIT`, and, for a job, `JOB_LIMIT`.
#[derive(Debug)]
pub(crate) struct BashTool {
    shell: Arc<Shell>,
    jobs: Arc<Jobs>,
}

impl BashTool {
    /// A tool of a session.
    pub(crate) fn new(shell: Arc<Shell>, jobs: Arc<Jobs>) -> Self {
        Self { shell, jobs }
    }

    async fn run_command(
        &self,
        args: BashArgs,
        cancellation: &Cancellation,
    ) -> Result<BashOutput, ToolError> {
        let place = self.shell.place(args.workdir.as_deref()).map_err(|error| error.into_tool_error(""))?;
        let workdir = place.path.to_string_lossy().into_owned();
        let timeout = self.shell.config.timeout(args.timeout_ms);
        let capture = Arc::new(Mutex::new(Capture::new(self.shell.config.max_output_bytes)));
        let order = Launch { command: args.command, place, timeout: Some(timeout) };
        let (then, end) = oneshot::channel();
        let then = move |finished| {
            // Nobody waits where the call was dropped.
            let _ = then.send(finished);
        };
        let ender = launch(&self.shell, order, Arc::clone(&capture), || true, then)
            .map_err(|error| error.into_tool_error(""))?;
        let finished = until_ended(end, ender, cancellation).await;
        let captured = capture.lock().unwrap_or_else(PoisonError::into_inner).captured();
        let Some(Finished { ended, why, took }) = finished else {
            return Err(CommandError::Unwatched.into_tool_error(&printed(&captured)));
        };
        let ended = match (why, ended) {
            (Some(Why::TooLate), _) => {
                let message = format!(
                    "the command did not finish within {} and was ended, with everything that it had started.\n{}\n\
                     hint: give it more time with timeout_ms, let it do less, or use run_in_background",
                    length(timeout),
                    printed(&captured)
                );
                return Err(ToolError::coded(code::TOOL_TIMEOUT_ERROR, code::TOOL_TIMEOUT, message));
            }
            (Some(_), _) => {
                let message = format!(
                    "the call was cancelled, and the command was ended with everything that it had started; what it had \
                     done may remain.\n{}",
                    printed(&captured)
                );
                return Err(ToolError::coded(code::ABORT_ERROR, code::ABORTED, message));
            }
            (None, Ok(ended)) => ended,
            (None, Err(error)) => {
                let had_begun =
                    matches!(error, CommandError::Unwatched | CommandError::TooManyProcesses { .. });
                let printed = if had_begun { printed(&captured) } else { String::new() };
                return Err(error.into_tool_error(&printed));
            }
        };
        let Ended { code, signal, stragglers, left } = ended;
        Ok(BashOutput {
            output: captured.text,
            output_bytes: captured.total,
            omitted_bytes: captured.omitted,
            exit_code: code,
            signal: signal.map(signal_name),
            ended_processes: stragglers as u64,
            surviving_processes: left as u64,
            workdir,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            job_id: None,
        })
    }

    fn start_job(&self, args: BashArgs, cx: &RunContext) -> Result<BashOutput, CommandError> {
        let place = self.shell.place(args.workdir.as_deref())?;
        let workdir = place.path.to_string_lossy().into_owned();
        let timeout = args.timeout_ms.map(Duration::from_millis);
        let order = Launch { command: args.command, place, timeout };
        let id = self.jobs.start(order, args.description, cx.call().scope())?;
        Ok(BashOutput {
            output: String::new(),
            output_bytes: 0,
            omitted_bytes: 0,
            exit_code: None,
            signal: None,
            ended_processes: 0,
            surviving_processes: 0,
            workdir,
            duration_ms: 0,
            job_id: Some(id),
        })
    }
}

/// Waits for the end of a command. Cancellation asks it to end; dropping this does too, and then nobody waits.
async fn until_ended(
    mut end: oneshot::Receiver<Finished>,
    ender: Ender,
    cancellation: &Cancellation,
) -> Option<Finished> {
    let _end = EndOnDrop(ender.clone());
    tokio::select! {
        biased;
        finished = &mut end => return finished.ok(),
        () = cancellation.cancelled() => ender.end(Why::Cancelled),
    }
    end.await.ok()
}

struct EndOnDrop(Ender);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(Why::Cancelled);
    }
}

impl Tool for BashTool {
    type Args = BashArgs;
    type Output = BashOutput;

    fn name(&self) -> Cow<'static, str> {
        "bash".into()
    }

    fn description(&self) -> Cow<'static, str> {
        let config = &self.shell.config;
        let confined = match self.shell.plan() {
            Ok(plan) => plan.in_words(),
            Err(error) => format!("No command can run: {error}."),
        };
        let shell = self.shell.program().display();
        format!(
            "Run a command with {shell} and return what it prints, standard output and standard error together, with its \
             exit code. Each command begins anew in the workspace root, or in workdir: folder, variables and functions \
             of earlier ones are gone. There is no terminal and nothing to read on standard input. A command may take \
             {} if timeout_ms says nothing, {} at most; then it is ended. Of a long output the first and last parts \
             are kept, {} bytes. When the shell exits, whatever it had left running is ended too; use \
             run_in_background for a server or anything that shall run on. Variables that look like credentials are \
             not in the environment. {confined} To read and search files use read, glob and grep.",
            length(config.timeout(None)),
            length(config.timeout(Some(u64::MAX))),
            config.max_output_bytes,
        )
        .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.shell.config.timeout(Some(u64::MAX)) + ENDING)
    }

    async fn run(&self, args: BashArgs, cx: RunContext) -> Result<BashOutput, ToolError> {
        if args.timeout_ms == Some(0) {
            let what = "`timeout_ms` is 0".to_owned();
            return Err(CommandError::Arguments { what, hint: "say how long the command may take" }
                .into_tool_error(""));
        }
        if args.run_in_background == Some(true) {
            return self.start_job(args, &cx).map_err(|error| error.into_tool_error(""));
        }
        self.run_command(args, cx.cancellation()).await
    }

    fn render(&self, _args: &JsonValue, output: &BashOutput) -> Option<Vec<ContentBlock>> {
        Some(text::render(output))
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &BashOutput) -> Option<JsonValue> {
        card::meta(output)
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Execute
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args, self.shell.root())
    }

    fn present_result(&self, _args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        card::result(result)
    }
}
