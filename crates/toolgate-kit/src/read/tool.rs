//! The `read` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError, ToolResult,
    ToolResultView,
};

use super::file::{Sighting, read_file};
use super::types::{ReadArgs, ReadOutput};
use super::{card, text};
use crate::Workspace;
use crate::blocking::run_blocking;
use crate::change::{SeenFiles, agent_of};

/// Reads text files of a workspace: the tool `read`.
///
/// Memory stays constant whatever the size of the file. Beyond the window only lines are counted, so a file whose
/// first NUL byte comes later is shown, and refused as binary once a window reaches that byte. A cancelled call ends
/// within one block of 64 KiB, with `ABORTED`. Beyond the codes of [`WorkspaceError`](crate::WorkspaceError) it fails
/// with `INVALID_ARGS` for an offset or limit of 0.
#[derive(Debug)]
pub(crate) struct ReadTool {
    workspace: Arc<Workspace>,
    /// Where to record what agents have seen, if anybody asks for it.
    seen: Option<Arc<SeenFiles>>,
}

impl ReadTool {
    /// A tool that reads in `workspace`.
    pub(crate) fn new(workspace: Arc<Workspace>, seen: Option<Arc<SeenFiles>>) -> Self {
        Self { workspace, seen }
    }
}

impl Tool for ReadTool {
    type Args = ReadArgs;
    type Output = ReadOutput;

    fn name(&self) -> Cow<'static, str> {
        "read".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Read a UTF-8 text file of the workspace, or a window of its lines. Lines come numbered, as a number, a tab \
         and the text; the numbers and anything after the lines are not part of the file. At most 2000 lines and \
         256 KiB come at once: when the result says that there is more, continue with the offset it names. Binary \
         files and directories are refused; a file is binary when it holds a NUL byte, looked for only as far as the \
         window goes. Find files with glob, and text in them with grep."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    async fn run(&self, args: ReadArgs, cx: RunContext) -> Result<ReadOutput, ToolError> {
        let (workspace, agent) = (Arc::clone(&self.workspace), agent_of(&cx));
        let seen = self.seen.clone();
        let sight = seen.map(|seen| Sighting { seen, agent });
        run_blocking(cx.cancellation(), move |stop| read_file(&workspace, &args, sight.as_ref(), stop)).await
    }

    fn render(&self, _args: &JsonValue, output: &ReadOutput) -> Option<Vec<ContentBlock>> {
        Some(text::render(output))
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &ReadOutput) -> Option<JsonValue> {
        card::meta(output)
    }

    fn is_concurrency_safe(&self, _args: &ReadArgs) -> bool {
        true
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Read
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args)
    }

    fn present_result(&self, _args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        card::result(result)
    }
}
