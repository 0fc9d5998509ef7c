//! The `edit` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError, ToolResult,
    ToolResultView,
};

use super::file::edit_file;
use super::types::{EditArgs, EditOutput};
use super::{card, text};
use crate::blocking::run_blocking;
use crate::change::{Changes, agent_of};

/// Edits text files of a workspace: the tool `edit`.
///
/// The file has its old content or the new one, never a part, whatever happens to the process, and all edits of a call
/// are made or none. A file whose content is not as the agent last read or wrote it is left alone, with `FILE_CHANGED`.
/// Line endings, a byte order mark, a missing line ending at the end and permissions are kept. Fails with
/// `TEXT_NOT_FOUND`, `TEXT_NOT_UNIQUE` or `INVALID_ARGS` where the edits do not fit the file, with `BINARY_FILE`,
/// `NOT_UTF8` or `FILE_TOO_LARGE` (8 MiB) where the file cannot be edited. A cancelled call that has not put the file
/// in place ends between two edits or within a megabyte of writing, with `ABORTED`.
#[derive(Debug)]
pub(crate) struct EditTool {
    changes: Arc<Changes>,
}

impl EditTool {
    /// A tool that edits in the workspace of `changes`.
    pub(crate) fn new(changes: Arc<Changes>) -> Self {
        Self { changes }
    }
}

impl Tool for EditTool {
    type Args = EditArgs;
    type Output = EditOutput;

    fn name(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Replace text in a UTF-8 file of the workspace. old_string must be in the file exactly once, character for \
         character with its indentation and without the line numbers of read; to change every occurrence set \
         replace_all. For several changes of one file give edits instead: they are made in order, all or none. Line \
         endings and permissions stay as they are. A file that has changed since you read it is left alone: read it \
         again first. To create a file, or to replace all of it, use write."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    async fn run(&self, args: EditArgs, cx: RunContext) -> Result<EditOutput, ToolError> {
        let (changes, agent) = (Arc::clone(&self.changes), agent_of(&cx));
        run_blocking(cx.cancellation(), move |stop| edit_file(&changes, agent, &args, stop)).await
    }

    fn render(&self, _args: &JsonValue, output: &EditOutput) -> Option<Vec<ContentBlock>> {
        Some(text::render(output))
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &EditOutput) -> Option<JsonValue> {
        card::meta(output)
    }

    fn effect(&self) -> ToolEffect {
        // Text that was inserted may hold the text that it replaced.
        ToolEffect::NonIdempotent
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
