//! [`Shell`]: what all commands of one session share.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::environment::environment;
use super::scratch::Scratch;
use super::wire::{Manner, Order};
use super::{CommandError, EnvironmentConfig, ShellConfig, SupervisorCommand};
use crate::Workspace;
use crate::confine::{
    Enforcement, NotEnforceable, SandboxBackend, SandboxConfig, SandboxPlan, SandboxSupport,
};

/// The variable that every process of a command inherits, unless it is taken away. Nothing but the last resort
/// depends on it.
const MARK: &str = "TOOLGATE_COMMAND";

/// The longest command. The kernel takes 128 KiB as one argument.
const LONGEST: usize = 96 << 10;

/// The shell of one session: its settings, the workspace, and the folder of temporary files, which goes with it.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) config: ShellConfig,
    pub(super) supervisor: SupervisorCommand,
    workspace: Arc<Workspace>,
    program: PathBuf,
    plan: Result<SandboxPlan, NotEnforceable>,
    scratch: Scratch,
    commands: AtomicU64,
}

/// The folder that a command begins in.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder itself, however its name changes.
    pub(super) folder: File,
    /// Its absolute path.
    pub(crate) path: PathBuf,
}

impl Shell {
    /// Finds out what can be enforced.
    pub(crate) fn new(workspace: Arc<Workspace>, config: ShellConfig, supervisor: SupervisorCommand) -> Self {
        let program = config.shell.clone().unwrap_or_else(|| {
            let bash = PathBuf::from("/bin/bash");
            if bash.exists() { bash } else { PathBuf::from("/bin/sh") }
        });
        let plan = plan(&config);
        let (scratch, commands) = (Scratch::default(), AtomicU64::new(0));
        Self { config, supervisor, workspace, program, plan, scratch, commands }
    }

    /// The folder of a command: one of the workspace, its root if none is named.
    pub(crate) fn place(&self, folder: Option<&str>) -> Result<Place, CommandError> {
        let (folder, path) = self.workspace.working_directory(folder.unwrap_or("."))?;
        Ok(Place { folder, path })
    }

    /// The root of the workspace.
    pub(crate) fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// The program that reads the commands.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// What commands are confined to, or why they cannot be.
    pub(crate) fn plan(&self) -> Result<&SandboxPlan, &NotEnforceable> {
        self.plan.as_ref()
    }

    /// The order for a command, where it may run.
    pub(super) fn order(&self, command: String) -> Result<Order, CommandError> {
        let plan = self.plan.as_ref().map_err(Clone::clone)?;
        let hint = "put a long script into a file of the workspace and run that";
        if command.contains('\0') {
            return Err(CommandError::Arguments { what: "`command` holds a NUL character".to_owned(), hint });
        }
        if command.len() > LONGEST {
            let what = format!("`command` has {} bytes, more than {LONGEST}", command.len());
            return Err(CommandError::Arguments { what, hint });
        }
        if command.trim().is_empty() {
            let what = "`command` is empty".to_owned();
            return Err(CommandError::Arguments { what, hint: "say what to run" });
        }
        let scratch = self.scratch.path().map_err(CommandError::no_scratch)?;
        Ok(Order {
            program: self.program.clone(),
            arguments: vec!["-c".to_owned(), command],
            confinement: plan.confinement(self.workspace.root(), &scratch),
            most_processes: self.config.max_processes,
            scratch: Some(scratch),
            manner: Manner::Command,
        })
    }

    /// What a command inherits that has this folder for temporary files, and the mark by which its processes are known.
    pub(super) fn environment(&self, scratch: Option<&Path>) -> (Vec<(OsString, OsString)>, String) {
        let number = self.commands.fetch_add(1, Ordering::Relaxed);
        // The name of the folder is random, so no other session has it.
        let folder = scratch.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let mark = format!("{folder}.{}.{number}", std::process::id());
        marked_environment(&self.config.environment, scratch, &mark)
    }
}

/// What the mark of a piped program begins with.
pub(super) const PIPED: &str = "piped.";

/// Whether this process was marked as part of a piped program. Asked by a supervisor about itself.
pub(super) fn is_piped() -> bool {
    std::env::var_os(MARK).is_some_and(|mark| mark.as_encoded_bytes().starts_with(PIPED.as_bytes()))
}

/// What something inherits that is started with a mark of its own, and the whole variable that is the mark.
pub(super) fn marked_environment(
    config: &EnvironmentConfig,
    scratch: Option<&Path>,
    mark: &str,
) -> (Vec<(OsString, OsString)>, String) {
    let mut variables = environment(std::env::vars_os(), config, scratch);
    variables.retain(|(name, _)| name != MARK);
    variables.push((MARK.into(), mark.into()));
    (variables, format!("{MARK}={mark}"))
}

/// Bubblewrap is looked for only where it could be needed, because it takes a while.
fn plan(config: &ShellConfig) -> Result<SandboxPlan, NotEnforceable> {
    let kernel = SandboxSupport::probe_kernel();
    match config.sandbox.backend {
        SandboxBackend::Landlock => kernel.plan(&config.sandbox),
        SandboxBackend::Auto => {
            let strict = SandboxConfig { enforcement: Enforcement::Required, ..config.sandbox.clone() };
            kernel.plan(&strict).or_else(|_| SandboxSupport::probe().plan(&config.sandbox))
        }
        SandboxBackend::Bubblewrap => SandboxSupport::probe().plan(&config.sandbox),
    }
}
