//! The `write` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError, ToolResult,
    ToolResultView,
};

use super::file::write_file;
use super::types::{WriteArgs, WriteOutput};
use super::{card, text};
use crate::blocking::run_blocking;
use crate::change::{Changes, agent_of};

/// Creates and replaces files of a workspace: the tool `write`.
///
/// The file has its old content or the new one, never a part, whatever happens to the process. A file whose content
/// is not as the agent last read or wrote it is left alone, with `FILE_CHANGED`. A cancelled call that has not put the
/// file in place ends within a megabyte of writing, with `ABORTED`, and leaves nothing behind. Texts above 8 MiB fail
/// with `FILE_TOO_LARGE`.
#[derive(Debug)]
pub(crate) struct WriteTool {
    changes: Arc<Changes>,
}

impl WriteTool {
    /// A tool that writes in the workspace of `changes`.
    pub(crate) fn new(changes: Arc<Changes>) -> Self {
        Self { changes }
    }
}

impl Tool for WriteTool {
    type Args = WriteArgs;
    type Output = WriteOutput;

    fn name(&self) -> Cow<'static, str> {
        "write".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Write a whole file of the workspace: create it, with the directories on the way, or replace what it holds. \
         The content is written exactly as given, at most 8 MiB. To change parts of a file use edit, which needs only \
         the parts. A file that has changed since you read it is not replaced: read it again first. A replaced file \
         keeps its permissions. Directories, pipes and devices are refused."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    async fn run(&self, args: WriteArgs, cx: RunContext) -> Result<WriteOutput, ToolError> {
        let (changes, agent) = (Arc::clone(&self.changes), agent_of(&cx));
        run_blocking(cx.cancellation(), move |stop| write_file(&changes, agent, &args, stop)).await
    }

    fn render(&self, _args: &JsonValue, output: &WriteOutput) -> Option<Vec<ContentBlock>> {
        Some(text::render(output))
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &WriteOutput) -> Option<JsonValue> {
        card::meta(output)
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Idempotent
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Edit
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args)
    }

    fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        card::result(args, result)
    }
}
