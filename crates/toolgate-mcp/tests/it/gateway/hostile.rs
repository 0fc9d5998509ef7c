//! Clients of the gateway that mean no good, or are mistaken: who asks and does not read, uses an id twice, shakes hands
//! twice or not at all, comes with a stranger's handle, session or event.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use toolgate::prelude::*;
use toolgate::{Progress, Report};
use toolgate_mcp::gateway::{Access, Credential, Gateway, GatewayLimits, HttpOptions, Secret};
use toolgate_policy::person::{Approvals, People};

use super::asking::AsksAboutEcho;
use super::support::{
    Client, NEW, OLD, PATIENCE, Served, World, call, eventually, initialize, meta, new_call, raw, runtime,
    runtime_with,
};

#[tokio::test]
async fn a_client_that_does_not_read_can_still_cancel() {
    let world = World::default();
    let told = Arc::new(AtomicUsize::new(0));
    let (began, reports) = (world.clone(), Arc::clone(&told));
    let runtime = runtime_with(&world, |tools| {
        tools.tool(raw("chatter", json!({ "type": "string" }), move |_, cx| {
            let (world, told) = (began.clone(), Arc::clone(&reports));
            async move {
                for done in 0..u32::MAX {
                    let message = Some("x".repeat(4_000));
                    cx.report(&Report::Progress(Progress { done: done.into(), total: None, message }));
                    told.fetch_add(1, Ordering::SeqCst);
                    tokio::select! {
                        () = cx.cancellation().cancelled() => break,
                        () = tokio::task::yield_now() => {}
                    }
                }
                world.stopped.fetch_add(1, Ordering::SeqCst);
                Err(ToolError::new("stopped"))
            }
        }))
    });
    let gateway = Gateway::of(runtime.scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let mut chatter = call(1, "chatter", json!({}));
    chatter["params"]["_meta"] = json!({ "progressToken": "p" });
    client.send(chatter).await;
    // Far more than the socket takes.
    eventually("much has been told", || told.load(Ordering::SeqCst) > 2_000).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    client.send(cancel).await;
    eventually("the call has stopped", || world.stopped() == 1).await;
    client.leave().await;
}

#[tokio::test]
async fn who_asks_without_reading_the_answers_is_not_read_any_more() {
    let gateway = Gateway::of(runtime(&World::default()).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let line = |n: usize| json!({ "jsonrpc": "2.0", "id": n, "method": "tools/list" }).to_string();
    let mut sent = 0;
    // A write that does not come to its end means that nobody reads.
    while timeout(Duration::from_secs(1), client.send_text(&line(sent + 1))).await.is_ok() {
        sent += 1;
        assert!(sent < 100_000, "everything is taken, and its answers pile up");
    }
    // Who reads again is answered: in any order, each once.
    let mut answered = std::collections::HashSet::new();
    for _ in 0..sent {
        let answer = client.receive().await;
        assert!(
            answer["result"]["tools"].is_array() && answered.insert(answer["id"].to_string()),
            "{answer}"
        );
    }
    client.leave().await;
}

#[tokio::test]
async fn an_id_that_is_used_twice_and_a_second_handshake_end_nothing() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    client.send(call(7, "wait", json!({}))).await;
    client.send(call(7, "wait", json!({}))).await;
    client.send(call("7", "wait", json!({}))).await;
    eventually("all of them run", || world.began() == 3).await;
    let again = client.ask(initialize(OLD, "another", &json!({ "elicitation": {} }))).await;
    assert!(again["result"].is_object() || again["error"].is_object(), "{again}");
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 8, "method": "ping" })).await;
    assert_eq!(pong["id"], 8, "{pong}");
    client.leave().await;
    eventually("none of them is left", || world.stopped() == 3).await;
}

#[tokio::test]
async fn a_storm_of_subscriptions_is_told_once_and_bounded() {
    let agent = runtime(&World::default()).scope("agent");
    let gateway = Gateway::of(agent.clone()).build();
    let tool = |name: &str| raw(name, json!({ "type": "string" }), |_, _| async { Ok(JsonValue::from("x")) });
    let mut client = Client::initialized(&gateway, json!({})).await;
    for _ in 0..200 {
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    assert_eq!(pong["id"], 1);
    agent.register(tool("one")).unwrap();
    assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
    agent.register(tool("two")).unwrap();
    assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
    let pong = client.ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
    assert_eq!(pong["id"], 2, "each change is told once: {pong}");
    client.leave().await;

    let mut client = Client::connect(&gateway);
    for id in 0..30 {
        let params = json!({ "_meta": meta(json!({})), "notifications": { "toolsListChanged": true } });
        let listen =
            json!({ "jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params });
        client.send(listen).await;
    }
    for _ in 0..14 {
        while client.receive().await["error"]["code"] != -32000 {}
    }
    client.leave().await;
}

#[tokio::test]
async fn strange_hosts_and_pages_are_refused_whatever_they_ask() {
    let served = Served::start(
        Gateway::of(runtime(&World::default()).scope("agent")).build(),
        HttpOptions::new(Access::Everybody),
    )
    .await;
    let id = served.session(&[]).await;
    for strange in [
        ("host", "evil.example"),
        ("host", "localhost.evil.example"),
        ("host", "127.0.0.1.evil.example:80"),
        ("host", "169.254.169.254"),
        ("origin", "http://evil.example"),
        ("origin", "http://localhost.evil.example"),
        ("origin", "file://"),
    ] {
        for method in ["POST", "GET", "DELETE"] {
            let body = if method == "POST" { call(1, "add", json!({})).to_string() } else { String::new() };
            let headers = [strange, ("mcp-session-id", id.as_str())];
            let answer = served.request(method, "/mcp", &headers, &body).await;
            assert_eq!(answer.status, 403, "{method} {strange:?}: {answer:?}");
        }
    }
    let answer = served.post(&[("mcp-session-id", &id)], &call(1, "add", json!({ "a": 1, "b": 1 }))).await;
    assert_eq!(answer.message()["result"]["structuredContent"]["sum"], 2, "nobody ended it: {answer:?}");
    served.stop().await;
}

#[tokio::test]
async fn before_a_handshake_nothing_runs() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::connect(&gateway);
    client.send(call(1, "echo", json!({}))).await;
    client.close_input();
    client.leave().await;
    let served = Served::start(gateway, HttpOptions::new(Access::Everybody)).await;
    for headers in [
        &[][..],
        &[("mcp-session-id", "x")],
        &[("mcp-session-id", "")],
        &[("mcp-protocol-version", OLD)],
        &[("mcp-protocol-version", "1999-01-01")],
    ] {
        let answer = served.post(headers, &call(1, "echo", json!({}))).await;
        assert!((400..500).contains(&answer.status), "{headers:?}: {answer:?}");
    }
    assert_eq!(world.began(), 0);
    served.stop().await;
}

#[tokio::test]
async fn strange_event_ids_lead_nowhere() {
    let served = Served::start(
        Gateway::of(runtime(&World::default()).scope("agent")).build(),
        HttpOptions::new(Access::Everybody),
    )
    .await;
    let id = served.session(&[]).await;
    let huge = "9".repeat(40_000);
    for event in ["99999999999999999999999", "-1", "18446744073709551615", "1 OR 1", "", "1/2", huge.as_str()]
    {
        let headers = [("mcp-session-id", id.as_str()), ("last-event-id", event)];
        let mut stream = served.open("GET", "/mcp", &headers, "").await;
        let mut head = [0; 12];
        let read = tokio::io::AsyncReadExt::read_exact(&mut stream, &mut head);
        timeout(PATIENCE, read).await.expect("an answer").expect("an answer");
        assert!(head.starts_with(b"HTTP/1.1 "), "{event:.40}: {head:?}");
    }
    let answer = served.post(&[("mcp-session-id", &id)], &call(2, "add", json!({ "a": 1, "b": 1 }))).await;
    assert_eq!(answer.message()["result"]["structuredContent"]["sum"], 2, "{answer:?}");
    served.stop().await;
}

#[tokio::test]
async fn a_handle_is_of_no_use_with_another_credential() {
    let world = World::default();
    let people = People::new();
    let runtime = runtime_with(&world, |tools| tools.approver(Approvals::new(people.clone())));
    runtime.on_pre_execute(AsksAboutEcho);
    let gateway = Gateway::of(runtime.scope("agent")).people(&people).build();
    let credential = |name: &str| Credential::new(name, Secret::new(format!("{name}-token")));
    let access = Access::Credentials(vec![credential("ada"), credential("bob")]);
    let served = Served::start(gateway, HttpOptions::new(access)).await;
    let with = |token: &'static str| {
        [
            ("authorization", token),
            ("mcp-protocol-version", NEW),
            ("mcp-method", "tools/call"),
            ("mcp-name", "echo"),
        ]
    };
    let forms = json!({ "elicitation": { "form": {} } });
    let first = new_call(1, "echo", json!({ "n": 1 }), forms);
    let wanted = served.post(&with("Bearer ada-token"), &first).await.message();
    assert_eq!(wanted["result"]["resultType"], "input_required", "{wanted}");
    let key = wanted["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut again = first;
    again["params"]["requestState"] = wanted["result"]["requestState"].clone();
    again["params"]["inputResponses"] = json!({ key: { "action": "accept", "content": {} } });
    let stolen = served.post(&with("Bearer bob-token"), &again).await;
    assert_eq!(stolen.message()["error"]["code"], -32602, "{stolen:?}");
    assert_eq!(world.began(), 0, "somebody else's yes is none");
    let mine = served.post(&with("Bearer ada-token"), &again).await;
    assert_eq!(mine.message()["result"]["content"][0]["text"], "{\"n\":1}", "{mine:?}");
    assert_eq!(world.began(), 1);
    served.stop().await;
}

#[tokio::test]
async fn of_ten_thousand_calls_at_once_those_run_that_may() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let mut client = Client::initialized(&gateway, json!({})).await;
    let most = GatewayLimits::default().calls;
    let mut refused = 0;
    for n in 0..10_000 {
        client.send(call(n + 1, "wait", json!({}))).await;
        if n >= most {
            let answer = client.receive().await;
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
            refused += 1;
        }
    }
    assert_eq!((world.began(), refused), (most, 10_000 - most));
    client.leave().await;
    eventually("none is left", || world.stopped() == most).await;
}

#[tokio::test]
async fn nothing_secret_is_shown() {
    let secret = "s3cret-token";
    let access = Access::Credentials(vec![Credential::new("ada", Secret::new(secret)).for_profile("files")]);
    let options = HttpOptions::new(access);
    assert!(!format!("{options:?}").contains(secret), "{options:?}");
    let served = Served::start(Gateway::of(runtime(&World::default()).scope("agent")).build(), options).await;
    let answers = [
        served.post(&[("authorization", "Bearer s3cret-token-not")], &initialize(OLD, "t", &json!({}))).await,
        served.post(&[("authorization", "Basic s3cret-token")], &initialize(OLD, "t", &json!({}))).await,
        served.request("POST", "/mcp/other", &[("authorization", "Bearer s3cret-token")], "{}").await,
    ];
    for answer in answers {
        assert!((400..500).contains(&answer.status), "{answer:?}");
        assert!(!format!("{answer:?}").contains(secret), "{answer:?}");
    }
    served.stop().await;
}
