//! Generations: what a server's tools become when it says that they have changed (K42).

use std::time::Duration;

use serde_json::json;
use toolgate::ToolRestriction;

use super::{Mounted, error, eventually, heard, lists, once, result, rule, says, settings, stub, tool};

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_notices_is_one_new_generation_and_the_filter_holds_k42() {
    let all = [tool("change"), tool("look"), tool("rm_all")];
    let mut burst = vec![says("changed")];
    burst.extend(std::iter::repeat_n([CHANGED.to_owned(), "!sleep 5".to_owned()], 10).flatten());
    let stub = stub([
        once("tools/list", [result(json!({ "tools": all[..2] }))]),
        lists(&all),
        rule("tools/call:change", burst),
        rule("tools/call", [says("done")]),
    ]);
    let open = settings("open", &stub, json!({}));
    let mounted = Mounted::new(vec![open]).await;
    let agent = mounted.runtime.scope("agent");
    agent.restrict(ToolRestriction::allow(["mcp__open__change", "mcp__open__look"])).unwrap();
    assert_eq!(mounted.call("mcp__open__change", json!({})).await.text(), "changed");
    eventually("the new tool is there", || mounted.names().len() == 3).await;
    assert!(agent.get("mcp__open__rm_all").is_none(), "R3: allow keeps later names out");
    assert!(agent.get("mcp__open__look").is_some());
    tokio::time::sleep(Duration::from_millis(300)).await;
    let asked = heard(&stub, "tools/list").len();
    assert!((2..=3).contains(&asked), "the first list and at most two more, not {asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_settings_do_not_admit_does_not_come_with_a_change_k42() {
    let stub = stub([
        once("tools/list", [result(json!({ "tools": [tool("change")] }))]),
        lists(&[tool("change"), tool("rm_all"), tool("look")]),
        rule("tools/call:change", [says("changed"), CHANGED.to_owned()]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({ "deny": ["rm_*"] }))]).await;
    mounted.call("mcp__s__change", json!({})).await;
    eventually("the new list is in place", || mounted.names().len() == 2).await;
    assert_eq!(mounted.names(), ["mcp__s__change", "mcp__s__look"]);
    assert_eq!(mounted.call("mcp__s__rm_all", json!({})).await.code(), Some("UNKNOWN_TOOL"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_under_way_keeps_its_definition_k42() {
    let output =
        |kind: &str| json!({ "type": "object", "properties": { "n": { "type": kind } }, "required": ["n"] });
    let slow = |kind: &str| json!({ "name": "slow", "inputSchema": {}, "outputSchema": output(kind) });
    // The answer to `slow` comes with that of `finish`, long after its definition has changed.
    let late = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"n":1}}}"#;
    let stub = stub([
        once("tools/list", [result(json!({ "tools": [slow("integer"), tool("finish")] }))]),
        lists(&[slow("string"), tool("finish")]),
        rule("tools/call:slow", [CHANGED.to_owned()]),
        rule("tools/call:finish", [late.to_owned(), says("finished")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let before = mounted.runtime.get("mcp__s__slow").unwrap();
    let runtime = mounted.runtime.clone();
    let call = toolgate::ToolCall::new("mcp__s__slow", json!({}), toolgate::CancellationToken::new());
    let under_way = tokio::spawn(async move { runtime.execute(call).await });
    eventually("the definition is another one", || {
        mounted.runtime.get("mcp__s__slow").is_some_and(|now| now.identity() != before.identity())
    })
    .await;
    assert_eq!(heard(&stub, "tools/call")[0]["id"], 2);
    assert_eq!(mounted.call("mcp__s__finish", json!({})).await.text(), "finished");
    let answer = under_way.await.unwrap();
    assert!(!answer.is_error(), "judged by the definition that it began with: {}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_cannot_be_read_changes_nothing() {
    let stub = stub([
        once("tools/list", [result(json!({ "tools": [tool("change")] }))]),
        rule("tools/list", [error(-32603, "not today")]),
        rule("tools/call:change", [says("changed"), CHANGED.to_owned()]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    mounted.call("mcp__s__change", json!({})).await;
    eventually("the failure is told", || !mounted.status().warnings.is_empty()).await;
    assert!(mounted.status().warnings[0].contains("not today"));
    assert_eq!(mounted.names(), ["mcp__s__change"]);
    assert_eq!(mounted.call("mcp__s__change", json!({})).await.text(), "changed");
}
