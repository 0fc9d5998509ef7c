//! A workspace with shell tools, and a look at the processes of the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate::{CancellationToken, ToolCall, ToolExecutionResult, ToolRuntime};
use toolgate_kit::{
    NetworkAccess, SandboxConfig, SandboxMode, ShellConfig, ShellTools, SupervisorCommand, Workspace,
    shell_tools,
};

/// How long something may take that takes no time on a machine with nothing else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct ShellBench {
    directory: TempDir,
    pub(crate) runtime: ToolRuntime,
}

/// The tools on a workspace, with the supervisor that is built for tests.
pub(crate) fn tools(root: &Path, config: ShellConfig) -> ShellTools {
    let supervisor =
        SupervisorCommand { program: env!("CARGO_BIN_EXE_shell_supervisor").into(), arguments: Vec::new() };
    shell_tools(Workspace::open(root).unwrap(), config, supervisor)
}

/// A configuration in which nothing is confined, for tests that are about something else.
pub(crate) fn unconfined() -> ShellConfig {
    confined(SandboxMode::Full, None)
}

pub(crate) fn confined(mode: SandboxMode, network: Option<NetworkAccess>) -> ShellConfig {
    let sandbox = SandboxConfig { mode, network, ..SandboxConfig::default() };
    ShellConfig { sandbox, ..ShellConfig::default() }
}

impl ShellBench {
    pub(crate) fn new(config: ShellConfig) -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        fs::create_dir(&root).unwrap();
        let runtime = ToolRuntime::builder().plugin(tools(&root, config)).build().unwrap();
        Self { directory, runtime }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join("root").join(path)
    }

    /// A place beside the workspace.
    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolExecutionResult {
        self.runtime.execute(ToolCall::new(tool, args, CancellationToken::new())).await
    }

    pub(crate) async fn value(&self, tool: &str, args: Value) -> Value {
        let result = self.call(tool, args).await;
        match result.value() {
            Some(value) => serde_json::from_str(&value.to_text()).unwrap(),
            None => panic!("the call failed: {}", result.text()),
        }
    }

    /// What a command leaves that runs to its end.
    pub(crate) async fn bash(&self, command: &str) -> Value {
        self.value("bash", json!({ "command": command })).await
    }

    pub(crate) async fn failure(&self, args: Value) -> (String, String) {
        let result = self.call("bash", args).await;
        let error = result.error().unwrap_or_else(|| panic!("the call succeeded: {}", result.text()));
        (error.code().unwrap_or_default().to_owned(), error.message().to_owned())
    }

    /// The numbers that a command wrote into a file of the workspace, once there are so many.
    pub(crate) async fn numbers(&self, file: &str, count: usize) -> Vec<u32> {
        let begun = Instant::now();
        loop {
            let text = fs::read_to_string(self.path(file)).unwrap_or_default();
            let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
            let numbers: Vec<u32> = whole.map(|line| line.trim().parse().unwrap()).collect();
            if numbers.len() >= count {
                return numbers;
            }
            assert!(begun.elapsed() < PATIENCE, "{file} holds {text:?} and not {count} numbers");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Whether there is a process of this number, dead or alive.
pub(crate) fn exists(number: u32) -> bool {
    Path::new(&format!("/proc/{number}")).exists()
}

/// Asserts that the processes are gone, or are within two seconds.
#[track_caller]
pub(crate) fn assert_gone(numbers: &[u32]) {
    assert!(!numbers.is_empty());
    let begun = Instant::now();
    while let Some(left) = numbers.iter().find(|number| exists(**number)) {
        assert!(begun.elapsed() < Duration::from_secs(2), "process {left} is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}
