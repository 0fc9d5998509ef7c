//! What no editor should send.

use serde_json::json;

use crate::editor::{Editor, text};

const HELLO: &str = "[[answer]]\ntext = \"Hello.\"\n";
const WAIT: &str =
    "[[answer]]\n[[answer.calls]]\nname = \"wait\"\narguments = '{}'\n[[answer]]\ntext = \"On.\"\n";

#[tokio::test]
async fn garbage_is_answered_and_gone_on_from() {
    let mut editor = Editor::start(HELLO);
    let session = editor.ready().await;
    editor.unread.clear();
    for (line, code) in [
        ("no json", -32700),
        ("{\"jsonrpc\":", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}]", -32600),
        ("42", -32600),
        ("{\"id\":1}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":90,\"method\":\"no/such\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":91,\"method\":\"session/prompt\"}", -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":92,\"method\":\"session/prompt\",\"params\":{\"sessionId\":[]}}",
            -32602,
        ),
    ] {
        editor.line(line).await;
        let answer = editor.until(|message| message.get("error").is_some()).await;
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // What asks for no answer gets none.
    for line in [
        "",
        "   ",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}",
    ] {
        editor.line(line).await;
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    editor.line(&deep).await;
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
}

#[tokio::test]
async fn bytes_that_are_no_text_and_lines_without_end_are_no_json() {
    let mut editor = Editor::start(HELLO);
    let session = editor.ready().await;
    editor.unread.clear();
    // More than is read of one message, and more than any answer to it repeats.
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"{}\"}}", "x".repeat(33 << 20));
    editor.line(&long).await;
    let answer = editor.until(|message| message.get("error").is_some()).await;
    assert_eq!(answer["error"]["code"], -32700);
    assert!(answer.to_string().len() < 1_000, "{}", answer.to_string().len());
    editor.line("\u{fffd}\u{0}\u{1b}").await;
    let answer = editor.until(|message| message.get("error").is_some()).await;
    assert_eq!(answer["error"]["code"], -32700);
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
}

#[tokio::test]
async fn nothing_comes_before_the_handshake() {
    let mut editor = Editor::start(HELLO);
    let params = json!({ "cwd": editor.root(), "mcpServers": [] });
    assert_eq!(editor.fails("session/new", params).await["code"], -32600);
    editor.tell("session/cancel", json!({ "sessionId": "x" })).await;
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
}

#[tokio::test]
async fn sessions_that_are_not_open_are_not_found() {
    let mut editor = Editor::start(HELLO);
    editor.initialize(json!({})).await;
    let unknown = "0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f";
    for id in [unknown, "", "../../etc/passwd", "x\u{0}", &"y".repeat(100_000)] {
        let cwd = editor.root().to_owned();
        for (method, params) in [
            ("session/prompt", json!({ "sessionId": id, "prompt": text("x") })),
            ("session/set_mode", json!({ "sessionId": id, "modeId": "yes" })),
            ("session/set_config_option", json!({ "sessionId": id, "configId": "mode", "value": "yes" })),
            ("session/close", json!({ "sessionId": id })),
            ("session/load", json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] })),
            ("session/resume", json!({ "sessionId": id, "cwd": cwd })),
        ] {
            let error = editor.fails(method, params).await;
            assert_eq!(error["code"], -32002, "{method} {error}");
        }
        editor.tell("session/cancel", json!({ "sessionId": id })).await;
    }
}

#[tokio::test]
async fn what_a_session_cannot_be_made_of_is_refused() {
    let mut editor = Editor::start(HELLO);
    editor.initialize(json!({})).await;
    let cwd = editor.root().to_owned();
    let refused = cwd.join("refused");
    let sse = json!([{ "type": "sse", "name": "s", "url": "http://127.0.0.1:9", "headers": [] }]);
    for params in [
        json!({ "cwd": "relative", "mcpServers": [] }),
        json!({ "cwd": refused, "mcpServers": [] }),
        json!({ "cwd": cwd, "mcpServers": sse }),
        json!({ "cwd": cwd, "mcpServers": [], "additionalDirectories": ["/tmp"] }),
    ] {
        assert_eq!(editor.fails("session/new", params.clone()).await["code"], -32602, "{params}");
    }
    let session = editor.open().await;
    for prompt in [
        json!([]),
        json!([{ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" }]),
        json!([{ "type": "resource", "resource": { "uri": "x:y", "blob": "aGk=" } }]),
    ] {
        let params = json!({ "sessionId": session, "prompt": prompt });
        assert_eq!(editor.fails("session/prompt", params).await["code"], -32602, "{prompt}");
    }
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
}

#[tokio::test]
async fn one_turn_runs_at_a_time() {
    let mut editor = Editor::start(WAIT);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Wait.").await;
    let params = json!({ "sessionId": session, "prompt": text("And another.") });
    assert_eq!(editor.fails("session/prompt", params).await["code"], -32600);
    editor.until(|message| message["params"]["update"]["status"] == "in_progress").await;
    editor.tell("session/cancel", json!({ "sessionId": session })).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    assert_eq!(editor.prompt(&session, "Go on.").await, "end_turn");
    editor.assert_whole(&session);
}

#[tokio::test]
async fn a_cancel_right_behind_its_prompt_is_not_lost() {
    let mut editor = Editor::start(WAIT);
    let session = editor.ready().await;
    // Too early, and for nothing.
    editor.tell("session/cancel", json!({ "sessionId": session })).await;
    let prompt = editor.begin(&session, "Wait.").await;
    for _ in 0..3 {
        editor.tell("session/cancel", json!({ "sessionId": session })).await;
    }
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    editor.assert_whole(&session);
}

#[tokio::test]
async fn a_cancel_of_a_turn_that_is_over_does_not_reach_the_next_one() {
    let mut editor = Editor::start(&HELLO.repeat(2));
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
    editor.tell("session/cancel", json!({ "sessionId": session })).await;
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
}

#[tokio::test]
async fn a_request_that_is_cancelled_stops_its_turn() {
    let mut editor = Editor::start(WAIT);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Wait.").await;
    editor.until(|message| message["params"]["update"]["status"] == "in_progress").await;
    editor.tell("$/cancel_request", json!({ "requestId": prompt })).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    editor.assert_whole(&session);
}
