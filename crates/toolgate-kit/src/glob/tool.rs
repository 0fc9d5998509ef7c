//! The `glob` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError, ToolResult,
    ToolResultView,
};

use super::find::find_files;
use super::types::{GlobArgs, GlobOutput};
use super::{card, text};
use crate::Workspace;
use crate::blocking::run_blocking;

/// Finds files of a workspace by name: the tool `glob`.
///
/// Files come in path order, so the same tree gives the same answer. A cancelled call ends within one directory, with
/// `ABORTED`. Beyond the codes of [`WorkspaceError`](crate::WorkspaceError) it fails with `INVALID_ARGS` for a pattern
/// that is no glob or leads out of the directory to search.
#[derive(Debug)]
pub(crate) struct GlobTool {
    workspace: Arc<Workspace>,
}

impl GlobTool {
    /// A tool that searches in `workspace`.
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }
}

impl Tool for GlobTool {
    type Args = GlobArgs;
    type Output = GlobOutput;

    fn name(&self) -> Cow<'static, str> {
        "glob".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Find files of the workspace whose path matches a glob pattern. Only files are listed, in path order, 1000 at \
         most; the result says how many there are in all. Left out are files named in .gitignore and .ignore, hidden \
         ones unless the pattern spells the dot out, and .git. Links to directories are not followed. To look for text \
         in files use grep."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    async fn run(&self, args: GlobArgs, cx: RunContext) -> Result<GlobOutput, ToolError> {
        let workspace = Arc::clone(&self.workspace);
        run_blocking(cx.cancellation(), move |stop| find_files(&workspace, &args, stop)).await
    }

    fn render(&self, args: &JsonValue, output: &GlobOutput) -> Option<Vec<ContentBlock>> {
        Some(text::render(args, output))
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &GlobOutput) -> Option<JsonValue> {
        card::meta(output)
    }

    fn is_concurrency_safe(&self, _args: &GlobArgs) -> bool {
        true
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Search
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        card::call(args)
    }

    fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        card::result(args, result)
    }
}
