//! What policy says of a call that is not made: every stage before dispatch but approval, and nothing after it.

use toolgate::prelude::*;
use toolgate::{FailureCause, PolicyReview};

use crate::support::{Counter, Journal, echo, nobody};

struct Rules;

impl PreExecute for Rules {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        match call.arguments().get("say").and_then(|said| said.as_str()) {
            Some("deny") => Ok(PreToolDecision::deny("not today")),
            Some("ask") => Ok(PreToolDecision::ask("look first")),
            Some("fail") => Err(ToolError::new("no idea")),
            Some(_) | None => next.run().await,
        }
    }
}

fn cause(review: &PolicyReview) -> Option<FailureCause> {
    match review {
        PolicyReview::Refused(failure) => Some(failure.cause()),
        PolicyReview::Allowed | PolicyReview::Asks { .. } => None,
    }
}

#[tokio::test]
async fn a_review_asks_policy_and_makes_no_call() {
    let (runs, journal) = (Counter::default(), Journal::default());
    let runtime = ToolRuntime::builder().tool(echo("echo", &runs)).build().expect("set-up");
    runtime.on_pre_execute(Rules);
    runtime.on_result(journal.observer());
    runtime
        .guard(|call| (call.arguments() == &serde_json::json!({ "say": "guard" })).then(|| "no".to_owned()));
    let scope = runtime.scope("agent");
    let call = |name: &str, said: &str| {
        let arguments = serde_json::json!({ "say": said });
        ToolCall::new(name, arguments, CancellationToken::new()).in_scope(scope.clone())
    };

    assert_eq!(runtime.review(call("echo", "hello")).await, PolicyReview::Allowed);
    let asks = PolicyReview::Asks { reason: Some("look first".to_owned()) };
    assert_eq!(runtime.review(call("echo", "ask")).await, asks);
    for (name, said, expected) in [
        ("echo", "deny", FailureCause::Denied),
        ("echo", "fail", FailureCause::HookFailed),
        ("echo", "guard", FailureCause::GuardDenied),
        ("other", "hello", FailureCause::UnknownTool),
    ] {
        assert_eq!(cause(&runtime.review(call(name, said)).await), Some(expected), "{name} {said}");
    }
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let review = runtime.review(ToolCall::new("echo", nobody(), cancelled)).await;
    assert_eq!(cause(&review), Some(FailureCause::AbortedBeforeDispatch));

    let _mask = scope.restrict(ToolRestriction::deny(["echo"])).expect("a restriction");
    assert_eq!(cause(&runtime.review(call("echo", "hello")).await), Some(FailureCause::UnknownTool));
    assert_eq!((runs.get(), journal.lines()), (0, Vec::new()));
}

#[test]
fn the_identity_of_a_scope_says_who_is_below_it() {
    let runtime = ToolRuntime::builder().build().expect("set-up");
    let (parent, other) = (runtime.scope("parent"), runtime.scope("other"));
    let child = parent.scope("child");
    assert!(child.is_within(parent.id()) && child.is_within(child.id()));
    assert!(!parent.is_within(child.id()) && !other.is_within(parent.id()));
    let closed = child.id();
    child.close();
    assert!(!parent.scope("child").is_within(closed), "a place is used once");
}
