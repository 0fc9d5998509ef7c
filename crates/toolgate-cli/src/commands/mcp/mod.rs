//! `toolgate mcp`: the tools for clients of the Model Context Protocol, servers of it, and what is pinned of their tools.

mod doctor;
mod login;
mod pins;
mod serve;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::ToolRuntime;
use toolgate_mcp::pin::Pins;
use toolgate_mcp::upstream::Servers;

use crate::cli::{McpAction, McpArgs};
use crate::fault::UsageError;
use crate::servers::Plan;
use crate::toolbox;

/// Serves, or does what is asked about servers.
pub(super) fn run(args: &McpArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        None => serve::run(&args.serve),
        Some(McpAction::Doctor(args)) => doctor::run(args),
        Some(McpAction::Diff(args)) => pins::diff(args),
        Some(McpAction::Approve(args)) => pins::approve(args),
        Some(McpAction::Pin(args)) => pins::pin(args),
        Some(McpAction::Login(args)) => login::run(args),
    }
}

/// Connects to some servers of a workspace, waits for the first answer of each, and gives them to `look`.
fn asked<T>(
    workspace: &Path,
    names: &[String],
    look: impl FnOnce(&Servers, Option<&Pins>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let settings = toolbox::configure(workspace, &[])?.settings;
    let plan = Plan::new(&settings.mcp, &toolbox::root_of(workspace)?)?.only(names)?;
    if plan.configs.is_empty() {
        return Err(UsageError::new("no server is configured")
            .with_hint(
                "`[mcp.servers.NAME]` in toolgate.toml adds one; `toolgate mcp doctor --help` shows how",
            )
            .into());
    }
    let pins = plan.pins()?;
    let runtime = ToolRuntime::builder().build().context("the servers have no place")?;
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources to ask servers")?;
    executor.block_on(async {
        let servers = plan.mount(pins.clone(), &runtime)?;
        servers.settled().await;
        let seen = look(&servers, pins.as_ref());
        servers.close().await;
        seen
    })
}
