//! A session from its beginning to its end, and again.

use serde_json::{Value, json};
use toolgate_session::Event;

use crate::editor::{Editor, text};

const SCRIPT: &str = r#"
[[answer]]
text = "I look first. "
usage = { input = 7, output = 3 }
[[answer.calls]]
name = "add_one"
arguments = '{}'
[[answer.calls]]
name = "no_such_tool"
arguments = '{"n": 9007199254740993}'

[[answer]]
text = "It is one."

[[answer]]
text = "Again."
"#;

/// Updates with the pieces of each message put together, and without what somebody who is there knows already.
fn told(updates: Vec<Value>) -> Vec<Value> {
    let mut told: Vec<Value> = Vec::new();
    for mut update in updates {
        match update["sessionUpdate"].as_str().unwrap() {
            "user_message_chunk" | "available_commands_update" => continue,
            "agent_message_chunk" => {
                let piece = update["content"]["text"].as_str().unwrap().to_owned();
                match told.last_mut() {
                    Some(last) if last["messageId"] == update["messageId"] => {
                        let whole = format!("{}{piece}", last["content"]["text"].as_str().unwrap());
                        last["content"]["text"] = json!(whole);
                        continue;
                    }
                    _ => update["content"]["text"] = json!(piece),
                }
            }
            _ => {}
        }
        told.push(update);
    }
    told
}

fn kinds(updates: &[Value]) -> Vec<String> {
    let word = |update: &Value| {
        let kind = update["sessionUpdate"].as_str().unwrap();
        match update["status"].as_str() {
            Some(status) => format!("{kind} {status}"),
            None => kind.to_owned(),
        }
    };
    updates.iter().map(word).collect()
}

#[tokio::test]
async fn the_handshake_says_what_the_agent_can() {
    let mut editor = Editor::start(SCRIPT);
    let result = editor.initialize(json!({})).await;
    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(result["agentInfo"]["name"], "toolgate");
    let can = &result["agentCapabilities"];
    assert_eq!(can["loadSession"], true);
    for name in ["list", "resume", "close"] {
        assert!(can["sessionCapabilities"][name].is_object(), "{name}: {can}");
    }
    assert_eq!(can["promptCapabilities"]["image"], true);
    assert_eq!(can["promptCapabilities"]["audio"], json!(false), "{can}");
}

#[tokio::test]
async fn a_turn_is_streamed_and_told_again_from_the_log() {
    let mut editor = Editor::start(SCRIPT);
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "What is\n\x1b it?").await, "end_turn");
    let live = editor.updates(&session);
    assert!(
        live.iter().filter(|update| update["sessionUpdate"] == "agent_message_chunk").count() > 4,
        "{live:#?}"
    );
    let live = told(live);
    assert_eq!(
        kinds(&live),
        [
            "session_info_update",
            "agent_message_chunk",
            "usage_update",
            // A status that is pending goes without saying.
            "tool_call",
            "tool_call_update in_progress",
            "tool_call_update completed",
            "tool_call",
            "tool_call_update in_progress",
            "tool_call_update failed",
            "agent_message_chunk",
        ],
        "{live:#?}"
    );
    assert_eq!(live[0]["title"], "What is");
    assert_eq!(live[1]["content"]["text"], "I look first. ");
    assert_eq!((&live[2]["used"], &live[2]["size"]), (&json!(10), &json!(200_000)));
    let (call, settled) = (&live[3], &live[5]);
    assert_eq!(call["toolCallId"], settled["toolCallId"]);
    assert_eq!(settled["rawOutput"]["content"][0]["text"], "1");
    // K24: a whole number beyond those of JavaScript travels unchanged.
    assert_eq!(live[6]["rawInput"]["n"], json!(9_007_199_254_740_993_i64));
    assert_eq!(live[8]["rawOutput"]["error"]["code"], "UNKNOWN_TOOL");

    let mut editor = editor.restart(SCRIPT).await;
    let params = json!({ "sessionId": session, "cwd": editor.root(), "mcpServers": [] });
    editor.call("session/load", params).await;
    let again = editor.updates(&session);
    let said: Vec<&Value> =
        again.iter().filter(|update| update["sessionUpdate"] == "user_message_chunk").collect();
    assert_eq!(said.len(), 1, "{again:#?}");
    assert_eq!(said[0]["content"], text("What is\n\x1b it?")[0]);
    assert_eq!(told(again), live);

    // The conversation goes on where it was.
    assert_eq!(editor.prompt(&session, "And now?").await, "end_turn");
    let more = told(editor.updates(&session));
    assert_eq!(kinds(&more), ["agent_message_chunk"], "{more:#?}");
    editor.assert_whole(&session);
}

#[tokio::test]
async fn a_resumed_session_is_not_told_again() {
    let mut editor = Editor::start(SCRIPT);
    let session = editor.ready().await;
    editor.prompt(&session, "What is it?").await;
    let mut editor = editor.restart(SCRIPT).await;
    let params = json!({ "sessionId": session, "cwd": editor.root() });
    let result = editor.call("session/resume", params).await;
    assert_eq!(result["modes"]["currentModeId"], "ask");
    assert_eq!(kinds(&editor.updates(&session)), ["available_commands_update"]);
    assert_eq!(editor.prompt(&session, "Again?").await, "end_turn");
    let more = told(editor.updates(&session));
    assert_eq!(more[0]["content"]["text"], "Again.", "{more:#?}");
}

#[tokio::test]
async fn more_pieces_than_a_watcher_keeps_are_told_whole() {
    let words: String = (0..20_000).map(|n| format!("w{n} ")).collect();
    let script = format!("[[answer]]\ntext = \"{words}\"\n");
    let mut editor = Editor::start(&script);
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "Talk.").await, "end_turn");
    let live = told(editor.updates(&session));
    let said = live.iter().find(|update| update["sessionUpdate"] == "agent_message_chunk").unwrap();
    assert!(said["content"]["text"] == words.as_str(), "every word, in order");
    assert_eq!(live.len(), 2, "one message");
}

#[tokio::test]
async fn a_list_is_of_one_directory_or_of_all_and_comes_in_pages() {
    let mut editor = Editor::start(SCRIPT);
    editor.initialize(json!({})).await;
    let mut sessions = Vec::new();
    for turn in 0..3 {
        let session = editor.open().await;
        editor.prompt(&session, &format!("task {turn}\nmore")).await;
        sessions.push(session);
    }
    // One that nobody has said anything in yet has nothing to show.
    editor.open().await;
    let listed = editor.call("session/list", json!({})).await;
    let ids: Vec<&str> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|info| info["sessionId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [&*sessions[2], &*sessions[1], &*sessions[0]], "the newest first");
    assert_eq!(listed["sessions"][0]["title"], "task 2");
    assert_eq!(listed["sessions"][0]["cwd"], json!(editor.root()));
    assert!(listed["sessions"][0]["updatedAt"].as_str().unwrap().contains('T'));
    assert!(listed.get("nextCursor").is_none(), "{listed}");
    let elsewhere = editor.call("session/list", json!({ "cwd": "/nowhere" })).await;
    assert_eq!(elsewhere["sessions"], json!([]));
    let behind = editor.call("session/list", json!({ "cursor": sessions[1] })).await;
    assert_eq!(behind["sessions"][0]["sessionId"], json!(sessions[0]));
    let error = editor.fails("session/list", json!({ "cursor": "../x" })).await;
    assert_eq!(error["code"], -32602);
}

#[tokio::test]
async fn a_closed_session_is_gone_until_it_is_opened_again() {
    let mut editor = Editor::start(SCRIPT);
    let session = editor.ready().await;
    editor.call("session/close", json!({ "sessionId": session })).await;
    let params = json!({ "sessionId": session, "prompt": text("hello") });
    assert_eq!(editor.fails("session/prompt", params).await["code"], -32002);
    assert_eq!(editor.fails("session/close", json!({ "sessionId": session })).await["code"], -32002);
    let params = json!({ "sessionId": session, "cwd": editor.root(), "mcpServers": [] });
    editor.call("session/load", params.clone()).await;
    // Loading what is open opens it anew.
    editor.call("session/load", params).await;
    assert_eq!(editor.prompt(&session, "What is it?").await, "end_turn");
    editor.assert_whole(&session);
}

#[tokio::test]
async fn closing_stops_the_turn_first() {
    let script = "[[answer]]\n[[answer.calls]]\nname = \"wait\"\narguments = '{}'\n";
    let mut editor = Editor::start(script);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Wait.").await;
    editor.until(|message| message["params"]["update"]["status"] == "in_progress").await;
    editor.call("session/close", json!({ "sessionId": session })).await;
    let stopped = editor.unread.iter().find(|message| message["id"] == prompt).cloned();
    let stopped = match stopped {
        Some(response) => response,
        None => editor.response(&prompt).await,
    };
    assert_eq!(stopped["result"]["stopReason"], "cancelled", "{stopped}");
    editor.assert_whole(&session);
}

#[tokio::test]
async fn limits_and_failures_have_their_stop_reasons() {
    let step = "[[answer]]\n[[answer.calls]]\nname = \"add_one\"\narguments = '{}'\n";
    let mut editor = Editor::start_with(&step.repeat(3), |host| host.limits.steps = 2);
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "Go on.").await, "max_turn_requests");
    let live = told(editor.updates(&session));
    let why = live.last().unwrap()["content"]["text"].as_str().unwrap();
    assert!(why.contains("2 steps"), "{live:#?}");

    let mut editor = Editor::start_with("[[answer]]\ntext = \"x\"\nstop = \"length\"\n", |_| {});
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "Go on.").await, "max_tokens");

    let mut editor = Editor::start("[[answer]]\ntext = \"half of it\"\nfault = \"cut\"\n");
    let session = editor.ready().await;
    let params = json!({ "sessionId": session, "prompt": text("Go on.") });
    let error = editor.fails("session/prompt", params).await;
    assert_eq!(error["code"], -32603);
    assert!(error["message"].as_str().unwrap().contains("cut"), "{error}");
    let events = editor.assert_whole(&session);
    assert!(matches!(events.last(), Some(Event::TurnEnd(_))));
    // The session is good for another turn.
    assert_eq!(editor.prompt(&session, "Again.").await, "end_turn");
}

#[tokio::test]
async fn where_access_is_missing_the_editor_is_told_how_to_get_it() {
    let mut editor = Editor::start_with(SCRIPT, |host| {
        let (id, name) = ("key".to_owned(), "Set KEY".to_owned());
        host.access = Some(toolgate_acp::AccessNeeded { id, name, description: "set KEY".to_owned() });
    });
    let result = editor.initialize(json!({})).await;
    assert_eq!(result["authMethods"][0]["id"], "key");
    let params = json!({ "cwd": editor.root(), "mcpServers": [] });
    let error = editor.fails("session/new", params).await;
    assert_eq!((&error["code"], &error["message"]), (&json!(-32000), &json!("set KEY")));
    assert_eq!(editor.fails("authenticate", json!({ "methodId": "key" })).await["code"], -32000);
}
