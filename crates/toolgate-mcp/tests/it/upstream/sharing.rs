//! Who shares a server, how many calls it gets at once, and what its hints are worth.

use std::time::Duration;

use serde_json::json;
use toolgate::{CancellationToken, ToolCall, ToolEffect, ToolExecutionMode, ToolRuntime};
use toolgate_mcp::upstream::{MountError, Servers};

use super::{Mounted, eventually, heard, host, lists, rule, says, settings, stub, tool};

#[tokio::test(flavor = "multi_thread")]
async fn each_session_that_mounts_a_server_has_one_of_its_own_k44() {
    let (own, shared) = (stub([lists(&[tool("own")])]), stub([lists(&[tool("shared")])]));
    let runtime = ToolRuntime::builder().build().unwrap();
    let all =
        Servers::mount(vec![settings("all", &shared, json!({ "shared": true }))], host(), &runtime).unwrap();
    let (one, two) = (runtime.scope("one"), runtime.scope("two"));
    let mount = |scope| Servers::mount(vec![settings("each", &own, json!({}))], host(), scope).unwrap();
    let (first, second) = (mount(&one), mount(&two));
    all.settled().await;
    first.settled().await;
    second.settled().await;
    for scope in [&one, &two] {
        let names: Vec<String> = scope.schemas().into_iter().map(|schema| schema.name).collect();
        assert_eq!(names, ["mcp__all__shared", "mcp__each__own"]);
    }
    assert_eq!((heard(&own, "initialize").len(), heard(&shared, "initialize").len()), (2, 1));
    first.close().await;
    assert!(one.get("mcp__each__own").is_none() && two.get("mcp__each__own").is_some());
    second.close().await;
    drop(all);
    eventually("dropping ends the processes too", || shared.processes() == 0).await;
    assert_eq!(own.processes(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_calls_are_under_way_than_the_settings_say() {
    let stub = stub([
        lists(&[tool("hold"), tool("echo")]),
        rule("tools/call:hold", []),
        rule("tools/call:echo", [says("here")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({ "concurrency": 1 }))]).await;
    let stop = CancellationToken::new();
    let spawn = |name: &str, stop: &CancellationToken| {
        let (runtime, call) = (mounted.runtime.clone(), ToolCall::new(name, json!({}), stop.clone()));
        tokio::spawn(async move { runtime.execute(call).await })
    };
    let held = spawn("mcp__s__hold", &stop);
    eventually("the first has arrived", || heard(&stub, "tools/call").len() == 1).await;
    let waiting = CancellationToken::new();
    let given_up = spawn("mcp__s__echo", &waiting);
    let echoed = spawn("mcp__s__echo", &CancellationToken::new());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(heard(&stub, "tools/call").len(), 1, "the others wait for their turn");
    waiting.cancel();
    assert_eq!(given_up.await.unwrap().code(), Some("ABORTED"), "who waits can be cancelled");
    stop.cancel();
    assert_eq!(held.await.unwrap().code(), Some("ABORTED"));
    assert_eq!(echoed.await.unwrap().text(), "here");
    assert_eq!(heard(&stub, "tools/call").len(), 2, "what was given up while it waited was never sent");
}

#[tokio::test]
async fn hints_count_only_where_the_settings_believe_them() {
    let hinted = |name: &str, hint: &str| json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": { hint: true } });
    let stub = stub([lists(&[hinted("look", "readOnlyHint"), hinted("set", "idempotentHint"), tool("pay")])]);
    let declared = json!({ "look": { "effect": "non_idempotent" } });
    for (more, effects) in [
        (json!({}), [ToolEffect::NonIdempotent; 3]),
        (
            json!({ "trust_annotations": true }),
            [ToolEffect::Pure, ToolEffect::Idempotent, ToolEffect::NonIdempotent],
        ),
        (
            json!({ "trust_annotations": true, "tools": declared }),
            [ToolEffect::NonIdempotent, ToolEffect::Idempotent, ToolEffect::NonIdempotent],
        ),
    ] {
        let mounted = Mounted::new(vec![settings("s", &stub, more)]).await;
        for (tool, effect) in ["look", "set", "pay"].iter().zip(effects) {
            let name = format!("mcp__s__{tool}");
            assert_eq!(mounted.runtime.get(&name).unwrap().effect(), effect, "{tool}");
            let call = ToolCall::new(name.as_str(), json!({}), CancellationToken::new());
            let is_parallel = mounted.runtime.execution_mode(&call) == ToolExecutionMode::Parallel;
            assert_eq!(is_parallel, effect == ToolEffect::Pure, "R7: {tool}");
        }
    }
}

#[tokio::test]
async fn what_cannot_be_mounted_leaves_nothing_behind() {
    let stub = stub([lists(&[tool("t")])]);
    let runtime = ToolRuntime::builder().build().unwrap();
    let twice = vec![settings("s", &stub, json!({})), settings("s", &stub, json!({}))];
    assert!(matches!(Servers::mount(twice, host(), &runtime), Err(MountError::Duplicate(_))));
    assert_eq!(stub.processes(), 0);
    let mounted =
        Mounted::new(vec![settings("s", &stub, json!({ "deny": ["rm"], "tools": { "x": {} } }))]).await;
    assert!(
        mounted.status().warnings[0].ends_with("that it does not have: rm, x"),
        "{:?}",
        mounted.status().warnings
    );
}
