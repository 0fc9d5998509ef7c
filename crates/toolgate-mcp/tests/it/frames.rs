//! What of a server's messages can be taken, and what becomes of the rest (K24, K31, S4, S6).

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_mcp::FrameLimits;
use toolgate_mcp::transport::connect_stdio;

use crate::client::Client;
use crate::stub::{Stub, supervisor};

/// The line that answers a call with a structured result.
fn answer(structured: &str) -> Vec<String> {
    vec![format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"content":[],"structuredContent":{structured}}}}}"#
    )]
}

fn nested(levels: usize) -> String {
    r#"{"a":"#.repeat(levels) + "1" + &"}".repeat(levels)
}

/// A server whose tool `ok` answers 1, and the others as given.
async fn server_of(calls: &[(&str, Vec<String>)], limits: FrameLimits) -> (Stub, Client) {
    let names: Vec<String> = calls.iter().map(|(name, _)| format!("tools/call:{name}")).collect();
    let mut rules: Vec<(&str, Vec<String>)> =
        names.iter().zip(calls).map(|(name, (_, acts))| (name.as_str(), acts.clone())).collect();
    rules.push(("tools/call:ok", answer(r#"{"n":1}"#)));
    let stub = Stub::answering(&rules);
    let mut server = stub.server();
    server.limits.frame = limits;
    let client = Client::connect(connect_stdio(server, &supervisor()).unwrap()).await.unwrap();
    (stub, client)
}

/// K24: integers cross exactly, whatever is around them.
#[tokio::test]
async fn answers_arrive_as_they_were_sent() {
    let exact = r#"{"a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808,"d":0.1,"e":"\ud83d\ude00"}"#;
    let deep = nested(900);
    let (_stub, client) =
        server_of(&[("exact", answer(exact)), ("deep", answer(&deep))], FrameLimits::default()).await;
    let (raw, seen) = client.call("exact").await.unwrap();
    let value = &raw.result()["structuredContent"];
    assert_eq!(value["a"].as_u64(), Some(9_007_199_254_740_993));
    assert_eq!(value["b"].as_u64(), Some(u64::MAX));
    assert_eq!(value["c"].as_i64(), Some(i64::MIN));
    assert_eq!(value["e"], "😀");
    assert_eq!(serde_json::to_value(&seen).unwrap()["structuredContent"], *value, "rmcp sees the same");
    let (raw, _) = client.call("deep").await.unwrap();
    let mut at = &raw.result()["structuredContent"];
    let mut levels = 0;
    while let Some(next) = at.get("a") {
        (at, levels) = (next, levels + 1);
    }
    assert_eq!((levels, at), (900, &Value::from(1)));
}

/// One call fails, with the reason and the path; the connection and the next call do not notice.
#[tokio::test]
async fn an_answer_that_cannot_be_taken_fails_its_call_alone() {
    let long = format!("\"{}\"", "x".repeat(70_000));
    let late = |text: &str| {
        vec![format!(r#"{{"result":{{"content":[],"structuredContent":{text}}},"jsonrpc":"2.0","id":$ID}}"#)]
    };
    let table: Vec<(&str, Vec<String>, &str)> = vec![
        ("digits", answer(r#"{"n":[0,12345678901234567890123]}"#), "result.structuredContent.n[1]"),
        ("overflow", answer(r#"{"n":1e400}"#), "result.structuredContent.n"),
        ("zero", answer(r#"{"n":-0}"#), "result.structuredContent.n"),
        ("twice", answer(r#"{"n":1,"n":2}"#), "result.structuredContent.n"),
        ("surrogate", answer(r#"{"n":"\ud800"}"#), "result.structuredContent.n"),
        ("deep", answer(&nested(1_001)), "1000 levels"),
        ("deeper", late(&nested(5_000)), "1000 levels"),
        ("long", answer(&long), "longer than 65536 bytes"),
        ("late", late(&long), "longer than 65536 bytes"),
        ("cut", vec![r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":["#.to_owned()], "end"),
    ];
    let calls: Vec<(&str, Vec<String>)> = table.iter().map(|(name, acts, _)| (*name, acts.clone())).collect();
    let limits = FrameLimits { max_bytes: 1 << 16, ..FrameLimits::default() };
    let (_stub, client) = server_of(&calls, limits).await;
    for (name, _, expected) in &table {
        let message = client.fail(name).await;
        assert!(message.contains("cannot be taken"), "{name}: {message}");
        assert!(message.contains(expected), "{name}: {message}");
        assert!(message.len() < 400, "{name}: {message}");
        let (raw, _) = client.call("ok").await.unwrap();
        assert_eq!(raw.result()["structuredContent"]["n"], 1, "after {name}");
    }
    assert_eq!(client.diagnostics.refused_messages().0, table.len() as u64);
}

/// Bytes that are no UTF-8 name their request all the same.
#[tokio::test]
async fn bytes_that_are_no_text_fail_their_call() {
    let hex = |text: &[u8]| text.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    // The greeting has the id 0, and this call 1.
    let lines: Vec<String> = (0..2)
        .map(|id| {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[],\"structuredContent\":\"\u{1}\"}}}}");
            format!("!bytes {}", hex(line.as_bytes()).replace("2201", "22ff"))
        })
        .collect();
    let (_stub, client) = server_of(&[("bytes", lines)], FrameLimits::default()).await;
    assert!(client.fail("bytes").await.contains("UTF-8"));
    client.call("ok").await.unwrap();
}

/// K31: each tool that cannot be taken is quarantined, and the others stay.
#[tokio::test]
async fn a_page_of_tools_is_mended() {
    let tool = |name: &str, schema: &str| format!(r#"{{"name":"{name}","inputSchema":{schema}}}"#);
    let tools = [
        tool("first", r#"{"type":"object"}"#),
        tool("abyss", &nested(5_000)),
        tool("deep", &nested(200)),
        tool("digits", r#"{"maximum":12345678901234567890123}"#),
        tool("twice", r#"{"type":"object","type":"array"}"#),
        r#"{"name":"bare"}"#.to_owned(),
        r#"{"name":7,"inputSchema":{}}"#.to_owned(),
        tool("last", r#"{"type":"object","properties":{"n":{"maximum":9007199254740993}}}"#),
    ];
    let page = |tools: &[String]| {
        vec![format!(
            r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":[{}],"nextCursor":"next"}}}}"#,
            tools.join(",")
        )]
    };
    // Once with what no parser takes, once with what only `rmcp` does not.
    let shallow: Vec<String> = [0, 2, 5, 6, 7].iter().map(|at: &usize| tools[*at].clone()).collect();
    for (tools, expected) in [
        (&tools[..], &["abyss", "deep", "digits", "twice", "bare", "?"][..]),
        (&shallow[..], &["deep", "bare", "?"]),
    ] {
        let stub = Stub::answering(&[("tools/list", page(tools))]);
        let connected = connect_stdio(stub.server(), &supervisor()).unwrap();
        let client = Client::connect(connected).await.unwrap();
        let seen = client.service.list_tools(None).await.unwrap();
        let names: Vec<&str> = seen.tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["first", "last"]);
        assert_eq!(
            seen.tools[1].input_schema["properties"]["n"]["maximum"],
            json!(9_007_199_254_740_993_u64)
        );
        assert_eq!(seen.next_cursor.as_deref(), Some("next"));
        let quarantined = client.diagnostics.take_quarantined();
        let names: Vec<&str> = quarantined.iter().map(|tool| tool.name.as_deref().unwrap_or("?")).collect();
        assert_eq!(names, expected);
        for tool in &quarantined {
            assert!(!tool.reason.is_empty() && tool.reason.len() < 500, "{tool:?}");
        }
        let digits = quarantined.iter().find(|tool| tool.name.as_deref() == Some("digits"));
        assert!(digits.is_none_or(|tool| tool.reason.contains("inputSchema.maximum")), "{digits:?}");
        assert_eq!(client.diagnostics.take_quarantined(), []);
    }
}

/// A page whose fault is in no tool fails as a whole, and the connection stays.
#[tokio::test]
async fn a_page_that_cannot_be_mended_fails_alone() {
    let page = r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[],"nextCursor":-0}}"#;
    let stub = Stub::answering(&[("tools/list", vec![page.to_owned()]), ("tools/call", answer("1"))]);
    let client = Client::connect(connect_stdio(stub.server(), &supervisor()).unwrap()).await.unwrap();
    let error = client.service.list_tools(None).await.unwrap_err().to_string();
    assert!(error.contains("result.nextCursor"), "{error}");
    client.call("any").await.unwrap();
}

/// What is no message is counted, and its beginning is kept; answers that nobody waits for do no harm.
#[tokio::test]
async fn noise_is_counted_and_ignored() {
    let mut acts: Vec<String> =
        ["", "Listening on port 3000…", "[INFO] {\"a\":1}", r#"{"level":"info","message":"hi"}"#]
            .map(str::to_owned)
            .to_vec();
    acts.push(r#"{"jsonrpc":"2.0","id":999,"result":{}}"#.to_owned());
    acts.push("x".repeat(100_000));
    let mut call = acts.clone();
    call.extend(answer("1"));
    let stub = Stub::new(json!({ "start": acts, "rules": [{ "on": "tools/call", "send": call }] }));
    let mut server = stub.server();
    server.limits.frame.max_bytes = 1 << 16;
    let client = Client::connect(connect_stdio(server, &supervisor()).unwrap()).await.unwrap();
    client.call("any").await.unwrap();
    let noise = client.diagnostics.noise();
    assert_eq!(noise.count, 10);
    assert_eq!(noise.first.len(), 5);
    assert_eq!(noise.first[..2], ["Listening on port 3000…", "[INFO] {\"a\":1}"]);
    assert_eq!(client.diagnostics.refused_messages().0, 2, "two answers that nobody waits for");
}

/// A request of the server that cannot be taken is refused to the server, under its id.
#[tokio::test]
async fn a_request_that_cannot_be_taken_is_refused_to_the_server() {
    let ask = r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"n":1e400}}"#;
    let mut acts = vec![ask.to_owned()];
    acts.extend(answer("1"));
    let stub = Stub::answering(&[("tools/call", acts)]);
    let client = Client::connect(connect_stdio(stub.server(), &supervisor()).unwrap()).await.unwrap();
    client.call("any").await.unwrap();
    let refusal = poll(|| stub.heard().into_iter().find(|message| message["id"] == "q")).await;
    assert_eq!(refusal["error"]["code"], -32600);
    assert!(refusal["error"]["message"].as_str().unwrap().contains("params.n"), "{refusal}");
}

/// Looks until there is something to see.
pub(crate) async fn poll<T>(look: impl Fn() -> Option<T>) -> T {
    for _ in 0..1_000 {
        if let Some(seen) = look() {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it did not come to be");
}
