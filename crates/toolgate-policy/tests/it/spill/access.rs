//! Reading happens under the policy of the call that the content came from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolgate::prelude::*;

use super::bench::{Bench, handle, large};

#[tokio::test]
async fn only_the_scope_that_made_the_call_and_those_below_it_know_a_handle() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let (parent, other) = (bench.runtime.scope("parent"), bench.runtime.scope("other"));
    let child = parent.scope("child");
    let of_parent = handle(&bench.call_as(&parent, "big", json!({})).await);
    let of_child = handle(&bench.call_as(&child, "big", json!({})).await);
    let nobodys = ToolCall::new("big", json!({}), CancellationToken::new());
    let of_nobody = handle(&bench.runtime.execute(nobodys).await);
    let unknown = Some("SPILL_UNKNOWN_HANDLE".to_owned());
    for (scope, handle, expected) in [
        (&parent, &of_parent, None),
        (&child, &of_parent, None),
        (&child, &of_child, None),
        (&parent, &of_child, unknown.clone()),
        (&other, &of_parent, unknown.clone()),
        (&other, &of_nobody, unknown.clone()),
    ] {
        assert_eq!(bench.refusal_of(scope, handle).await, expected, "{scope:?}");
    }
    for (handle, expected) in [(&of_nobody, None), (&of_parent, unknown.as_deref())] {
        let call = ToolCall::new("spill_read", json!({ "handle": handle }), CancellationToken::new());
        assert_eq!(bench.runtime.execute(call).await.code(), expected);
    }
    // A scope of the same name that was made anew is another agent.
    parent.close();
    assert_eq!(bench.refusal_of(&bench.runtime.scope("parent"), &of_parent).await, unknown);
}

#[tokio::test]
async fn a_handle_of_another_runtime_is_unknown() {
    let (mine, theirs) = (Bench::new(), Bench::new());
    mine.gives("big", large(50_000));
    theirs.gives("big", large(50_000));
    let handle = handle(&theirs.call("big", json!({})).await);
    assert_eq!(mine.refusal(&handle).await.as_deref(), Some("SPILL_UNKNOWN_HANDLE"));
    assert_eq!(theirs.refusal(&handle).await, None);
}

#[tokio::test]
async fn hostile_handles_lead_nowhere() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let real = handle(&bench.call("big", json!({})).await);
    let zeros = format!("spill_{}", "0".repeat(32));
    let upper = real.to_uppercase();
    let file = bench.files()[0].to_str().unwrap().to_owned();
    for (handle, code) in [
        ("", "INVALID_ARGS"),
        ("1", "INVALID_ARGS"),
        ("1.text", "INVALID_ARGS"),
        ("../../etc/passwd", "INVALID_ARGS"),
        ("spill_../../../../../../../../../etc/passwd", "INVALID_ARGS"),
        ("spill_+0000000000000000000000000000000", "INVALID_ARGS"),
        (&format!("{real} "), "INVALID_ARGS"),
        (&format!("{real}\0"), "INVALID_ARGS"),
        (&upper, "INVALID_ARGS"),
        (&file, "INVALID_ARGS"),
        (&zeros, "SPILL_UNKNOWN_HANDLE"),
    ] {
        for tool in ["spill_read", "spill_grep", "spill_query"] {
            let arguments = match tool {
                "spill_grep" => json!({ "handle": handle, "pattern": "x" }),
                "spill_query" => json!({ "handle": handle, "pointer": "" }),
                _ => json!({ "handle": handle }),
            };
            assert_eq!(bench.call(tool, arguments).await.code(), Some(code), "{tool} {handle:?}");
        }
    }
}

/// What a listener says of every call of `big`, once it is switched on.
#[derive(Clone)]
struct Says {
    is_on: Arc<AtomicBool>,
    decision: HookResult<PreToolDecision>,
}

impl PreExecute for Says {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if call.name() == "big" && self.is_on.load(Ordering::SeqCst) {
            return self.decision.clone();
        }
        next.run().await
    }
}

#[tokio::test]
async fn a_policy_that_would_refuse_the_call_now_refuses_the_reading() {
    let refused = Some("SPILL_REFUSED".to_owned());
    for (decision, expected) in [
        (Ok(PreToolDecision::Allow), None),
        // It was answered when the call was made.
        (Ok(PreToolDecision::ask("look")), None),
        (Ok(PreToolDecision::deny("not any more")), refused.clone()),
        (Err(ToolError::new("cannot tell")), refused),
    ] {
        let bench = Bench::new();
        bench.gives("big", large(50_000));
        let is_on = Arc::new(AtomicBool::new(false));
        bench.runtime.on_pre_execute(Says { is_on: Arc::clone(&is_on), decision: decision.clone() });
        let handle = handle(&bench.call("big", json!({})).await);
        assert_eq!(bench.refusal(&handle).await, None);
        is_on.store(true, Ordering::SeqCst);
        assert_eq!(bench.refusal(&handle).await, expected, "{decision:?}");
        is_on.store(false, Ordering::SeqCst);
        assert_eq!(bench.refusal(&handle).await, None, "it is asked each time");
    }
}

#[tokio::test]
async fn guards_see_the_name_and_arguments_of_the_call() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let open = handle(&bench.call("big", json!({ "path": "open" })).await);
    let closed = handle(&bench.call("big", json!({ "path": "closed" })).await);
    let guard = bench.runtime.guard(|call| {
        let path = call.arguments().get("path").and_then(|path| path.as_str().map(str::to_owned));
        (call.name() == "big" && path.as_deref() == Some("closed")).then(|| "it is closed".to_owned())
    });
    assert_eq!(bench.refusal(&open).await, None);
    let result = bench.call("spill_read", json!({ "handle": closed })).await;
    assert_eq!(result.code(), Some("SPILL_REFUSED"));
    assert!(result.text().contains("it is closed"), "{}", result.text());
    guard.dispose();
    assert_eq!(bench.refusal(&closed).await, None);
}

#[tokio::test]
async fn a_tool_that_the_reader_does_not_see_lets_nothing_through() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let parent = bench.runtime.scope("parent");
    let child = parent.scope("child");
    let handle = handle(&bench.call_as(&parent, "big", json!({})).await);
    let mask = child.restrict(ToolRestriction::deny(["big"])).unwrap();
    assert_eq!(bench.refusal_of(&child, &handle).await.as_deref(), Some("SPILL_REFUSED"));
    assert_eq!(bench.refusal_of(&parent, &handle).await, None);
    mask.dispose();
    assert_eq!(bench.refusal_of(&child, &handle).await, None);
}

#[tokio::test]
async fn reading_is_a_call_of_its_own_for_policy() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let handle = handle(&bench.call("big", json!({})).await);
    bench.runtime.guard(|call| (call.name() == "spill_read").then(|| "no reading".to_owned()));
    let result = bench.call("spill_read", json!({ "handle": handle })).await;
    assert!(result.text().contains("no reading"), "{}", result.text());
}
