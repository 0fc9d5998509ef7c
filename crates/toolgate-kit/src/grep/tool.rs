//! The `grep` tool.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolEffect, ToolError, ToolResult,
    ToolResultView,
};

use super::search::search;
use super::types::{GrepArgs, GrepOutput};
use super::{card, text};
use crate::Workspace;
use crate::blocking::run_blocking;

/// Searches text in the files of a workspace: the tool `grep`.
///
/// Files come in path order, so the same tree gives the same answer. Memory stays bounded whatever the size of the
/// files. A cancelled call ends with `ABORTED` within one block of at most 128 KiB, which is also how long a line may
/// be; the heaviest expression there can be takes half a second for that. Beyond the codes of
/// [`WorkspaceError`](crate::WorkspaceError) it fails with `INVALID_ARGS` for a pattern that is no regular expression,
/// whose place it names, for one that is too large with its repetitions written out, and for an invalid include
/// filter.
#[derive(Debug)]
pub(crate) struct GrepTool {
    workspace: Arc<Workspace>,
}

impl GrepTool {
    /// A tool that searches in `workspace`.
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }
}

impl Tool for GrepTool {
    type Args = GrepArgs;
    type Output = GrepOutput;

    fn name(&self) -> Cow<'static, str> {
        "grep".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Find lines in the files of the workspace that match a regular expression. Matches come by file, as number and \
         text of the line, 100 of a file and 500 in all at most; the result says how many there are. Left out are \
         files named in .gitignore and .ignore, hidden ones unless include spells the dot out, binary files and .git. \
         Links are not followed. To see what is around a match use read; to find files by name use glob."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(120))
    }

    async fn run(&self, args: GrepArgs, cx: RunContext) -> Result<GrepOutput, ToolError> {
        let workspace = Arc::clone(&self.workspace);
        run_blocking(cx.cancellation(), move |stop| search(&workspace, &args, stop)).await
    }

    fn render(&self, args: &JsonValue, output: &GrepOutput) -> Option<Vec<ContentBlock>> {
        Some(text::render(args, output))
    }

    fn presentation_meta(&self, _args: &JsonValue, output: &GrepOutput) -> Option<JsonValue> {
        card::meta(output)
    }

    fn is_concurrency_safe(&self, _args: &GrepArgs) -> bool {
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
