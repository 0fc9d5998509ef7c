//! Starts the stub server of `main.rs`, and tells what it heard and what is left of it.

pub(crate) mod http;

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_kit::SupervisorCommand;
use toolgate_mcp::transport::StdioServer;

/// The program that is a server and a supervisor.
const PROGRAM: &str = env!("CARGO_BIN_EXE_toolgate-mcp-stub");

/// A script, and a folder of its own for it. What runs has the folder's name among its arguments.
pub(crate) struct Stub {
    folder: TempDir,
}

impl Stub {
    /// A server that does what a script says: `{ "start": […], "rules": […] }`.
    pub(crate) fn new(mut script: Value) -> Self {
        let folder = TempDir::new().unwrap();
        script["log"] = json!(folder.path().join("log"));
        std::fs::write(folder.path().join("script"), script.to_string()).unwrap();
        Self { folder }
    }

    /// A server that only answers messages of these methods, with these acts.
    pub(crate) fn answering(rules: &[(&str, Vec<String>)]) -> Self {
        let rules: Vec<Value> = rules.iter().map(|(on, send)| json!({ "on": on, "send": send })).collect();
        Self::new(json!({ "rules": rules }))
    }

    /// How it is started.
    pub(crate) fn server(&self) -> StdioServer {
        let script = self.folder.path().join("script").display().to_string();
        StdioServer {
            command: PROGRAM.to_owned(),
            args: vec!["serve".to_owned(), script],
            ..StdioServer::default()
        }
    }

    /// The messages that it has read.
    pub(crate) fn heard(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// How many processes run that belong to it, what it has started included.
    #[cfg(target_os = "linux")]
    pub(crate) fn processes(&self) -> usize {
        self.folders_of_processes().len()
    }

    /// How many bytes its processes have written so far.
    #[cfg(target_os = "linux")]
    pub(crate) fn written(&self) -> u64 {
        let counts = self.folders_of_processes().into_iter().filter_map(|folder| {
            let io = std::fs::read_to_string(folder.join("io")).ok()?;
            io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse::<u64>().ok())
        });
        counts.sum()
    }

    /// Where `/proc` tells of its processes.
    #[cfg(target_os = "linux")]
    fn folders_of_processes(&self) -> Vec<PathBuf> {
        let own = self.folder.path().display().to_string();
        let entries = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let is_own = |folder: &PathBuf| {
            let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&own)
        };
        entries.filter(is_own).collect()
    }
}

/// How supervisors are started here.
pub(crate) fn supervisor() -> SupervisorCommand {
    SupervisorCommand { program: PathBuf::from(PROGRAM), arguments: vec!["supervise".into()] }
}
