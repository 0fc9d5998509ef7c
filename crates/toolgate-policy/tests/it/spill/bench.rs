//! A runtime with the plugin, a folder, and a clock that a test moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate::prelude::*;
use toolgate::{ToolDefinition, indented_text};
use toolgate_policy::{Spill, SpillConfig};

pub(crate) struct Bench {
    pub(crate) runtime: ToolRuntime,
    pub(crate) folder: PathBuf,
    passed: Arc<AtomicU64>,
    home: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(SpillConfig::default())
    }

    pub(crate) fn with(config: SpillConfig) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("cache/spill");
        let (passed, begun) = (Arc::new(AtomicU64::new(0)), Instant::now());
        let clock = Arc::clone(&passed);
        let spill = Spill::new(&folder, config)
            .with_clock(move || begun + Duration::from_secs(clock.load(Ordering::SeqCst)));
        let runtime = ToolRuntime::builder().plugin(spill).build().unwrap();
        Self { runtime, folder, passed, home }
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.passed.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Registers a tool that gives this value.
    pub(crate) fn gives(&self, name: &str, value: impl Into<Value>) {
        let value = JsonValue::new(value.into()).unwrap();
        self.runtime.register(tool(name).body(move |_, _| std::future::ready(Ok(value.clone())))).unwrap();
    }

    /// Calls a tool for the agent.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> ToolExecutionResult {
        self.call_as(&self.runtime.scope("agent"), name, arguments).await
    }

    pub(crate) async fn call_as(&self, scope: &Scope, name: &str, arguments: Value) -> ToolExecutionResult {
        scope.execute(ToolCall::new(name, arguments, CancellationToken::new())).await
    }

    /// Calls a tool that reads what is kept, and gives its value.
    pub(crate) async fn value(&self, name: &str, arguments: Value) -> JsonValue {
        let result = self.call(name, arguments).await;
        assert!(!result.is_error(), "{name} failed: {}", result.text());
        result.value().expect("a success").clone()
    }

    /// The code with which reading a handle fails for the agent; none where it works.
    pub(crate) async fn refusal(&self, handle: &str) -> Option<String> {
        self.refusal_of(&self.runtime.scope("agent"), handle).await
    }

    pub(crate) async fn refusal_of(&self, scope: &Scope, handle: &str) -> Option<String> {
        let result = self.call_as(scope, "spill_read", json!({ "handle": handle, "limit": 10 })).await;
        result.error().map(|error| error.code().unwrap_or("no code").to_owned())
    }

    /// Ends the runtime and keeps the folder.
    pub(crate) fn into_home(self) -> TempDir {
        self.home
    }

    /// Every file of the plugin, but locks.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        files_below(&self.folder)
    }
}

/// Every file below a folder, but locks.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for run in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(run.unwrap().path()).unwrap() {
            found.push(file.unwrap().path());
        }
    }
    found.retain(|file| file.file_name().unwrap() != "lock");
    found.sort();
    found
}

pub(crate) fn tool(name: &str) -> toolgate::tool::RawToolBuilder {
    ToolDefinition::raw(name, "a tool of a test").output_schema(json!({}))
}

/// The handle in the notice of a result that was cut.
pub(crate) fn handle(result: &ToolExecutionResult) -> String {
    handle_in(&result.text()).expect("a handle")
}

pub(crate) fn handle_in(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find("spill_") {
        rest = &rest[at..];
        let digits = rest["spill_".len()..].chars().take_while(char::is_ascii_hexdigit).count();
        if digits == 32 {
            return Some(rest[.."spill_".len() + 32].to_owned());
        }
        rest = &rest["spill_".len()..];
    }
    None
}

/// A list of at least so many bytes of compact text.
pub(crate) fn large(bytes: usize) -> Value {
    let item =
        |number: usize| json!({ "number": number, "name": format!("näme {number}"), "tags": ["a", "b"] });
    Value::Array((0..bytes / 40).map(item).collect())
}

/// The text under which a value is kept.
pub(crate) fn kept(value: &Value) -> String {
    indented_text(value)
}
