//! The rules as a listener: what runs, what does not, and that nothing is ever allowed against another hook (P6, P7, K64).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{FailureCause, ToolDefinition};
use toolgate_policy::rules::Permissions;

use super::bench::builder;

/// A runtime with tools that count how often they ran.
struct Runs {
    runtime: ToolRuntime,
    count: Arc<AtomicUsize>,
}

impl Runs {
    fn new() -> Self {
        let count = Arc::new(AtomicUsize::new(0));
        let tool = |name: &str, effect| {
            let count = Arc::clone(&count);
            ToolDefinition::raw(name, "Counts.").output_schema(json!({})).effect(effect).body(
                move |args, _| {
                    count.fetch_add(1, Ordering::SeqCst);
                    async move { Ok(args) }
                },
            )
        };
        let runtime = ToolRuntime::builder()
            .tool(tool("look", ToolEffect::Pure))
            .tool(tool("pay", ToolEffect::Keyed))
            .tool(tool("bash", ToolEffect::NonIdempotent))
            .build()
            .expect("tools");
        Self { runtime, count }
    }

    /// Whether the body ran, and why not.
    async fn call(
        &self,
        scope: Option<&Scope>,
        name: &str,
        args: Value,
    ) -> Result<(), (FailureCause, String)> {
        let before = self.count.load(Ordering::SeqCst);
        let call = ToolCall::new(name, args, CancellationToken::new());
        let result = match scope {
            Some(scope) => scope.execute(call).await,
            None => self.runtime.execute(call).await,
        };
        let ran = self.count.load(Ordering::SeqCst) - before;
        let failure = result.error().map(|error| (error.cause(), error.message().to_owned()));
        assert_eq!(ran, usize::from(failure.is_none()), "{name}: {failure:?}");
        failure.map_or(Ok(()), Err)
    }
}

fn permissions(rules: &[&str]) -> Permissions {
    let folder = tempfile::tempdir().expect("a folder");
    Permissions::new(builder(folder.path(), rules).build().unwrap_or_else(|error| panic!("{error}")))
}

fn cause(result: Result<(), (FailureCause, String)>) -> Option<FailureCause> {
    result.err().map(|(cause, _)| cause)
}

#[tokio::test]
async fn where_rules_are_silent_only_what_changes_nothing_runs() {
    let runs = Runs::new();
    runs.runtime.on_pre_execute(permissions(&["deny pay(@/amount=100)", "allow pay(@/amount=1)"]));
    assert_eq!(runs.call(None, "look", json!({})).await, Ok(()));
    assert_eq!(runs.call(None, "pay", json!({ "amount": 1 })).await, Ok(()));
    assert_eq!(runs.call(None, "pay", json!({ "amount": 1.0 })).await, Ok(()));
    // Nobody can be asked here, so an ask is a denial.
    assert_eq!(
        cause(runs.call(None, "pay", json!({ "amount": 2 })).await),
        Some(FailureCause::ApprovalUnavailable)
    );
    for amount in [json!(100), json!(100.0), json!("100")] {
        let (cause, message) = runs.call(None, "pay", json!({ "amount": amount })).await.expect_err("denied");
        assert_eq!(cause, FailureCause::Denied);
        assert_eq!(message, "deny: the rule `pay(@/amount=100)` (--deny) decides");
    }
    let (_, message) = runs.call(None, "nothing", json!({})).await.expect_err("unknown");
    assert!(message.starts_with("there is no tool \"nothing\""), "{message}");
}

/// What the listeners beside the rules say.
struct Says(PreToolDecision);

impl PreExecute for Says {
    async fn pre_execute(&self, _call: &ToolExecution, _next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        Ok(self.0.clone())
    }
}

/// Fails, as a policy component may.
struct Fails;

impl PreExecute for Fails {
    async fn pre_execute(&self, _call: &ToolExecution, _next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        Err(ToolError::new("broken"))
    }
}

#[tokio::test]
async fn the_rules_never_allow_what_another_hook_refuses() {
    for (rule, expected_denied, expected_asked) in [
        ("allow pay", FailureCause::Denied, FailureCause::ApprovalUnavailable),
        ("ask pay", FailureCause::Denied, FailureCause::ApprovalUnavailable),
        ("deny pay", FailureCause::Denied, FailureCause::Denied),
    ] {
        for (says, expected) in [
            (PreToolDecision::deny("no"), expected_denied),
            (PreToolDecision::ask("sure?"), expected_asked),
            (PreToolDecision::Ask { reason: None }, expected_asked),
        ] {
            let runs = Runs::new();
            runs.runtime.on_pre_execute(permissions(&[rule]));
            runs.runtime.on_pre_execute(Says(says.clone()));
            assert_eq!(cause(runs.call(None, "pay", json!({})).await), Some(expected), "{rule}, {says:?}");
        }
        let runs = Runs::new();
        runs.runtime.on_pre_execute(permissions(&[rule]));
        runs.runtime.on_pre_execute(Fails);
        assert!(runs.call(None, "pay", json!({})).await.is_err(), "{rule}");
    }
}

#[tokio::test]
async fn a_scope_adds_rules_and_takes_none_away() {
    let runs = Runs::new();
    let folder = tempfile::tempdir().expect("a folder");
    let rules = |texts: &[&str]| builder(folder.path(), texts).build().expect("rules");
    let agent = runs.runtime.scope("agent");
    let child = agent.scope("child");
    let other = runs.runtime.scope("other");
    let permissions = Permissions::new(rules(&["deny bash(rm:*)", "allow bash(ls)"]))
        .with_scope(&agent, rules(&["allow bash(git status)", "allow bash(rm a)", "deny bash(ls)"]))
        .with_scope(&child, rules(&["allow pay"]));
    runs.runtime.on_pre_execute(permissions);
    let denied = Some(FailureCause::Denied);
    let asked = Some(FailureCause::ApprovalUnavailable);
    for (scope, name, args, expected) in [
        (Some(&agent), "bash", json!({ "command": "git status" }), None),
        (Some(&child), "bash", json!({ "command": "git status" }), None),
        (Some(&other), "bash", json!({ "command": "git status" }), asked),
        (None, "bash", json!({ "command": "git status" }), asked),
        (Some(&agent), "bash", json!({ "command": "rm a" }), denied),
        (Some(&child), "bash", json!({ "command": "ls" }), denied),
        (Some(&other), "bash", json!({ "command": "ls" }), None),
        (Some(&child), "pay", json!({}), None),
        (Some(&agent), "pay", json!({}), asked),
    ] {
        let found = cause(runs.call(scope, name, args.clone()).await);
        assert_eq!(found, expected, "{scope:?} {name} {args}");
    }
}
