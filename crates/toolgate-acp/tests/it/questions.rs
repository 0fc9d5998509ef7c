//! Questions to the person at the editor, and what their answers are good for.

use serde_json::{Value, json};
use toolgate_session::Event;

use crate::editor::Editor;

fn note(name: &str, text: &str) -> String {
    format!(
        "[[answer]]\n[[answer.calls]]\nname = \"note\"\narguments = '{{\"name\": \"{name}\", \"text\": \"{text}\"}}'\n"
    )
}

const DONE: &str = "[[answer]]\ntext = \"Done.\"\n";

async fn choose(editor: &mut Editor, option: &str) -> Value {
    let request = editor.asked("session/request_permission").await;
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
    editor.reply(&request, outcome).await;
    request
}

fn questions(editor: &Editor) -> usize {
    editor.unread.iter().filter(|message| message["method"] == "session/request_permission").count()
}

#[tokio::test]
async fn a_question_shows_everything_after_the_call_was_announced() {
    let mut editor = Editor::start(&(note("a.txt", "tex\\u202et ``` x") + DONE));
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    let request = choose(&mut editor, "allow-once").await;
    let updates = editor.updates(&session);
    let id = &request["params"]["toolCall"]["toolCallId"];
    assert!(
        updates.iter().any(|update| update["sessionUpdate"] == "tool_call" && update["toolCallId"] == *id)
    );
    let call = &request["params"]["toolCall"];
    assert_eq!(call["rawInput"]["name"], "a.txt");
    assert!(call.get("status").is_none(), "a status would go backwards: {call}");
    let shown = call["content"].to_string();
    // K63: what is hidden is shown escaped, and the fence holds.
    assert!(
        shown.contains("notes are asked about") && shown.contains("u{202e}") && shown.contains("````json"),
        "{shown}"
    );
    let kinds: Vec<&Value> =
        request["params"]["options"].as_array().unwrap().iter().map(|option| &option["kind"]).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "allow_always", "reject_once", "reject_always"]);
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    assert_eq!(std::fs::read_to_string(editor.root().join("a.txt")).unwrap(), "tex\u{202e}t ``` x");
}

#[tokio::test]
async fn a_rejected_call_does_nothing() {
    for option in ["reject-once", "no-such-option", "allow-rule-7", "allow-rule-x"] {
        let mut editor = Editor::start(&(note("a.txt", "text") + DONE));
        let session = editor.ready().await;
        let prompt = editor.begin(&session, "Note it.").await;
        choose(&mut editor, option).await;
        assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
        assert!(!editor.root().join("a.txt").exists(), "{option}");
        let failed = editor.updates(&session).iter().any(|update| update["status"] == "failed");
        assert!(failed, "{option}");
    }
}

#[tokio::test]
async fn an_error_in_the_place_of_an_answer_denies() {
    let mut editor = Editor::start(&(note("a.txt", "text") + DONE));
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    let request = editor.asked("session/request_permission").await;
    let error =
        json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": -32603, "message": "no" } });
    editor.line(&error.to_string()).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    assert!(!editor.root().join("a.txt").exists());
}

#[tokio::test]
async fn an_answer_for_always_covers_what_it_says_and_no_more() {
    // K61: these arguments only.
    let script = note("a.txt", "one") + &note("a.txt", "one") + &note("a.txt", "two") + DONE;
    let mut editor = Editor::start(&script);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    choose(&mut editor, "allow-arguments").await;
    let second = choose(&mut editor, "reject-once").await;
    assert_eq!(second["params"]["toolCall"]["rawInput"]["text"], "two");
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    assert_eq!(std::fs::read_to_string(editor.root().join("a.txt")).unwrap(), "one");

    // Whatever falls under the rule.
    let script = note("a.txt", "one") + &note("b.txt", "two") + DONE;
    let mut editor = Editor::start(&script);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    choose(&mut editor, "allow-rule-0").await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    assert_eq!(questions(&editor), 0);
    assert!(editor.root().join("b.txt").exists());

    // A rejection for always is not asked again, and another call is.
    let script = note("a.txt", "one") + &note("a.txt", "one") + &note("a.txt", "two") + DONE;
    let mut editor = Editor::start(&script);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    choose(&mut editor, "reject-arguments").await;
    let second = choose(&mut editor, "allow-once").await;
    assert_eq!(second["params"]["toolCall"]["rawInput"]["text"], "two");
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    assert_eq!(std::fs::read_to_string(editor.root().join("a.txt")).unwrap(), "two");
}

#[tokio::test]
async fn a_cancel_takes_the_question_back() {
    // K03: the answer that comes too late finds nothing to answer.
    let mut editor = Editor::start(&(note("a.txt", "text") + DONE));
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    let request = editor.asked("session/request_permission").await;
    editor.tell("session/cancel", json!({ "sessionId": session })).await;
    let response = editor.response(&prompt).await;
    assert_eq!(response["result"]["stopReason"], "cancelled", "{response}");
    let withdrawn = editor.until(|message| message["method"] == "$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], request["id"]);
    let late = json!({ "outcome": { "outcome": "selected", "optionId": "allow-once" } });
    editor.reply(&request, late).await;
    assert!(!editor.root().join("a.txt").exists());
    let events = editor.assert_whole(&session);
    let decided = events.iter().find_map(|event| match event {
        Event::ApprovalDecided(decided) => Some(decided.outcome.clone()),
        _ => None,
    });
    assert_eq!(decided.as_deref(), Some("cancelled"));
    // The late answer harmed nothing.
    assert_eq!(editor.prompt(&session, "And now?").await, "end_turn");
}

#[tokio::test]
async fn the_outcome_cancelled_cancels_the_turn() {
    let mut editor = Editor::start(&(note("a.txt", "text") + DONE));
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Note it.").await;
    let request = editor.asked("session/request_permission").await;
    editor.reply(&request, json!({ "outcome": { "outcome": "cancelled" } })).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    assert!(!editor.root().join("a.txt").exists());
    editor.assert_whole(&session);
}
