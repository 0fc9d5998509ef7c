//! Modes, options and slash commands.

use serde_json::{Value, json};
use toolgate_session::Event;

use crate::editor::Editor;

const NOTES: &str = "\
[[answer]]\n[[answer.calls]]\nname = \"note\"\narguments = '{\"name\": \"a.txt\", \"text\": \"x\"}'\n[[answer]]\ntext = \"Done.\"\n\
[[answer]]\n[[answer.calls]]\nname = \"note\"\narguments = '{\"name\": \"b.txt\", \"text\": \"x\"}'\n[[answer]]\ntext = \"Done.\"\n";

fn current<'a>(options: &'a Value, id: &str) -> &'a Value {
    let option = options.as_array().unwrap().iter().find(|option| option["id"] == id);
    &option.unwrap_or_else(|| panic!("{id}: {options}"))["currentValue"]
}

#[tokio::test]
async fn the_mode_is_the_stance_of_the_approvals() {
    let mut editor = Editor::start(NOTES);
    editor.initialize(json!({})).await;
    let opened = editor.call("session/new", json!({ "cwd": editor.root(), "mcpServers": [] })).await;
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    let modes: Vec<&Value> =
        opened["modes"]["availableModes"].as_array().unwrap().iter().map(|mode| &mode["id"]).collect();
    assert_eq!(modes, ["ask", "yes", "never"]);

    editor.call("session/set_mode", json!({ "sessionId": session, "modeId": "yes" })).await;
    let update =
        editor.until(|message| message["params"]["update"]["sessionUpdate"] == "config_option_update").await;
    assert_eq!(current(&update["params"]["update"]["configOptions"], "mode"), "yes");
    assert_eq!(editor.prompt(&session, "Note it.").await, "end_turn");
    assert!(editor.root().join("a.txt").exists());

    let params = json!({ "sessionId": session, "configId": "mode", "value": "never" });
    let result = editor.call("session/set_config_option", params).await;
    assert_eq!(current(&result["configOptions"], "mode"), "never");
    let update =
        editor.until(|message| message["params"]["update"]["sessionUpdate"] == "current_mode_update").await;
    assert_eq!(update["params"]["update"]["currentModeId"], "never");
    assert_eq!(editor.prompt(&session, "Note it.").await, "end_turn");
    assert!(!editor.root().join("b.txt").exists());
    assert!(editor.unread.iter().all(|message| message["method"] != "session/request_permission"));
}

#[tokio::test]
async fn another_model_is_asked_from_the_next_turn_on() {
    let mut editor = Editor::start("[[answer]]\ntext = \"One.\"\n[[answer]]\ntext = \"Two.\"\n");
    let session = editor.ready().await;
    editor.prompt(&session, "Hello?").await;
    let params = json!({ "sessionId": session, "configId": "model", "value": "second" });
    let result = editor.call("session/set_config_option", params).await;
    assert_eq!(current(&result["configOptions"], "model"), "second");
    editor.prompt(&session, "Hello?").await;
    let asked: Vec<String> = editor
        .log(&session)
        .into_iter()
        .filter_map(|event| match event {
            Event::TurnStart(start) => start.model,
            _ => None,
        })
        .collect();
    assert_eq!(asked, ["first", "second"]);
}

#[tokio::test]
async fn what_cannot_be_chosen_changes_nothing() {
    let mut editor = Editor::start(NOTES);
    let session = editor.ready().await;
    for (option, value) in [
        ("mode", json!("root")),
        ("model", json!("third")),
        ("no-such", json!("x")),
        // Nothing is mounted that could present tools as code.
        ("tools", json!("code")),
    ] {
        let params = json!({ "sessionId": session, "configId": option, "value": value });
        assert_eq!(editor.fails("session/set_config_option", params).await["code"], -32602, "{option}");
    }
    let params = json!({ "sessionId": session, "configId": "mode", "type": "boolean", "value": true });
    assert_eq!(editor.fails("session/set_config_option", params).await["code"], -32602);
    let params = json!({ "sessionId": session, "modeId": "root" });
    assert_eq!(editor.fails("session/set_mode", params).await["code"], -32602);
    let params = json!({ "sessionId": session, "configId": "mode", "value": "ask" });
    let result = editor.call("session/set_config_option", params).await;
    assert_eq!(current(&result["configOptions"], "mode"), "ask");
}

#[tokio::test]
async fn slash_commands_ask_no_model_and_other_words_do() {
    let mut editor = Editor::start("[[answer]]\ntext = \"I am the model.\"\n");
    let session = editor.ready().await;
    let told = editor
        .until(|message| message["params"]["update"]["sessionUpdate"] == "available_commands_update")
        .await;
    let names: Vec<&Value> = told["params"]["update"]["availableCommands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| &command["name"])
        .collect();
    assert_eq!(names, ["tools", "session"]);
    for (command, words) in [("/tools", "`add_one`"), (" /session\n", session.as_str())] {
        assert_eq!(editor.prompt(&session, command).await, "end_turn");
        let updates = editor.updates(&session);
        let said = updates.iter().find(|update| update["sessionUpdate"] == "agent_message_chunk").unwrap();
        assert!(said["content"]["text"].as_str().unwrap().contains(words), "{updates:#?}");
    }
    assert!(editor.log(&session).is_empty(), "nothing of it is in the log");
    assert_eq!(editor.prompt(&session, "/no_such_command").await, "end_turn");
    assert!(editor.updates(&session).iter().any(|update| update["content"]["text"] == "model."));
}
