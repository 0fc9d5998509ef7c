//! Cancellation asks and the owner waits (rules P5, P8, P10, P14).

use std::time::Duration;

use toolgate::ToolDefinition;
use toolgate::prelude::*;

use crate::support::{Counter, Journal, call, echo, nobody};

/// A tool that waits until it is cancelled and says which of its sources it saw.
fn waiting(journal: &Journal) -> ToolDefinition {
    let journal = journal.clone();
    ToolDefinition::raw("t", "waits").output_schema(JsonValue::empty_object()).body(move |args, cx| {
        let journal = journal.clone();
        async move {
            cx.cancellation().cancelled().await;
            journal.note("body saw the cancellation");
            Ok(args)
        }
    })
}

/// Puts a signal of its own beside the caller's.
struct OwnSignal(CancellationToken);

impl Execute for OwnSignal {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        next.run_with(self.0.clone()).await
    }
}

#[tokio::test]
async fn the_caller_is_heard_through_any_number_of_wrappers() {
    let journal = Journal::default();
    let runtime = ToolRuntime::builder()
        .tool(waiting(&journal))
        .on_execute(OwnSignal(CancellationToken::new()))
        .on_execute(OwnSignal(CancellationToken::new()))
        .build()
        .expect("valid");
    let cancel = CancellationToken::new();
    let running = tokio::spawn(runtime.execute(ToolCall::new("t", nobody(), cancel.clone())));
    tokio::task::yield_now().await;
    cancel.cancel();
    let result =
        tokio::time::timeout(Duration::from_secs(5), running).await.expect("heard").expect("no panic");
    assert_eq!(result.code(), Some("ABORTED"), "P10, P14");
    assert_eq!(journal.lines(), ["body saw the cancellation"]);
}

#[tokio::test]
async fn an_outer_wrappers_signal_is_heard_behind_an_inner_wrappers_own() {
    let journal = Journal::default();
    let outer = CancellationToken::new();
    let runtime = ToolRuntime::builder()
        .tool(waiting(&journal))
        .on_execute(OwnSignal(outer.clone()))
        .on_execute(OwnSignal(CancellationToken::new()))
        .build()
        .expect("valid");
    let running = tokio::spawn(runtime.execute(call("t", nobody())));
    tokio::task::yield_now().await;
    outer.cancel();
    let result =
        tokio::time::timeout(Duration::from_secs(5), running).await.expect("heard").expect("no panic");
    assert_eq!(result.code(), Some("ABORTED"));
}

#[tokio::test]
async fn arguments_that_fail_the_boundary_win_over_a_prior_cancellation() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let runtime = ToolRuntime::builder().tool(echo("t", &Counter::default())).build().expect("valid");
    let lossy = ToolCall::new("t", serde_json::json!({ "x": -0.0 }), cancel.clone());
    let result = runtime.execute(lossy).await;
    assert_eq!(result.error().expect("P5").cause().as_str(), "arguments_not_lossless");
    let result = runtime.execute(ToolCall::new("t", nobody(), cancel)).await;
    assert_eq!(result.code(), Some("ABORTED_BEFORE_DISPATCH"));
}

#[tokio::test]
async fn a_body_that_stops_when_asked_answers_in_the_librarys_words() {
    let tool = ToolDefinition::raw("t", "stops").output_schema(JsonValue::empty_object()).body(
        |_, cx: RunContext| async move {
            cx.cancellation().cancelled().await;
            Err::<JsonValue, _>(ToolError::aborted())
        },
    );
    let runtime = ToolRuntime::builder().tool(tool).build().expect("valid");
    let cancel = CancellationToken::new();
    let running = tokio::spawn(runtime.execute(ToolCall::new("t", nobody(), cancel.clone())));
    tokio::task::yield_now().await;
    cancel.cancel();
    let result = running.await.expect("no panic");
    let error = result.error().expect("aborted");
    assert_eq!((error.code(), error.cause().as_str()), (Some("ABORTED"), "aborted"));
}
