//! Scopes that close while calls are under way: tools go, the say of policy and observers stays (rules P4, P18, R4).

use serde_json::json;
use toolgate::ToolDefinition;
use toolgate::prelude::*;

use crate::support::{Counter, Journal, call, echo, nobody};

struct Redact;

impl PostExecute for Redact {
    async fn post_execute(
        &self,
        _: &ToolExecution,
        _: &ToolExecutionResult,
        _: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        Ok(PostToolDecision::block(vec![ContentBlock::text("redacted")]))
    }
}

fn closing_its_scope() -> ToolDefinition {
    ToolDefinition::raw("t", "closes its scope").output_schema(JsonValue::empty_object()).body(
        |_, cx: RunContext| async move {
            if let Some(scope) = cx.call().scope() {
                scope.close();
            }
            Ok(JsonValue::from("the secret"))
        },
    )
}

#[tokio::test]
async fn post_policy_and_observers_outlive_the_scope_of_a_call_under_way() {
    let (everywhere, own) = (Journal::default(), Journal::default());
    let runtime = ToolRuntime::builder()
        .tool(closing_its_scope())
        .on_result(everywhere.observer())
        .build()
        .expect("valid");
    for hooks_of_the_scope in [false, true] {
        let agent = runtime.scope("agent");
        if hooks_of_the_scope {
            agent.on_post_execute(Redact);
            agent.on_result(own.observer());
        } else {
            runtime.on_post_execute(Redact);
        }
        assert_eq!(agent.execute(call("t", nobody())).await.text(), "redacted");
    }
    assert_eq!((everywhere.lines().len(), own.lines().len()), (2, 1));
}

#[tokio::test]
async fn a_call_through_a_closed_scope_is_still_seen_by_the_runtime() {
    let (journal, asked) = (Journal::default(), Counter::default());
    let counting = asked.clone();
    let runtime = ToolRuntime::builder()
        .tool(echo("t", &Counter::default()))
        .guard(move |_| {
            counting.add();
            None
        })
        .on_result(journal.observer())
        .build()
        .expect("valid");
    let agent = runtime.scope("agent");
    agent.close();
    assert_eq!(agent.execute(call("t", nobody())).await.code(), Some("UNKNOWN_TOOL"));
    assert_eq!((asked.get(), journal.lines()), (1, vec!["c1 UNKNOWN_TOOL".to_owned()]));
}

#[tokio::test]
async fn a_scope_of_another_runtime_is_refused() {
    let runs = Counter::default();
    let lax = ToolRuntime::builder().tool(echo("t", &runs)).build().expect("valid");
    let strict =
        ToolRuntime::builder().tool(echo("t", &runs)).guard(|_| Some("never".into())).build().expect("valid");
    let foreign = ToolCall::new("t", json!({}), CancellationToken::new()).in_scope(lax.scope("x"));
    assert_eq!(strict.execute(foreign).await.code(), Some("UNKNOWN_TOOL"));
    assert_eq!(runs.get(), 0);
}

#[tokio::test]
async fn a_weak_scope_keeps_nothing_alive_and_knows_when_it_is_over() {
    let runtime = ToolRuntime::builder().build().expect("valid");
    let (agent, other) = (runtime.scope("agent"), runtime.scope("other"));
    let weak = agent.downgrade();
    assert!(weak.is_open() && weak.id() == agent.id() && weak.id() != other.id());
    agent.close();
    // The next scope of that name is another.
    assert!(!weak.is_open() && weak.id() != runtime.scope("agent").id() && !weak.is_open());
    let weak = other.downgrade();
    drop((agent, other, runtime));
    assert!(!weak.is_open());
}
