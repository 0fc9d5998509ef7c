//! [`ShellTools`]: `bash` and the tools for jobs, as a plugin.

use std::error::Error;
use std::sync::Arc;

use toolgate::{Plugin, PluginContext, Registrar as _};

use crate::Workspace;
use crate::bash::BashTool;
use crate::command::{Shell, ShellConfig, SupervisorCommand};
use crate::jobs::{EndJobs, JobKillTool, JobListTool, JobOutputTool, Jobs};

/// The tools that run commands in `workspace`: `bash`, `job_output`, `job_list` and `job_kill`.
///
/// `supervisor` says how the process is started that watches over each command; its program must call
/// [`supervisor_main`](crate::supervisor_main). The default is this binary again with the argument `shell-supervisor`.
///
/// Each installation is a session of its own, with a private folder for temporary files. When it is unplugged, its
/// scope closes or its runtime is dropped, its jobs are ended; when this process is gone, however that came about, the
/// supervisors end everything.
pub fn shell_tools(workspace: Workspace, config: ShellConfig, supervisor: SupervisorCommand) -> ShellTools {
    ShellTools { workspace: Arc::new(workspace), config, supervisor }
}

/// The shell tools of one workspace; made by [`shell_tools`].
#[derive(Clone, Debug)]
pub struct ShellTools {
    workspace: Arc<Workspace>,
    config: ShellConfig,
    supervisor: SupervisorCommand,
}

impl Plugin for ShellTools {
    fn name(&self) -> &str {
        "shell-tools"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let workspace = Arc::clone(&self.workspace);
        let shell = Arc::new(Shell::new(workspace, self.config.clone(), self.supervisor.clone()));
        let jobs = Arc::new(Jobs::new(Arc::clone(&shell)));
        cx.on_change(EndJobs(Arc::clone(&jobs)));
        cx.register(BashTool::new(shell, Arc::clone(&jobs)))?;
        cx.register(JobOutputTool::new(Arc::clone(&jobs)))?;
        cx.register(JobListTool::new(Arc::clone(&jobs)))?;
        cx.register(JobKillTool::new(jobs))?;
        Ok(())
    }
}
