//! The `delete` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError,
};

use super::card;
use super::path::delete_path;
use super::types::{DeleteArgs, DeleteOutput};
use crate::blocking::run_blocking;
use crate::change::Changes;

/// Deletes files and directories of a workspace: the tool `delete`.
///
/// A link is deleted itself. A directory that is not empty fails with `DIRECTORY_NOT_EMPTY` unless `recursive` is set,
/// and then with `TREE_TOO_LARGE`, before anything is gone, where it holds more than 10,000 entries or is more than 128
/// levels deep. A recursive call that is cancelled or fails on the way says how much is gone, with `PARTLY_DELETED`.
#[derive(Debug)]
pub(crate) struct DeleteTool {
    changes: Arc<Changes>,
}

impl DeleteTool {
    /// A tool that deletes in the workspace of `changes`.
    pub(crate) fn new(changes: Arc<Changes>) -> Self {
        Self { changes }
    }
}

impl Tool for DeleteTool {
    type Args = DeleteArgs;
    type Output = DeleteOutput;

    fn name(&self) -> Cow<'static, str> {
        "delete".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Delete a file, a link or an empty directory of the workspace, for good. A directory with something in it is \
         deleted only when recursive is set, and only if it holds at most 10000 entries. A link is deleted itself, not \
         what it points to."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    async fn run(&self, args: DeleteArgs, cx: RunContext) -> Result<DeleteOutput, ToolError> {
        let changes = Arc::clone(&self.changes);
        run_blocking(cx.cancellation(), move |stop| delete_path(&changes, &args, stop)).await
    }

    fn render(&self, _args: &JsonValue, output: &DeleteOutput) -> Option<Vec<ContentBlock>> {
        Some(card::render(output))
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Idempotent
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Delete
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args)
    }
}
