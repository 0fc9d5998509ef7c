//! The gateway in front of servers: what a client says about its call reaches the server that carries it out, and no other
//! (K45); arguments that are wrong reach none (K21).

use serde_json::{Value, json};
use toolgate::ToolRuntime;
use toolgate_mcp::gateway::Gateway;

use super::support::{Client, call};
use crate::upstream::{Mounted, eventually, heard, host, lists, rule, says, settings, stub, tool};

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_goes_to_the_one_server_with_its_own_id_k45() {
    let server = || stub([lists(&[tool("slow"), tool("quick")]), rule("tools/call:quick", [says("here")])]);
    let (a, b) = (server(), server());
    let configs = vec![settings("a", &a, json!({})), settings("b", &b, json!({}))];
    let mounted = Mounted::with(configs, host(), ToolRuntime::builder().build().unwrap()).await;
    let gateway = Gateway::of(mounted.runtime.scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    // The ids of the server run ahead of those of the client.
    for id in 1..5 {
        let answer = client.ask(call(id, "mcp__a__quick", json!({}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], "here", "{answer}");
    }
    let slow = |stub: &crate::stub::Stub, n: u64| -> Option<Value> {
        let calls = heard(stub, "tools/call");
        Some(calls.iter().find(|call| call["params"]["arguments"]["n"] == n)?["id"].clone())
    };
    client.send(call(7, "mcp__a__slow", json!({ "n": 1 }))).await;
    client.send(call("7", "mcp__a__slow", json!({ "n": 2 }))).await;
    client.send(call(8, "mcp__b__slow", json!({ "n": 3 }))).await;
    eventually("the calls are there", || {
        slow(&a, 1).is_some() && slow(&a, 2).is_some() && slow(&b, 3).is_some()
    })
    .await;
    let upstream = slow(&a, 1).unwrap();
    assert_ne!(upstream, json!(7), "the ids differ, or this shows nothing");
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    client.send(cancel).await;
    eventually("the server hears of it", || !heard(&a, "notifications/cancelled").is_empty()).await;
    let answer = client.ask(call(9, "mcp__b__quick", json!({}))).await;
    assert_eq!(answer["id"], 9, "the other calls wait still: {answer}");
    let cancelled = heard(&a, "notifications/cancelled");
    assert_eq!(cancelled.len(), 1, "{cancelled:?}");
    assert_eq!(cancelled[0]["params"]["requestId"], upstream);
    assert_eq!(heard(&b, "notifications/cancelled"), Vec::<Value>::new());
    client.leave().await;
    mounted.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_wrong_stop_at_the_gateway_k21() {
    let schema = json!({ "type": "object", "properties": { "all": { "type": "boolean" } } });
    let server =
        stub([lists(&[json!({ "name": "t", "inputSchema": schema })]), rule("tools/call", [says("done")])]);
    let mounted = Mounted::new(vec![settings("s", &server, json!({}))]).await;
    let gateway = Gateway::of(mounted.runtime.scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    for (id, arguments) in
        [r#"{"all":"yes"}"#, "[1]", "null", r#""x""#, r#"{"all":true,"all":false}"#].iter().enumerate()
    {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"mcp__s__t","arguments":{arguments}}}}}"#
        );
        client.send_text(&text).await;
        let answer = client.receive().await;
        assert!(answer["result"]["isError"] == true || answer["error"].is_object(), "{arguments}: {answer}");
    }
    assert_eq!(heard(&server, "tools/call"), Vec::<Value>::new(), "the server has heard of none");
    let answer = client.ask(call(9, "mcp__s__t", json!({ "all": true }))).await;
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    client.leave().await;
    mounted.servers.close().await;
}
