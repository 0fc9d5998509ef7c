//! On every route the body hears of its session's cancellation (K06), with all policies in place.

use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{ToolDefinition, ToolRuntimeBuilder};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_policy::{DeadlineConfig, Deadlines, RepeatReminder};
use toolgate_sandbox::{InProcess, Language};

use crate::support::{Journal, build, tool};

/// How long it may take: the case says 50 ms, and the machine that runs this may be busy.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug)]
enum Route {
    Direct,
    Nested,
    NestedInProgram,
    UnderAWrapperWithItsOwnSignal,
    RetriedByAWrapper,
}

/// Runs the rest with a signal of its own, which never fires.
struct OwnSignal;

impl Execute for OwnSignal {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        next.run_with(CancellationToken::new()).await
    }
}

/// Runs the rest again after a failure, with a signal of its own each time.
struct Retry;

impl Execute for Retry {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let first = next.run_with(CancellationToken::new()).await?;
        if first.is_error() { next.run_with(CancellationToken::new()).await } else { Ok(first) }
    }
}

/// Begins, and ends when it is asked to; where it is retried, only the second time.
fn waits(route: Route, noted: &Journal<&'static str>) -> ToolDefinition {
    let noted = noted.clone();
    tool("waits").body(move |_, cx: RunContext| {
        let noted = noted.clone();
        async move {
            if matches!(route, Route::RetriedByAWrapper) && noted.entries().is_empty() {
                noted.note("failed");
                return Err(ToolError::new("the first time fails"));
            }
            noted.note("began");
            cx.cancellation().cancelled().await;
            noted.note("heard");
            Err::<JsonValue, _>(ToolError::aborted())
        }
    })
}

fn on_the_way(route: Route) -> (ToolRuntimeBuilder, &'static str, JsonValue) {
    let config = DeadlineConfig { default: Some(Duration::from_secs(600)), ..DeadlineConfig::default() };
    let builder =
        ToolRuntime::builder().plugin(Deadlines::new(config)).on_post_execute(RepeatReminder::default());
    let nothing = JsonValue::empty_object();
    match route {
        Route::Direct => (builder, "waits", nothing),
        Route::Nested => {
            let outer = tool("outer").body(|_, cx: RunContext| async move {
                let result = cx.runtime().execute(cx.nested_call("waits", json!({}))).await;
                Ok(json!(result.text()))
            });
            (builder.tool(outer), "outer", nothing)
        }
        Route::NestedInProgram => {
            let mode = CodeMode::new(InProcess::default(), CodeModeConfig::new(Language::TypeScript));
            let program = json!({ "code": "return await tools.waits({});", "description": "a test" });
            let builder = builder.presentation_mode(PresentationMode::Both).code_transport(mode);
            (builder, "run_code", JsonValue::new(program).expect("lossless"))
        }
        Route::UnderAWrapperWithItsOwnSignal => (builder.on_execute(OwnSignal), "waits", nothing),
        Route::RetriedByAWrapper => (builder.on_execute(Retry), "waits", nothing),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancellation_reaches_the_body() {
    for route in [
        Route::Direct,
        Route::Nested,
        Route::NestedInProgram,
        Route::UnderAWrapperWithItsOwnSignal,
        Route::RetriedByAWrapper,
    ] {
        let noted = Journal::default();
        let (builder, name, arguments) = on_the_way(route);
        let runtime = build(builder, [waits(route, &noted)]);
        let session = CancellationToken::new();
        let call = ToolCall::new(name, arguments, session.clone());
        let running = tokio::spawn(runtime.scope("agent").execute(call));
        poll(route, "the body began", || noted.entries().contains(&"began")).await;
        assert!(!noted.entries().contains(&"heard"), "K06: {route:?}");
        session.cancel();
        poll(route, "the body heard of it", || noted.entries().contains(&"heard")).await;
        let result = running.await.expect("no panic");
        assert!(result.is_error(), "K06: {route:?}: {}", result.text());
    }
}

async fn poll(route: Route, what: &str, mut is_true: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < PATIENCE, "K06: {route:?}: it never came true that {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
