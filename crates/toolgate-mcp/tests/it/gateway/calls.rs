//! Calls: the whole pipeline stands before them, they can be cancelled by their id alone, and they tell how they go.

use std::time::Duration;

use serde_json::json;
use toolgate::ToolDefinition;
use toolgate::prelude::*;
use toolgate_mcp::gateway::{Gateway, GatewayLimits};

use super::support::{Client, World, call, eventually, meta, new_call, raw, runtime, runtime_with};

#[tokio::test]
async fn a_denial_is_the_same_through_the_gateway_as_anywhere_else() {
    let world = World::default();
    let runtime = runtime(&world);
    let agent = runtime.scope("agent");
    agent.guard(|call| (call.name() == "echo").then(|| "echo is not allowed here".to_owned()));
    let direct = agent.execute(ToolCall::new("echo", json!({}), CancellationToken::new())).await;

    let gateway = Gateway::of(agent).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let answer = client.ask(call(1, "echo", json!({}))).await;
    let content = json!([{ "type": "text", "text": direct.text() }]);
    assert_eq!(answer["result"], json!({ "content": content, "isError": true }), "K12");
    assert_eq!(world.began(), 0, "K12");
    client.leave().await;
}

#[tokio::test]
async fn a_failure_is_a_result_and_an_image_is_an_image() {
    let world = World::default();
    let picture = ToolDefinition::raw("picture", "A picture.")
        .raw_parameters(json!({ "type": "object" }))
        .output_schema(json!({ "type": "string" }))
        .render(|_, value| {
            let audio = json!({ "type": "audio", "data": "QQ==", "mimeType": "audio/wav" });
            let strange = json!({ "type": "hologram", "of": "x" });
            let other =
                |block: serde_json::Value| ContentBlock::from_json(&JsonValue::new(block).unwrap()).unwrap();
            let image = ContentBlock::image(value.as_str().unwrap_or_default(), "image/png");
            Ok(vec![image, other(audio), other(strange)])
        })
        .body(|_, cx| async move {
            cx.defer_context(UserMessage::text("test", "remember this"));
            Ok(JsonValue::from("iVBORw=="))
        });
    let runtime = runtime_with(&world, |tools| tools.tool(picture));
    let gateway = Gateway::of(runtime.scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let answer = client.ask(call(1, "fail", json!({}))).await;
    let text = json!([{ "type": "text", "text": "Error: it did not work" }]);
    assert_eq!(answer["result"], json!({ "content": text, "isError": true }));

    let answer = client.ask(call(2, "picture", json!({}))).await;
    let content = json!([
        { "type": "image", "data": "iVBORw==", "mimeType": "image/png" },
        { "type": "audio", "data": "QQ==", "mimeType": "audio/wav" },
        { "type": "text", "text": "{\"type\":\"hologram\",\"of\":\"x\"}" },
        { "type": "text", "text": "remember this" },
    ]);
    assert_eq!(
        answer["result"]["content"], content,
        "what is left for the next request comes with the result (P15)"
    );
    client.leave().await;
}

#[tokio::test]
async fn a_cancellation_stops_the_call_of_that_id_and_no_other() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    client.send(call(7, "wait", json!({}))).await;
    client.send(call("7", "wait", json!({}))).await;
    eventually("both run", || world.began() == 2).await;

    let cancel =
        |id| json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    client.send(cancel(json!(7))).await;
    eventually("one has stopped", || world.stopped() == 1).await;
    client.send(cancel(json!(8))).await;
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    assert_eq!(pong["id"], 1, "a cancelled call is not answered");
    assert_eq!(world.stopped(), 1, "K45: the text is another id than the number");

    client.send(cancel(json!("7"))).await;
    eventually("the other has stopped", || world.stopped() == 2).await;
    client.leave().await;
}

#[tokio::test]
async fn a_client_that_goes_away_has_its_calls_cancelled_and_awaited() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    client.send(call(1, "wait", json!({}))).await;
    eventually("it runs", || world.began() == 1).await;
    client.leave().await;
    assert_eq!(world.stopped(), 1, "the connection ends when its calls have come to rest");
}

#[tokio::test]
async fn a_client_that_closes_its_side_early_gets_the_answers_that_are_due() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    client.send(call(1, "add", json!({ "a": 1, "b": 1 }))).await;
    client.close_input();
    assert_eq!(client.receive().await["result"]["structuredContent"]["sum"], 2);
    client.leave().await;
}

#[tokio::test]
async fn progress_and_messages_reach_the_client_that_asked_for_them() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;

    let mut with_progress = call(1, "report", json!({}));
    with_progress["params"]["_meta"] = json!({ "progressToken": "p" });
    client.send(with_progress.clone()).await;
    let mut seen = Vec::new();
    loop {
        let message = client.receive().await;
        if message["id"] == 1 {
            break;
        }
        seen.push((message["method"].clone(), message["params"].clone()));
    }
    let progress = |done: f64| json!({ "progressToken": "p", "progress": done, "total": 2.0 });
    let told: Vec<_> = seen.iter().filter(|(method, _)| method == "notifications/progress").collect();
    assert_eq!(told.len(), 2, "progress grows: {seen:?}");
    assert_eq!((&told[0].1, &told[1].1), (&progress(1.0), &progress(2.0)));
    let told: Vec<_> = seen.iter().filter(|(method, _)| method == "notifications/message").collect();
    let much = json!({ "level": "error", "logger": "report", "data": "much" });
    assert_eq!(
        told.iter().map(|(_, params)| params).collect::<Vec<_>>(),
        [&much],
        "by default not the least ones"
    );

    let set = json!({ "jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": { "level": "emergency" } });
    assert_eq!(client.ask(set).await["result"], json!({}));
    let answer = client.ask(call(3, "report", json!({}))).await;
    assert_eq!(answer["id"], 3, "no token, no progress; nothing as severe, no message: {answer}");
    client.leave().await;

    let mut client = Client::connect(&gateway);
    let quiet = client.ask(new_call(1, "report", json!({}), json!({}))).await;
    assert_eq!(quiet["id"], 1, "who does not ask for messages gets none: {quiet}");
    let set = json!({
        "jsonrpc": "2.0", "id": 9, "method": "logging/setLevel",
        "params": { "level": "error", "_meta": meta(json!({})) },
    });
    assert_eq!(client.ask(set).await["error"]["code"], -32601, "each request says it for itself");
    let mut loud = new_call(2, "report", json!({}), json!({}));
    loud["params"]["_meta"] = meta(json!({}));
    loud["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("error");
    assert_eq!(client.ask(loud).await["params"]["data"], "much");
    client.leave().await;
}

#[tokio::test]
async fn a_change_of_tools_is_told_once_and_only_where_it_can_be_seen() {
    let world = World::default();
    let limits = GatewayLimits { change_pause: Duration::from_millis(100), ..GatewayLimits::default() };
    let runtime = runtime(&world);
    let agent = runtime.scope("agent");
    let gateway = Gateway::of(agent.clone()).limits(limits).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    assert_eq!(pong["id"], 1);

    let tool = |name: &str| raw(name, json!({ "type": "string" }), |_, _| async { Ok(JsonValue::from("x")) });
    // Elsewhere, or undone at once: nothing that this client could see.
    runtime.scope("other").register(tool("elsewhere")).unwrap();
    agent.register(tool("brief")).unwrap().dispose();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
    assert_eq!(pong["id"], 2, "{pong}");

    for name in ["one", "two", "three"] {
        agent.register(tool(name)).unwrap();
    }
    assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" })).await;
    assert_eq!(pong["id"], 3, "told once: {pong}");
    client.leave().await;
}

#[tokio::test]
async fn a_subscription_tells_of_changes_in_the_newer_era() {
    let world = World::default();
    let agent = runtime(&world).scope("agent");
    let gateway = Gateway::of(agent.clone()).build();
    let mut client = Client::connect(&gateway);
    let listen = json!({
        "jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen",
        "params": { "_meta": meta(json!({})), "notifications": { "toolsListChanged": true } },
    });
    let acknowledged = client.ask(listen).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    agent
        .register(raw("new", json!({ "type": "string" }), |_, _| async { Ok(JsonValue::from("x")) }))
        .unwrap();
    assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
    client.leave().await;
}

#[tokio::test]
async fn more_calls_than_may_be_are_refused_and_room_comes_back() {
    let world = World::default();
    let limits = GatewayLimits { calls: 2, ..GatewayLimits::default() };
    let gateway = Gateway::of(runtime(&world).scope("agent")).limits(limits).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    client.send(call(1, "wait", json!({}))).await;
    client.send(call(2, "wait", json!({}))).await;
    eventually("both run", || world.began() == 2).await;
    let refused = client.ask(call(3, "add", json!({}))).await;
    assert_eq!(refused["error"]["code"], -32000, "{refused}");

    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }))
        .await;
    eventually("one has stopped", || world.stopped() == 1).await;
    let mut id = 4;
    while client.ask(call(id, "add", json!({}))).await.get("result").is_none() {
        id += 1;
        assert!(id < 1_000, "room comes back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.leave().await;
}
