//! The `move` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError,
};

use super::card;
use super::path::move_path;
use super::types::{MoveArgs, MoveOutput};
use crate::blocking::run_blocking;
use crate::change::{Changes, agent_of};

/// Moves and renames files and directories of a workspace: the tool `move`.
///
/// One rename, so it happens wholly or not at all. A link is moved itself, unchanged, so a relative one may point
/// elsewhere afterwards. What has the new path is kept, with `ALREADY_EXISTS`, unless it is a file and `overwrite` is
/// set; a file that the agent has not seen as it is, is kept even then. Nothing is copied: a destination on another
/// file system fails with `OTHER_FILE_SYSTEM`. A call cancelled before the rename changes nothing.
#[derive(Debug)]
pub(crate) struct MoveTool {
    changes: Arc<Changes>,
}

impl MoveTool {
    /// A tool that moves in the workspace of `changes`.
    pub(crate) fn new(changes: Arc<Changes>) -> Self {
        Self { changes }
    }
}

impl Tool for MoveTool {
    type Args = MoveArgs;
    type Output = MoveOutput;

    fn name(&self) -> Cow<'static, str> {
        "move".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Move or rename a file or directory of the workspace. The destination is the whole new path; directories \
         missing on the way are made. Nothing is overwritten unless overwrite is set, and directories never are. A \
         link is moved itself, not what it points to."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    async fn run(&self, args: MoveArgs, cx: RunContext) -> Result<MoveOutput, ToolError> {
        let (changes, agent) = (Arc::clone(&self.changes), agent_of(&cx));
        run_blocking(cx.cancellation(), move |stop| move_path(&changes, agent, &args, stop)).await
    }

    fn render(&self, _args: &JsonValue, output: &MoveOutput) -> Option<Vec<ContentBlock>> {
        Some(card::render(output))
    }

    fn effect(&self) -> ToolEffect {
        // By then something else may have the old path.
        ToolEffect::NonIdempotent
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Move
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args)
    }
}
