//! The editor's own files, terminals and forms, where it offers them.

use serde_json::json;

use crate::editor::Editor;

fn call(name: &str, arguments: &str) -> String {
    format!(
        "[[answer]]\n[[answer.calls]]\nname = \"{name}\"\narguments = '{arguments}'\n[[answer]]\ntext = \"Done.\"\n"
    )
}

#[tokio::test]
async fn files_are_read_and_written_through_the_editor() {
    let mut editor = Editor::start(&call("draft", r#"{"name": "out.txt", "text": " and more"}"#));
    editor.initialize(json!({ "fs": { "readTextFile": true, "writeTextFile": true } })).await;
    let session = editor.open().await;
    let prompt = editor.begin(&session, "Copy it.").await;
    let read = editor.asked("fs/read_text_file").await;
    assert_eq!(read["params"]["path"], json!(editor.root().join("draft.txt")));
    assert_eq!(read["params"]["sessionId"], json!(session));
    editor.reply(&read, json!({ "content": "unsaved" })).await;
    let write = editor.asked("fs/write_text_file").await;
    assert_eq!(write["params"]["path"], json!(editor.root().join("out.txt")));
    assert_eq!(write["params"]["content"], "unsaved and more");
    editor.reply(&write, json!({})).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    assert!(editor.updates(&session).iter().any(|update| update["status"] == "completed"));
}

#[tokio::test]
async fn a_cancel_does_not_wait_for_the_editor() {
    let mut editor = Editor::start(&call("draft", r#"{"name": "out.txt", "text": ""}"#));
    editor.initialize(json!({ "fs": { "readTextFile": true, "writeTextFile": true } })).await;
    let session = editor.open().await;
    let prompt = editor.begin(&session, "Copy it.").await;
    editor.asked("fs/read_text_file").await;
    editor.tell("session/cancel", json!({ "sessionId": session })).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    editor.assert_whole(&session);
}

#[tokio::test]
async fn half_of_the_files_is_not_enough() {
    let mut editor = Editor::start(&call("draft", r#"{"name": "out.txt", "text": ""}"#));
    editor.initialize(json!({ "fs": { "readTextFile": true } })).await;
    let session = editor.open().await;
    assert_eq!(editor.prompt(&session, "Copy it.").await, "end_turn");
    let updates = editor.updates(&session);
    assert!(
        updates.iter().any(|update| update["rawOutput"]["content"][0]["text"] == "no editor"),
        "{updates:#?}"
    );
}

#[tokio::test]
async fn without_a_terminal_the_tool_answers_itself() {
    let mut editor = Editor::start_with(&call("bash", r#"{"command": "true"}"#), |host| host.terminal = true);
    let session = editor.ready().await;
    assert_eq!(editor.prompt(&session, "Run it.").await, "end_turn");
    assert!(
        editor
            .updates(&session)
            .iter()
            .any(|update| update["rawOutput"].to_string().contains("of the tool itself"))
    );
}

#[tokio::test]
async fn a_command_that_is_cancelled_is_killed_and_its_terminal_released() {
    let mut editor =
        Editor::start_with(&call("bash", r#"{"command": "sleep 300"}"#), |host| host.terminal = true);
    editor.initialize(json!({ "terminal": true })).await;
    let session = editor.open().await;
    let prompt = editor.begin(&session, "Run it.").await;
    let create = editor.asked("terminal/create").await;
    assert_eq!(create["params"]["args"], json!(["-c", "sleep 300"]));
    assert_eq!(create["params"]["cwd"], json!(editor.root()));
    editor.reply(&create, json!({ "terminalId": "t1" })).await;
    let shown = editor.until(|message| message["params"]["update"]["content"][0]["type"] == "terminal").await;
    assert_eq!(shown["params"]["update"]["content"][0]["terminalId"], "t1");
    let wait = editor.asked("terminal/wait_for_exit").await;
    editor.tell("session/cancel", json!({ "sessionId": session })).await;
    let kill = editor.asked("terminal/kill").await;
    editor.reply(&wait, json!({ "exitCode": null, "signal": "SIGKILL" })).await;
    editor.reply(&kill, json!({})).await;
    let output = editor.asked("terminal/output").await;
    editor.reply(&output, json!({ "output": "so far", "truncated": false })).await;
    let release = editor.asked("terminal/release").await;
    editor.reply(&release, json!({})).await;
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    let updates = editor.updates(&session);
    let failed = updates.iter().find(|update| update["status"] == "failed").unwrap();
    assert!(failed["rawOutput"]["error"]["message"].as_str().unwrap().contains("so far"), "{failed}");
    editor.assert_whole(&session);
}
