//! What the sessions of an editor work with: the same tools and policies as `toolgate agent`, one workspace each.

use std::sync::Arc;
#[cfg(unix)]
use std::{path::PathBuf, time::Duration};

#[cfg(unix)]
use toolgate_acp::TerminalTool;
use toolgate_acp::{
    AccessNeeded, Equipment, Host, HostError, McpServer, McpTransport, ModelChoice, SessionOrder,
};
use toolgate_agent::{Prompt, SessionRoutes, TurnLimits};
#[cfg(unix)]
use toolgate_kit::{SandboxMode, ShellConfig};
use toolgate_mcp::config::{Secret, ServerTable};
use toolgate_policy::LostAnswers;
use toolgate_sandbox::Language;
use toolgate_session::Backend;

use super::files::InTheEditor;
use crate::config::Flag;
use crate::servers::Plan;
use crate::toolbox::Tools;
use crate::{code_mode, toolbox};

/// The scope of the agent.
const NAME: &str = "agent";

const ROLE: &str = "You are an agent in an editor. You work in one directory, the workspace, with the tools that you are given.";

/// Equips sessions.
pub(super) struct EditorHost {
    pub(super) models: Vec<ModelChoice>,
    pub(super) access: Option<AccessNeeded>,
    pub(super) backend: Arc<dyn Backend>,
    pub(super) flags: Vec<Flag>,
    pub(super) max_steps: Option<u64>,
}

impl Host for EditorHost {
    fn access(&self) -> Result<(), AccessNeeded> {
        self.access.clone().map_or(Ok(()), Err)
    }

    fn models(&self) -> Vec<ModelChoice> {
        self.models.clone()
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    async fn equip(&self, order: SessionOrder) -> Result<Equipment, HostError> {
        let defaults = TurnLimits::default();
        let limits = TurnLimits { steps: self.max_steps.unwrap_or(defaults.steps), ..defaults };
        let flags = self.flags.clone();
        // Configuration and workspace are read from the disk.
        let equipped = tokio::task::spawn_blocking(move || equip(order, &flags, limits)).await;
        let equipped = equipped.map_err(|error| HostError::new(error.to_string()))?;
        equipped.map_err(|error| HostError::new(format!("{error:#}")))
    }
}

fn equip(order: SessionOrder, flags: &[Flag], limits: TurnLimits) -> anyhow::Result<Equipment> {
    let configuration = toolbox::configure(&order.directory, flags)?;
    let mut workspace = toolbox::workspace(&order.directory)?;
    let root = workspace.root().to_owned();
    if let Some(files) = order.editor.files() {
        workspace = workspace.with_open_texts(Arc::new(InTheEditor(files)));
    }
    #[cfg(unix)]
    let terminal_tool = terminal_tool(&configuration.settings.shell);
    #[cfg(not(unix))]
    let terminal_tool = None;
    let code = code_mode::config(&configuration.settings.code, Language::TypeScript);
    let routes = SessionRoutes::new();
    let mut toolbox = toolbox::prepare_for(workspace, configuration, order.people)?;
    let transport = code_mode::transport(code, routes.clone(), toolbox.clock())?;
    toolbox.builder = toolbox.builder.code_transport(transport).on_execute(LostAnswers::new());
    let (Tools { runtime, mut servers }, approvals) = toolbox.for_an_editor(routes.clone())?;
    joined(&mut servers, order.mcp_servers)?;
    // Tools come as their servers answer; a call waits for its own.
    let servers = servers.mounting(&runtime)?;
    Ok(Equipment {
        scope: runtime.scope(NAME),
        approvals,
        routes,
        prompt: Prompt::standard(ROLE),
        limits,
        root,
        presents_code: true,
        terminal_tool,
        keep: Some(Box::new(servers)),
    })
}

/// The servers that the editor hands over, beside those of the configuration, which go before them.
fn joined(plan: &mut Plan, servers: Vec<McpServer>) -> anyhow::Result<()> {
    for McpServer { name, transport } in servers {
        let secrets =
            |pairs: Vec<(String, String)>| pairs.into_iter().map(|(name, value)| (name, Secret::new(value)));
        let table = match transport {
            McpTransport::Stdio { command, args, env } => ServerTable {
                command: Some(Secret::new(command.to_string_lossy())),
                args: args.into_iter().map(Secret::new).collect(),
                env: secrets(env.into_iter().collect()).collect(),
                ..ServerTable::default()
            },
            McpTransport::Http { url, headers } => ServerTable {
                url: Some(Secret::new(url)),
                headers: secrets(headers).collect(),
                ..ServerTable::default()
            },
        };
        plan.add(&name, table)?;
    }
    Ok(())
}

/// Commands run in the editor's terminals where nothing confines them; an editor could not.
#[cfg(unix)]
fn terminal_tool(shell: &ShellConfig) -> Option<TerminalTool> {
    if shell.sandbox.mode != SandboxMode::Full {
        return None;
    }
    let usual = || if PathBuf::from("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" }.into();
    Some(TerminalTool {
        name: "bash".to_owned(),
        shell: shell.shell.clone().unwrap_or_else(usual),
        timeout: Duration::from_millis(shell.timeout_ms),
        longest: Duration::from_millis(shell.max_timeout_ms),
        output_bytes: shell.max_output_bytes as u64,
    })
}
