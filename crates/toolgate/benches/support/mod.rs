//! The tools and payloads that the benchmarks share.

use std::future::Future;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate::prelude::*;

/// Small arguments, as a model sends them.
#[derive(Deserialize, Schema)]
pub(crate) struct Small {
    pub(crate) path: String,
    pub(crate) limit: u32,
}

/// One entry of a large payload.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    pub(crate) id: u64,
    pub(crate) path: String,
    pub(crate) score: f64,
    pub(crate) active: bool,
    pub(crate) note: Nullable<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) range: Range,
}

/// A range in a file.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

/// A place in a file.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// A large payload.
#[derive(Clone, Serialize, Deserialize, Schema)]
pub(crate) struct Items {
    pub(crate) items: Vec<Item>,
}

pub(crate) fn small() -> JsonValue {
    JsonValue::new(json!({ "path": "src/a.rs", "limit": 10 })).expect("lossless")
}

/// The text of a payload of about so many bytes.
pub(crate) fn payload(bytes: usize) -> String {
    let mut items = Vec::new();
    let mut size = 0;
    for id in 0.. {
        let item = json!({
            "id": id, "path": format!("src/module-{}/file-{id}.ts", id % 37), "score": f64::from(id) * 0.37 + 0.11,
            "active": id % 3 == 0, "note": null, "tags": ["alpha", "beta", format!("t{}", id % 11)],
            "range": { "start": { "line": id, "column": 4 }, "end": { "line": id + 3, "column": 80 } }
        });
        size += item.to_string().len() + 1;
        items.push(item);
        if size >= bytes {
            break;
        }
    }
    Value::Object([("items".to_owned(), Value::Array(items))].into_iter().collect()).to_string()
}

pub(crate) fn noop(name: &'static str) -> impl Tool {
    tool_fn(name, "Does nothing.", |args: Small, _: RunContext| async move {
        Ok(i64::from(args.limit) + i64::try_from(args.path.len()).unwrap_or(0))
    })
}

pub(crate) fn with_listeners(count: usize) -> ToolRuntime {
    let runtime = ToolRuntime::builder().tool(noop("noop")).build().expect("valid");
    for _ in 0..count {
        runtime.on_pre_execute(Pass);
        runtime.on_execute(Pass);
        runtime.on_post_execute(Pass);
        runtime.on_result(|_: &ToolExecution, _: &ToolExecutionResult| {});
    }
    if count > 0 {
        runtime.guard(|_| None);
    }
    runtime
}

/// A listener of every stage that changes nothing.
pub(crate) struct Pass;

impl PreExecute for Pass {
    async fn pre_execute(&self, _: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        next.run().await
    }
}

impl Execute for Pass {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        next.run().await
    }
}

impl PostExecute for Pass {
    async fn post_execute(
        &self,
        _: &ToolExecution,
        _: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        next.run().await
    }
}

pub(crate) fn call(name: &str, args: &JsonValue) -> ToolCall {
    ToolCall::new(name, args.clone(), CancellationToken::new())
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    futures_util::FutureExt::now_or_never(future).expect("the call waits for nothing")
}
