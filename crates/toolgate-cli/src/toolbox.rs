//! The runtime that the commands use: the first-party tools on one workspace.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use toolgate::{ToolRuntime, ToolRuntimeBuilder};
use toolgate_kit::{FileToolsConfig, WebConfig, Workspace, file_tools, todo_tool, web_tools};
#[cfg(unix)]
use toolgate_kit::{ShellConfig, SupervisorCommand, shell_tools};
use toolgate_policy::{DeadlineConfig, Deadlines};

use crate::fault::UsageError;

/// How long a tool may go on that was told to stop because its time is up.
const GRACE: Duration = Duration::from_secs(5);

/// The deadlines of this program: those that the tools declare, except for a tool that is named with another one.
pub(crate) fn deadlines(named: Option<(&str, Duration)>) -> Deadlines {
    let tools = named.into_iter().map(|(name, limit)| (name.to_owned(), limit)).collect();
    Deadlines::new(DeadlineConfig { tools, grace: Some(GRACE), ..DeadlineConfig::default() })
}

/// Opens `root` as the workspace and registers the tools that work in it.
///
/// # Errors
/// A [`UsageError`] where `root` is no directory that can be opened.
pub(crate) fn open(root: &Path) -> anyhow::Result<ToolRuntime> {
    build(prepare(root)?)
}

/// The same, before the runtime is built.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn prepare(root: &Path) -> anyhow::Result<ToolRuntimeBuilder> {
    let workspace = || {
        Workspace::open(root).map_err(|error| {
            let hint = error.hint();
            UsageError::new(format!("{:#}", anyhow::Error::from(error))).with_hint(hint)
        })
    };
    let builder = ToolRuntime::builder().plugin(file_tools(workspace()?, FileToolsConfig::default()));
    #[cfg(unix)]
    let builder =
        builder.plugin(shell_tools(workspace()?, ShellConfig::default(), SupervisorCommand::default()));
    Ok(builder.plugin(todo_tool()).plugin(web_tools(WebConfig::default())))
}

/// Builds what was prepared.
///
/// # Errors
/// A defect of this program.
pub(crate) fn build(builder: ToolRuntimeBuilder) -> anyhow::Result<ToolRuntime> {
    builder.build().context("the tools could not be set up, which is a defect of this program")
}
