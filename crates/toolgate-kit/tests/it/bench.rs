//! A workspace in a temporary directory with something outside it, and a runtime with the tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use toolgate::{CancellationToken, Scope, ToolCall, ToolExecutionResult, ToolRuntime};
use toolgate_kit::{FileTools, FileToolsConfig, Workspace, file_tools, read_only_tools};

pub(crate) struct Bench {
    directory: TempDir,
    pub(crate) runtime: ToolRuntime,
}

impl Bench {
    /// An empty workspace at `<temporary>/root`, with the tools that read.
    pub(crate) fn new() -> Self {
        Self::using(read_only_tools)
    }

    /// An empty workspace, with the tools that change files too.
    pub(crate) fn changing() -> Self {
        Self::using(|workspace| file_tools(workspace, FileToolsConfig::default()))
    }

    /// The same, where an agent must have read what it changes.
    pub(crate) fn strict() -> Self {
        Self::using(|workspace| file_tools(workspace, FileToolsConfig { require_read: true }))
    }

    pub(crate) fn using(tools: impl FnOnce(Workspace) -> FileTools) -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        fs::create_dir(&root).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let runtime = ToolRuntime::builder().plugin(tools(workspace)).build().unwrap();
        Self { directory, runtime }
    }

    /// A workspace with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        Self::new().and(files)
    }

    /// The same workspace with these files.
    pub(crate) fn and(self, files: &[(&str, &str)]) -> Self {
        for (path, content) in files {
            self.write(path, content);
        }
        self
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    /// A place beside the workspace.
    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolExecutionResult {
        self.runtime.execute(ToolCall::new(tool, args, CancellationToken::new())).await
    }

    /// The same on behalf of an agent.
    pub(crate) async fn call_as(&self, agent: &Scope, tool: &str, args: Value) -> ToolExecutionResult {
        agent.execute(ToolCall::new(tool, args, CancellationToken::new())).await
    }

    /// What a file of the workspace holds.
    pub(crate) fn content(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Every entry in and beside the workspace: its path, what it is, and what it holds.
    pub(crate) fn world(&self) -> BTreeMap<PathBuf, String> {
        let mut world = BTreeMap::new();
        let mut open = vec![self.directory.path().to_owned()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                let what = if kind.is_dir() {
                    open.push(path.clone());
                    "directory".to_owned()
                } else if kind.is_symlink() {
                    format!("link to {}", fs::read_link(&path).unwrap().display())
                } else if kind.is_file() {
                    format!("{:?}", String::from_utf8_lossy(&fs::read(&path).unwrap()))
                } else {
                    format!("{kind:?}")
                };
                world.insert(path, what);
            }
        }
        world
    }

    /// The canonical value of a call that succeeds.
    pub(crate) async fn value(&self, tool: &str, args: Value) -> Value {
        let result = self.call(tool, args).await;
        match result.value() {
            Some(value) => serde_json::from_str(&value.to_text()).unwrap(),
            None => panic!("the call failed: {}", result.text()),
        }
    }

    /// Code and message of a call that fails.
    pub(crate) async fn failure(&self, tool: &str, args: Value) -> (String, String) {
        let result = self.call(tool, args).await;
        let error = result.error().unwrap_or_else(|| panic!("the call succeeded: {}", result.text()));
        (error.code().unwrap_or_default().to_owned(), error.message().to_owned())
    }

    /// The text that a model reads.
    pub(crate) async fn text(&self, tool: &str, args: Value) -> String {
        self.call(tool, args).await.text()
    }
}

/// Whether permissions do not bind this process, so that nothing can be denied to it.
#[cfg(unix)]
pub(crate) fn is_privileged() -> bool {
    let probe = tempfile::NamedTempFile::new().unwrap();
    fs::set_permissions(probe.path(), std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let privileged = fs::File::open(probe.path()).is_ok();
    if privileged {
        eprintln!("skipped: this process may read everything, so nothing can be denied to it");
    }
    privileged
}

/// The text lines of a `read` value.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    value["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

/// The paths of a `glob` value.
pub(crate) fn paths(value: &Value) -> Vec<&str> {
    value["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect()
}

/// The matches of a `grep` value, as `path:line:text`.
pub(crate) fn matches(value: &Value) -> Vec<String> {
    let files = value["files"].as_array().unwrap();
    let lines = files.iter().flat_map(|file| {
        let path = file["path"].as_str().unwrap();
        let lines = file["lines"].as_array().unwrap().iter();
        lines.map(move |line| format!("{path}:{}:{}", line["number"], line["text"].as_str().unwrap()))
    });
    lines.collect()
}
