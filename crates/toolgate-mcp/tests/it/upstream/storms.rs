//! Servers that do far too much: questions, requests, notices, messages, tools, schemas. Each is bounded, and costs nothing
//! but itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{Report, ToolExecution};
use toolgate_mcp::upstream::{Elicitation, ElicitationAnswer, Elicitor, Host};

use super::{Mounted, eventually, heard, host, lists, result, rule, says, settings, stub, tool, within};

/// A user who never answers.
#[derive(Default)]
struct Away {
    asked: AtomicUsize,
}

impl Elicitor for Away {
    fn elicit(&self, _: Elicitation) -> Pin<Box<dyn Future<Output = ElicitationAnswer> + Send + '_>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_questions_takes_no_more_than_a_few_places() {
    let ask = |n: usize, form: Value| {
        let params = json!({ "mode": "form", "message": "?", "requestedSchema": form });
        json!({ "jsonrpc": "2.0", "id": format!("q{n}"), "method": "elicitation/create", "params": params })
            .to_string()
    };
    let form = json!({ "type": "object", "properties": { "day": { "type": "string" } } });
    let huge = json!({ "type": "object", "properties": { "x".repeat(100_000): { "type": "string" } } });
    let mut questions = vec![ask(999, huge)];
    questions.extend((0..100).map(|n| ask(n, form.clone())));
    let stub = stub([
        lists(&[tool("t"), tool("u")]),
        rule("tools/call:t", questions),
        rule("tools/call:u", [says("here")]),
    ]);
    let user = Arc::new(Away::default());
    let host = Host { elicitor: Some(Arc::<Away>::clone(&user)), ..host() };
    let mounted =
        Mounted::with(vec![settings("s", &stub, json!({}))], host, ToolRuntime::builder().build().unwrap())
            .await;
    let stop = CancellationToken::new();
    let call = tokio::spawn(mounted.runtime.execute(ToolCall::new("mcp__s__t", json!({}), stop.clone())));
    let answers = |action: &str| {
        stub.heard()
            .iter()
            .filter(|message| message.pointer("/result/action") == Some(&json!(action)))
            .count()
    };
    eventually("all but eight are answered", || answers("cancel") == 92).await;
    assert_eq!((user.asked.load(Ordering::SeqCst), answers("decline")), (8, 1));
    assert_eq!(mounted.call("mcp__s__u", json!({})).await.text(), "here");
    stop.cancel();
    assert_eq!(within(Duration::from_secs(5), "the end", call).await.unwrap().code(), Some("ABORTED"));
    within(Duration::from_secs(15), "closing", mounted.servers.close()).await;
    assert_eq!(stub.processes(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_without_reading_the_answers_is_not_listened_to() {
    let ping = r#"{"jsonrpc":"2.0","id":"ping-$COUNT","method":"ping"}"#;
    let stub = stub([lists(&[tool("t")]), rule("tools/call", [format!("!flood {ping}")])]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let stop = CancellationToken::new();
    let call = tokio::spawn(mounted.runtime.execute(ToolCall::new("mcp__s__t", json!({}), stop.clone())));
    eventually("the call has arrived", || !heard(&stub, "tools/call").is_empty()).await;
    // It is held up in its writing, long before there is much in memory here.
    let mut last = (0, Instant::now());
    eventually("it writes no more", || {
        let written = stub.written();
        if written != last.0 {
            last = (written, Instant::now());
        }
        written > 0 && last.1.elapsed() > Duration::from_secs(2)
    })
    .await;
    assert!(last.0 < 8 << 20, "{} bytes were taken", last.0);
    stop.cancel();
    assert_eq!(within(Duration::from_secs(5), "the end", call).await.unwrap().code(), Some("ABORTED"));
    within(Duration::from_secs(15), "closing", mounted.servers.close()).await;
    assert_eq!(stub.processes(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_notices_is_heard_less_and_less_and_changes_nothing() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned();
    let list = result(json!({ "tools": [tool("t")] }));
    let stub = stub([rule("tools/list", [changed, list])]);
    let begun = Instant::now();
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let changes = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&changes);
    let agent = mounted.runtime.scope("agent");
    agent.on_change(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    eventually("it has been asked five times", || heard(&stub, "tools/list").len() >= 5).await;
    // 100, 200, 400 and 800 milliseconds lie between them.
    assert!(begun.elapsed() >= Duration::from_millis(1_500), "{:?}", begun.elapsed());
    assert_eq!(changes.load(Ordering::SeqCst), 0, "the same list is no change");
    mounted.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_message_without_an_end_the_beginning_is_passed_on() {
    let log = |logger: &str, data: Value| {
        let params = json!({ "level": "error", "logger": logger, "data": data });
        json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }).to_string()
    };
    let messages = [
        log(&"l\u{1b}".repeat(5_000), json!({ "n": 1 })),
        log("plain", json!({ "x": "y".repeat(1 << 20) })),
        // Messages that come with the answer may be too late.
        "!sleep 500".to_owned(),
        says("done"),
    ];
    let stub = stub([lists(&[tool("t")]), rule("tools/call", messages)]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    mounted.runtime.on_report(move |_: &ToolExecution, report: &Report| {
        if let Report::Message(message) = report {
            kept.lock().unwrap().push((message.source.clone().unwrap_or_default(), message.data.to_text()));
        }
    });
    assert_eq!(mounted.call("mcp__s__t", json!({})).await.text(), "done");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    for (source, data) in seen.iter() {
        assert!(source.chars().count() < 2_000 && !source.contains('\u{1b}'), "{source:.50}");
        assert!(data.len() < 20_000, "{} bytes of data", data.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strange_tools_cost_themselves_alone() {
    let named = |name: &str| json!({ "name": name, "inputSchema": {} });
    let mut tools = vec![
        named("a\u{202e}b"),
        named("x\u{0}\u{1b}[2Jy"),
        named("__proto__"),
        named("constructor"),
        named(&"n".repeat(200_000)),
        json!({ "name": "wordy", "inputSchema": {}, "description": "d".repeat(5_000_000) }),
        json!({ "name": "hidden", "inputSchema": {}, "description": "Adds.\u{202e}\u{200b}\u{1b}[8m" }),
        json!({ "name": "wide", "inputSchema": { "enum": (0..200_000).collect::<Vec<_>>() } }),
        tool("good"),
    ];
    tools.extend((0..10_000).map(|n| named(&format!("many{n}"))));
    let stub = stub([lists(&tools), rule("tools/call", [says("done")])]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({ "discovery_timeout": "30s" }))]).await;
    let names = mounted.names();
    let is_fit = |name: &String| {
        name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    assert!(names.len() <= 2_000 && names.iter().all(is_fit));
    assert_eq!(mounted.call("mcp__s__good", json!({})).await.text(), "done");
    let status = mounted.status();
    for name in ["nnn", "wordy", "wide"] {
        let held = status.quarantined.iter().find(|held| held.tool.starts_with(name));
        let held = held.unwrap_or_else(|| panic!("{name} is not held back"));
        assert!(held.tool.len() < 300 && held.reason.len() < 300, "{}", held.reason);
    }
    assert!(
        status.warnings.iter().any(|text| text.contains("more than 2000 tools")),
        "{:?}",
        status.warnings
    );
    let hidden = mounted.runtime.get("mcp__s__hidden").expect("a tool").description().to_owned();
    assert!(!hidden.contains(['\u{202e}', '\u{200b}', '\u{1b}']), "{hidden:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_nobody_waits_for_are_counted_and_reach_nobody() {
    let other = r#"{"jsonrpc":"2.0","id":999,"result":{"content":[{"type":"text","text":"stolen"}]}}"#;
    let late = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"late"}]}}"#;
    let stub = stub([
        lists(&[tool("slow"), tool("twice")]),
        // The first call is cancelled; its answer comes with that of the second.
        rule("tools/call:slow", []),
        rule("tools/call:twice", [other.to_owned(), late.to_owned(), says("first"), says("second")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let stop = CancellationToken::new();
    let call = tokio::spawn(mounted.runtime.execute(ToolCall::new("mcp__s__slow", json!({}), stop.clone())));
    eventually("the call has arrived", || !heard(&stub, "tools/call").is_empty()).await;
    assert_eq!(heard(&stub, "tools/call")[0]["id"], 2, "the late answer is about this one");
    stop.cancel();
    assert_eq!(call.await.unwrap().code(), Some("ABORTED"));
    for _ in 0..3 {
        assert_eq!(mounted.call("mcp__s__twice", json!({})).await.text(), "first");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_of_thousands_of_expressions_is_not_compiled() {
    let expressions: serde_json::Map<String, Value> =
        (0..5_000).map(|n| (format!("p{n}"), json!({ "pattern": format!("^\\w{{200}}{n}$") }))).collect();
    let bomb = json!({ "type": "object", "properties": expressions });
    let usual = json!({ "type": "object", "properties": { "id": { "type": "string", "pattern": "^[\\w-]{1,64}$" } } });
    let mut tools = vec![json!({ "name": "bomb", "inputSchema": bomb })];
    tools.push(json!({ "name": "usual", "inputSchema": usual }));
    let stub = stub([lists(&tools), rule("tools/call", [says("done")])]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    assert_eq!(mounted.names(), ["mcp__s__usual"]);
    let held = mounted.status().quarantined.remove(0);
    assert!(held.reason.contains("expressions"), "{}", held.reason);
    assert_eq!(mounted.call("mcp__s__usual", json!({ "id": "a-b" })).await.text(), "done");
    assert_eq!(mounted.call("mcp__s__usual", json!({ "id": "a b" })).await.code(), Some("INVALID_ARGS"));
    let long = mounted.call("mcp__s__usual", json!({ "id": "a".repeat(1 << 20) })).await;
    assert!(long.text().contains("too long to be held against"), "{:.200}", long.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_looks_everywhere_too_often_is_stopped() {
    let bounds: Vec<Value> = (0..3_000).map(|n| json!({ "minimum": -n })).collect();
    let all =
        json!({ "type": "object", "properties": { "l": { "type": "array", "items": { "allOf": bounds } } } });
    let named = json!({ "type": "object", "properties": { "l": {
        "type": "array", "items": { "enum": (0..3_000).map(|n| n + 100).collect::<Vec<i32>>() } } } });
    let places = json!({ "type": "object", "$defs": { "n": { "minimum": 0 } }, "properties": {
        "l": { "type": "array", "prefixItems": bounds, "items": { "$ref": "#/$defs/n" } } } });
    let with = |name: &str, schema: &Value| json!({ "name": name, "inputSchema": schema });
    let stub = stub([
        lists(&[with("all", &all), with("named", &named), with("places", &places)]),
        rule("tools/call", [says("done")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let list = |count: usize| json!({ "l": vec![100; count] });
    for (tool, fault) in [("all", "too long"), ("named", "too long"), ("places", "too large")] {
        let name = format!("mcp__s__{tool}");
        let called = within(Duration::from_secs(10), tool, mounted.call(&name, list(50_000))).await;
        assert_eq!(called.code(), Some("INVALID_ARGS"), "{tool}");
        assert!(called.text().contains(fault), "{tool}: {:.200}", called.text());
        assert_eq!(mounted.call(&name, list(20)).await.text(), "done", "{tool}");
    }
}
