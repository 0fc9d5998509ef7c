//! The runtime and the placements that the benchmarks share. The binary of a benchmark is its own worker.

use serde::Deserialize;
use serde_json::json;
use toolgate::prelude::*;
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_sandbox::{InProcess, Language, Limits, WorkerCommand, WorkerPool, worker_main};

/// Where programs run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placement {
    InProcess,
    Worker,
}

/// The arguments of the tools, as a model sends them.
#[derive(Deserialize, Schema)]
struct Small {
    path: String,
    limit: u32,
}

/// Becomes a worker where the process was started as one. Comes first in every `main`.
pub(crate) fn worker_or_go_on() {
    if std::env::args().nth(1).as_deref() == Some("sandbox-worker") {
        worker_main();
    }
}

/// A runtime whose programs have two tools that do nothing: `noop` runs alone, `safe` overlaps with others.
pub(crate) fn runtime(placement: Placement) -> ToolRuntime {
    let limits = Limits { output: 4 << 20, ..Limits::default() };
    let config = CodeModeConfig { limits, ..CodeModeConfig::new(Language::TypeScript) };
    let builder = ToolRuntime::builder().presentation_mode(PresentationMode::Code);
    let builder = match placement {
        Placement::InProcess => builder.code_transport(CodeMode::new(InProcess::new(), config)),
        Placement::Worker => {
            let workers = WorkerPool::new(WorkerCommand::default(), 2).expect("a thread");
            builder.code_transport(CodeMode::new(workers, config))
        }
    };
    let body = |args: Small, _: RunContext| async move { Ok(u64::from(args.limit) + args.path.len() as u64) };
    builder
        .tool(tool_fn("noop", "Does nothing.", body))
        .tool(tool_fn("safe", "Does nothing, beside others.", body).concurrency_safe())
        .build()
        .expect("valid")
}

/// Runs a program of an agent, which must succeed.
pub(crate) async fn run(runtime: &ToolRuntime, code: &str) {
    let arguments = json!({ "code": code, "description": "a benchmark" });
    let call = ToolCall::new("run_code", arguments, CancellationToken::new());
    let result = runtime.scope("agent").execute(call).await;
    assert!(!result.is_error(), "{code}: {}", result.text());
}

/// An executor as the command has it: everything on one thread.
pub(crate) fn executor() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an executor")
}
