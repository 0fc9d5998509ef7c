//! Calls: what reaches the server, what comes back, and what a deadline does (K01, K21, K24, K33, K43).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate::Report;
use toolgate::prelude::*;
use toolgate_policy::{DeadlineConfig, Deadlines};

use super::{
    Mounted, error, eventually, heard, host, lists, once, result, rule, says, settings, stub, tool, within,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_never_answered_ends_at_its_deadline_and_the_server_is_told_k01() {
    let stub = stub([
        lists(&[tool("hang"), tool("echo")]),
        rule("tools/call:hang", []),
        rule("tools/call:echo", [says("here")]),
    ]);
    let more = json!({ "tools": { "hang": { "timeout": "500ms" } } });
    let runtime = ToolRuntime::builder().plugin(Deadlines::new(DeadlineConfig::default())).build().unwrap();
    let mounted = Mounted::with(vec![settings("s", &stub, more)], host(), runtime).await;
    let begun = Instant::now();
    let hung = mounted.call("mcp__s__hang", json!({})).await;
    assert_eq!(hung.code(), Some("TOOL_TIMEOUT"), "{}", hung.text());
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let echoed = mounted.call("mcp__s__echo", json!({})).await;
    assert_eq!(echoed.text(), "here");
    eventually("the cancel arrived", || !heard(&stub, "notifications/cancelled").is_empty()).await;
    let hung_id = heard(&stub, "tools/call")[0]["id"].clone();
    let cancels = heard(&stub, "notifications/cancelled");
    assert_eq!((cancels.len(), &cancels[0]["params"]["requestId"]), (1, &hung_id));
    mounted.servers.close().await;
    assert_eq!(stub.processes(), 0, "nothing is left of the server");
}

#[tokio::test]
async fn arguments_that_are_wrong_never_reach_the_server_k21() {
    let schema = json!({ "type": "object", "properties": { "all": { "type": "boolean" } } });
    let stub = stub([
        lists(&[json!({ "name": "t", "inputSchema": schema }), json!({ "name": "any", "inputSchema": {} })]),
        rule("tools/call", [says("done")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    for name in ["mcp__s__t", "mcp__s__any"] {
        for arguments in [json!([1]), json!(null), json!("x"), json!(7)] {
            let refused = mounted.call(name, arguments.clone()).await;
            assert_eq!(refused.code(), Some("INVALID_ARGS"), "{arguments}");
        }
    }
    let cut_off = toolgate::UncheckedJson::unreadable("the arguments are cut off");
    let call = ToolCall::new("mcp__s__t", cut_off, CancellationToken::new());
    assert_eq!(mounted.runtime.execute(call).await.code(), Some("INVALID_ARGS"));
    assert_eq!(mounted.call("mcp__s__t", json!({ "all": 1 })).await.code(), Some("INVALID_ARGS"));
    assert_eq!(heard(&stub, "tools/call"), Vec::<Value>::new(), "the server has heard of none");
    assert_eq!(mounted.call("mcp__s__t", json!({ "all": true })).await.text(), "done");
    assert_eq!(heard(&stub, "tools/call").len(), 1);
}

#[tokio::test]
async fn integers_are_exact_in_both_directions_k24() {
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"a":9007199254740993,"b":18446744073709551615}}}"#;
    let too_large = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"a":[0,12345678901234567890123]}}}"#;
    let stub = stub([
        lists(&[tool("echo"), tool("lossy"), tool("fine")]),
        rule("tools/call:echo", [answer.to_owned()]),
        rule("tools/call:lossy", [too_large.to_owned()]),
        rule("tools/call:fine", [says("still here")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let arguments: Value =
        serde_json::from_str(r#"{"a":9007199254740993,"b":18446744073709551615}"#).unwrap();
    let echoed = mounted.call("mcp__s__echo", arguments.clone()).await;
    let value = echoed.value().unwrap();
    assert_eq!(
        value.to_text(),
        r#"{"content":[],"structuredContent":{"a":9007199254740993,"b":18446744073709551615}}"#
    );
    let sent = heard(&stub, "tools/call");
    assert_eq!(sent[0]["params"]["arguments"].to_string(), arguments.to_string());
    let lossy = mounted.call("mcp__s__lossy", json!({})).await;
    assert_eq!(lossy.code(), Some("INVALID_TOOL_OUTPUT"), "{}", lossy.text());
    assert!(lossy.text().contains("structuredContent.a[1]"), "{}", lossy.text());
    assert_eq!(mounted.call("mcp__s__fine", json!({})).await.text(), "still here");
}

#[tokio::test]
async fn a_failure_is_told_in_the_servers_words_k33() {
    let quota = json!({ "content": [{ "type": "text", "text": "quota" }], "isError": true });
    let output = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let with_output = json!({ "name": "t", "inputSchema": {}, "outputSchema": output });
    let stub = stub([
        lists(&[with_output, tool("mute"), tool("refused")]),
        rule("tools/call:t", [result(quota)]),
        rule("tools/call:mute", [result(json!({ "isError": true }))]),
        rule("tools/call:refused", [error(-32602, "no such \u{202e}thing")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let failed = mounted.call("mcp__s__t", json!({})).await;
    assert_eq!((failed.text(), failed.code()), ("Error: quota".to_owned(), None));
    assert!(mounted.call("mcp__s__mute", json!({})).await.text().contains("does not say which"));
    let refused = mounted.call("mcp__s__refused", json!({})).await.text();
    assert!(refused.contains(r"no such \u{202e}thing (code -32602)"), "{refused}");
}

#[tokio::test]
async fn every_block_is_kept_and_shown_as_far_as_a_model_can_see_it() {
    let content = json!([
        { "type": "text", "text": "hello", "annotations": { "priority": 0.8, "x": 1 } },
        { "type": "image", "data": "aGk=", "mimeType": "image/png" },
        { "type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "file:///a", "text": "inside" } },
        { "type": "resource", "resource": { "uri": "file:///b", "blob": "aGVsbG8=", "mimeType": "application/x" } },
        { "type": "resource_link", "uri": "file:///c", "name": "c" },
        { "type": "hologram", "depth": 3 }
    ]);
    let stub = stub([
        lists(&[tool("t"), tool("bare")]),
        rule("tools/call:t", [result(json!({ "content": content }))]),
        rule("tools/call:bare", [result(json!({ "content": [], "structuredContent": { "n": 1 } }))]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let shown = mounted.call("mcp__s__t", json!({})).await;
    assert_eq!(*shown.value().unwrap(), json!({ "content": content }));
    let blocks = shown.content();
    assert_eq!(blocks[0], ContentBlock::text("hello"));
    assert_eq!(blocks[1], ContentBlock::image("aGk=", "image/png"));
    let texts: Vec<&str> = blocks[2..].iter().filter_map(ContentBlock::as_text).collect();
    assert_eq!(texts[0], "[audio, audio/wav, 5 bytes; in the value it is content[2]]");
    assert_eq!(texts[1], "<file:///a>\ninside");
    assert!(texts[2].contains("<file:///b>, application/x, 5 bytes") && texts[2].contains("content[4]"));
    assert!(texts[3].contains("link to c <file:///c>") && texts[4].contains("hologram"), "{texts:?}");
    assert_eq!(mounted.call("mcp__s__bare", json!({})).await.text(), r#"{"n":1}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_stops_talking_does_not_keep_a_call_from_being_cancelled() {
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}"#;
    let stub = stub([lists(&[tool("t")]), rule("tools/call", [format!("!flood {progress}")])]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let stop = CancellationToken::new();
    let call = ToolCall::new("mcp__s__t", json!({}), stop.clone());
    let running = tokio::spawn(mounted.runtime.execute(call));
    eventually("the call has arrived", || !heard(&stub, "tools/call").is_empty()).await;
    stop.cancel();
    let ended = within(Duration::from_secs(5), "the end of the call", running).await.unwrap();
    assert_eq!(ended.code(), Some("ABORTED"));
    within(Duration::from_secs(15), "closing", mounted.servers.close()).await;
    assert_eq!(stub.processes(), 0);
}

#[tokio::test]
async fn progress_reaches_those_who_watch_the_call() {
    let progress = |done: u64| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":$PROGRESS,"progress":{done},"total":2,"message":"at {done}"}}}}"#
        )
    };
    let stub = stub([
        lists(&[tool("t")]),
        rule(
            "tools/call",
            [
                "!sleep 50".to_owned(),
                progress(1),
                "!sleep 50".to_owned(),
                progress(2),
                "!sleep 50".to_owned(),
                says("done"),
            ],
        ),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    mounted.runtime.on_report(move |call: &ToolExecution, report: &Report| {
        if let Report::Progress(progress) = report {
            heard.lock().unwrap().push((
                call.name().to_owned(),
                progress.done,
                progress.total,
                progress.message.clone(),
            ));
        }
    });
    assert_eq!(mounted.call("mcp__s__t", json!({})).await.text(), "done");
    let row = |done: f64, text: &str| ("mcp__s__t".to_owned(), done, Some(2.0), Some(text.to_owned()));
    assert_eq!(*seen.lock().unwrap(), [row(1.0, "at 1"), row(2.0, "at 2")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_reported_and_asked_for_again_only_where_that_is_harmless() {
    let deadly = || stub([lists(&[tool("t")]), rule("tools/call", ["!exit 3".to_owned()])]);
    for (more, calls) in [(json!({}), 1), (json!({ "tools": { "t": { "effect": "idempotent" } } }), 2)] {
        let stub = deadly();
        let mounted = Mounted::new(vec![settings("s", &stub, more)]).await;
        let lost = within(Duration::from_secs(10), "the call", mounted.call("mcp__s__t", json!({}))).await;
        assert_eq!(lost.code(), Some("ANSWER_LOST"), "{}", lost.text());
        assert!(lost.text().contains("code 3"), "{}", lost.text());
        assert_eq!(heard(&stub, "tools/call").len(), calls);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_begins_anew_is_used_again() {
    let stub = stub([
        lists(&[tool("die"), tool("echo")]),
        rule("tools/call:die", [says("bye"), "!exit 0".to_owned()]),
        rule("tools/call:echo", [says("here")]),
    ]);
    let mounted = Mounted::new(vec![settings("s", &stub, json!({}))]).await;
    assert_eq!(mounted.call("mcp__s__die", json!({})).await.text(), "bye");
    let mut watched = mounted.servers.watch("s").unwrap();
    within(Duration::from_secs(10), "starting anew", watched.wait_for(|now| now.connections == 2))
        .await
        .unwrap();
    assert_eq!(mounted.call("mcp__s__echo", json!({})).await.text(), "here");
    assert_eq!(mounted.names(), ["mcp__s__die", "mcp__s__echo"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_knows_only_the_older_handshake_is_asked_once_in_the_newer_way_k47() {
    for probe in [vec![error(-32601, "no such method")], vec!["!exit 1".to_owned()]] {
        let stub = stub([
            once("server/discover", probe.clone()),
            lists(&[tool("die"), tool("echo")]),
            rule("tools/call:die", [says("bye"), "!exit 0".to_owned()]),
            rule("tools/call:echo", [says("here")]),
        ]);
        let mounted = Mounted::new(vec![settings("s", &stub, json!({ "handshake": "auto" }))]).await;
        assert_eq!(mounted.call("mcp__s__echo", json!({})).await.text(), "here", "{probe:?}");
        assert_eq!(mounted.status().identity.unwrap().protocol, "2025-11-25");
        mounted.call("mcp__s__die", json!({})).await;
        eventually("it is up again", || mounted.status().connections == 2).await;
        assert_eq!(
            heard(&stub, "server/discover").len(),
            1,
            "one probe, also for later connections: {probe:?}"
        );
    }
}
