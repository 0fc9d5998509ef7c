//! A dropped call still has exactly one outcome, at once (rule P22).

use std::future::{Future, pending};
use std::pin::pin;
use std::task::{Context, Waker};

use toolgate::ToolDefinition;
use toolgate::prelude::*;

use crate::support::{Counter, Journal, call, echo, nobody};

struct NeverPre;

impl PreExecute for NeverPre {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        pending().await
    }
}

fn poll_once<F: Future>(future: F) {
    let mut future = pin!(future);
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

fn endless(finalized: &Counter) -> ToolDefinition {
    let finalized = finalized.clone();
    ToolDefinition::raw("t", "never ends")
        .output_schema(JsonValue::empty_object())
        .finalize_content(move |_, _| {
            finalized.add();
            None
        })
        .body(|_, _| async { pending::<Result<JsonValue, ToolError>>().await })
}

#[test]
fn a_call_dropped_in_its_body_is_aborted() {
    let (journal, finalized) = (Journal::default(), Counter::default());
    let runtime = ToolRuntime::builder()
        .tool(endless(&finalized))
        .on_result(journal.observer())
        .build()
        .expect("valid");
    poll_once(runtime.execute(call("t", nobody())));
    assert_eq!(journal.lines(), ["c1 ABORTED"]);
    assert_eq!(finalized.get(), 1);
}

#[test]
fn a_call_dropped_in_policy_is_aborted_before_dispatch() {
    let (journal, finalized) = (Journal::default(), Counter::default());
    let runtime = ToolRuntime::builder()
        .tool(endless(&finalized))
        .on_pre_execute(NeverPre)
        .on_result(journal.observer())
        .build()
        .expect("valid");
    poll_once(runtime.execute(call("t", nobody())));
    assert_eq!(journal.lines(), ["c1 ABORTED_BEFORE_DISPATCH"]);
    assert_eq!(finalized.get(), 1);
}

#[tokio::test]
async fn a_call_dropped_between_its_stages_is_settled_and_a_finished_one_is_not_settled_twice() {
    let journal = Journal::default();
    let runtime = ToolRuntime::builder()
        .tool(echo("t", &Counter::default()))
        .on_result(journal.observer())
        .build()
        .expect("valid");
    drop(runtime.prepare(call("t", nobody()).with_id("p")).await);
    drop(runtime.prepare(call("t", nobody()).with_id("d")).await.dispatch().await);
    runtime.execute(call("t", nobody()).with_id("f")).await;
    assert_eq!(journal.lines(), ["p ABORTED_BEFORE_DISPATCH", "d ABORTED", "f ok"]);
}
