//! Frames of clients: versions, lists, arguments and values without loss, and what cannot be taken.

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_mcp::gateway::{Gateway, GatewayLimits};

use super::support::{Client, NEW, OLD, World, call, initialize, meta, new_call, raw, runtime, runtime_with};

fn gateway(world: &World) -> Gateway {
    Gateway::of(runtime(world).scope("agent")).build()
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken_and_a_newer_one_is_answered_with_the_newest_of_them() {
    let cases = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (OLD, OLD),
        (NEW, OLD),
        ("2999-01-01", OLD),
    ];
    for (asked, given) in cases {
        let mut client = Client::connect(&gateway(&World::default()));
        let answer = client.ask(initialize(asked, "test", &json!({}))).await;
        assert_eq!(answer["result"]["protocolVersion"], given, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "toolgate");
        let capabilities = json!({ "tools": { "listChanged": true }, "logging": {} });
        assert_eq!(answer["result"]["capabilities"], capabilities, "only what is served");
        client.leave().await;
    }
}

#[tokio::test]
async fn requests_that_stand_alone_are_answered_without_a_handshake() {
    let mut client = Client::connect(&gateway(&World::default()));
    let discover = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta(json!({})) } });
    let discovered = client.ask(discover).await;
    assert!(
        discovered["result"]["supportedVersions"].as_array().unwrap().contains(&json!(NEW)),
        "{discovered}"
    );

    let called = client.ask(new_call(2, "add", json!({ "a": 40, "b": 2 }), json!({}))).await;
    assert_eq!(called["result"]["structuredContent"], json!({ "sum": 42 }), "{called}");
    assert_eq!(called["result"]["resultType"], "complete");

    let unknown = client.ask(new_call(3, "nothing", json!({}), json!({}))).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.leave().await;
}

#[tokio::test]
async fn a_list_says_what_the_scope_sees_with_names_that_lead_back() {
    let world = World::default();
    let named = |name: &str| {
        let own = name.to_owned();
        raw(name, json!({ "type": "array", "items": {} }), move |_, _| {
            let own = own.clone();
            async move { Ok(JsonValue::array([JsonValue::from(own)])) }
        })
    };
    let runtime = runtime_with(&world, |tools| tools.tool(named("größe/von")).tool(named("größe_von")));
    let gateway = Gateway::of(runtime.scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let list = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })).await;
    let tools = list["result"]["tools"].as_array().expect("a list").clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names[..5], ["echo", "add", "wait", "report", "fail"], "in the order of the scope (K13)");

    let add = &tools[1];
    assert_eq!(
        add["inputSchema"],
        json!({ "type": "object", "properties": { "a": {}, "b": {} } }),
        "as registered"
    );
    assert_eq!(add["outputSchema"]["required"], json!(["sum"]));
    assert_eq!(add["annotations"], json!({ "readOnlyHint": true }));
    assert_eq!(tools[0]["annotations"], json!({ "readOnlyHint": false, "idempotentHint": false }));
    assert_eq!(tools[0].get("outputSchema"), None, "anything is no schema for structure");

    for (tool, own) in [(&tools[5], "größe/von"), (&tools[6], "größe_von")] {
        let told = tool["name"].as_str().unwrap();
        assert!(told.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)), "R2a: {told}");
        assert_eq!(tool["title"], own);
        assert_eq!(tool.get("outputSchema"), None, "older clients know objects only");
        let answer = client.ask(call(2, told, json!({}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], format!("[\"{own}\"]"), "{answer}");
    }
    assert_ne!(tools[5]["name"], tools[6]["name"]);
    client.leave().await;

    let mut client = Client::connect(&gateway);
    let list =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta(json!({})) } });
    let list = client.ask(list).await;
    assert_eq!(
        list["result"]["tools"][5]["outputSchema"]["type"], "array",
        "newer ones know any value: {list}"
    );
    client.leave().await;
}

#[tokio::test]
async fn integers_travel_both_ways_unchanged_and_what_would_lose_digits_fails_that_call_with_its_path() {
    let world = World::default();
    let mut client = Client::initialized(&gateway(&world), json!({})).await;
    for number in ["9007199254740993", "18446744073709551615", "-9223372036854775808"] {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"n":{number}}}}}}}"#
        );
        client.send_text(&frame).await;
        let answer = client.receive_text().await;
        assert!(answer.contains(&format!(r#"{{\"n\":{number}}}"#)), "K24: {answer}");
    }
    let began = world.began();

    let bad = [
        (r#"{"rows":[{"n":12345678901234567890123}]}"#, "rows[0].n"),
        (r#"{"a":{"k":1,"k":2}}"#, "a.k"),
        (r#"{"n":1e999}"#, "n"),
        (r#"{"text":"\ud800"}"#, "text"),
    ];
    for (arguments, path) in bad {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        );
        client.send_text(&frame).await;
        let answer = client.receive().await;
        assert_eq!(answer["id"], 7);
        assert_eq!(answer["result"]["isError"], true, "K24: {answer}");
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains(path), "K24: {answer}");
    }
    assert_eq!(world.began(), began, "no body saw them");
    let answer = client.ask(call(8, "add", json!({ "a": 1, "b": 2 }))).await;
    assert_eq!(answer["result"]["structuredContent"]["sum"], 3, "the connection goes on");
    client.leave().await;
}

#[tokio::test]
async fn arguments_may_be_deeper_than_the_parser_of_the_protocol_takes() {
    let world = World::default();
    let mut client = Client::initialized(&gateway(&world), json!({})).await;
    let nested = |levels: usize| format!(r#"{{"deep":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    let frame = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        )
    };
    client.send_text(&frame(&nested(500))).await;
    let answer = client.receive().await;
    assert_eq!(answer["result"]["content"][0]["text"], nested(500), "the text has every level");

    client.send_text(&frame(&nested(100_000))).await;
    let answer = client.receive().await;
    assert!(answer["result"]["isError"] == true || answer["error"]["code"].is_i64(), "{answer}");

    // Deep elsewhere: the request alone fails.
    let meta = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{{"_meta":{{"x":{}{}}}}}}}"#,
        "[".repeat(300),
        "]".repeat(300)
    );
    client.send_text(&meta).await;
    let answer = client.receive().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(3), &json!(-32600)), "{answer}");
    client.leave().await;
}

#[tokio::test]
async fn arguments_that_are_no_object_reach_neither_policy_nor_body() {
    let world = World::default();
    let strict =
        tool_fn("strict", "Takes a text.", |args: Text, _cx: RunContext| async move { Ok(args.text) });
    let runtime = runtime_with(&world, |tools| tools.tool(strict));
    let gateway = Gateway::of(runtime.scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    for arguments in [json!([1]), Value::Null, json!("x"), json!({ "text": 1 })] {
        let answer = client.ask(call(1, "strict", arguments.clone())).await;
        assert_eq!(answer["result"]["isError"], true, "K21: {arguments}: {answer}");
    }
    client.leave().await;
}

#[derive(serde::Deserialize, Schema)]
struct Text {
    text: String,
}

#[tokio::test]
async fn what_cannot_be_taken_is_answered_and_ends_nothing() {
    let world = World::default();
    let limits = GatewayLimits { message_bytes: 2_000, ..GatewayLimits::default() };
    let gateway = Gateway::of(runtime(&world).scope("agent")).limits(limits).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let long =
        format!(r#"{{"jsonrpc":"2.0","id":"long","method":"tools/list","x":"{}"}}"#, "x".repeat(3_000));
    let cases = [
        ("this is no JSON", Value::Null, -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null, -32600),
        ("{\"id\":5,\"method\":\"ping\"}", json!(5), -32600),
        (long.as_str(), json!("long"), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"no/such/method\"}", json!(6), -32601),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"nome\":1}}",
            json!(7),
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
            json!(8),
            -32602,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"resources/list\"}", json!(9), -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"prompts/list\"}", json!(10), -32601),
    ];
    for (frame, id, code) in cases {
        client.send_text(frame).await;
        let answer = client.receive().await;
        assert_eq!(answer["error"]["code"], code, "{frame}: {answer}");
        assert_eq!(answer.get("id").unwrap_or(&Value::Null), &id, "{frame}: {answer}");
    }
    // Expects no answer, and gets none.
    client.send_text("").await;
    client
        .send_text(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"n\":99999999999999999999999}}",
        )
        .await;
    let answer = client.ask(json!({ "jsonrpc": "2.0", "id": 11, "method": "ping" })).await;
    assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 11, "result": {} }));
    client.leave().await;
}
