//! Editors that go away in the middle of something.

use serde_json::json;
use toolgate_session::{Event, TurnOutcome};

use crate::editor::Editor;

const WAIT: &str = "[[answer]]\n[[answer.calls]]\nname = \"wait\"\narguments = '{}'\n[[answer.calls]]\nname = \"wait\"\narguments = '{}'\n";
const NOTE: &str =
    "[[answer]]\n[[answer.calls]]\nname = \"note\"\narguments = '{\"name\": \"a.txt\", \"text\": \"x\"}'\n";

fn assert_interrupted(editor: &Editor, session: &str) {
    let events = editor.assert_whole(session);
    let Some(Event::TurnEnd(end)) = events.last() else { panic!("{events:#?}") };
    assert_eq!(end.outcome, TurnOutcome::Interrupted);
}

#[tokio::test]
async fn calls_are_settled_when_the_editor_closes_its_end() {
    let mut editor = Editor::start(WAIT);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Wait.").await;
    editor.until(|message| message["params"]["update"]["status"] == "in_progress").await;
    editor.hang_up();
    // Who still reads hears how it ended.
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    editor.ended().await.unwrap();
    assert_interrupted(&editor, &session);
}

#[tokio::test]
async fn calls_are_settled_when_the_editor_is_gone() {
    let mut editor = Editor::start(WAIT);
    let session = editor.ready().await;
    editor.begin(&session, "Wait.").await;
    editor.until(|message| message["params"]["update"]["status"] == "in_progress").await;
    editor.vanish();
    // Nobody reads any more, which may be a failure of the connection.
    let _ = editor.ended().await;
    assert_interrupted(&editor, &session);
}

#[tokio::test]
async fn an_open_question_ends_with_the_connection() {
    let mut editor = Editor::start(NOTE);
    let session = editor.ready().await;
    editor.begin(&session, "Note it.").await;
    editor.asked("session/request_permission").await;
    editor.vanish();
    let _ = editor.ended().await;
    assert_interrupted(&editor, &session);
    assert!(!editor.root().join("a.txt").exists());
}

#[tokio::test]
async fn whoever_stops_the_server_gets_a_whole_log() {
    let mut editor = Editor::start(WAIT);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Wait.").await;
    editor.until(|message| message["params"]["update"]["status"] == "in_progress").await;
    editor.stop.cancel();
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "cancelled");
    editor.ended().await.unwrap();
    assert_interrupted(&editor, &session);
}

#[tokio::test]
async fn an_editor_that_does_not_read_holds_nothing_but_its_own_updates() {
    // Far more updates than may wait, and a pipe that nobody empties.
    let step = "[[answer]]\ntext = \"word\"\n[[answer.calls]]\nname = \"add_one\"\narguments = '{}'\n";
    let script = step.repeat(600) + "[[answer]]\ntext = \"end\"\n";
    let mut editor = Editor::start_with(&script, |host| host.limits.steps = 1_000);
    let session = editor.ready().await;
    let prompt = editor.begin(&session, "Work.").await;
    // The turn goes on although nothing is read.
    let end = || matches!(editor.log(&session).last(), Some(Event::TurnEnd(_)));
    for _ in 0..6_000 {
        if end() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(end(), "the turn does not wait for its reader");
    // Once it reads, it gets everything, and the answer last.
    assert_eq!(editor.response(&prompt).await["result"]["stopReason"], "end_turn");
    let updates = editor.updates(&session);
    let settled = updates.iter().filter(|update| update["status"] == "completed").count();
    assert_eq!(settled, 600);
    let calls = updates.iter().filter(|update| update["sessionUpdate"] == "tool_call").count();
    assert_eq!(calls, 600);
}

#[tokio::test]
async fn an_editor_that_hangs_up_and_does_not_read_is_not_waited_for() {
    let step = "[[answer]]\ntext = \"word\"\n[[answer.calls]]\nname = \"add_one\"\narguments = '{}'\n";
    let script = step.repeat(600) + "[[answer]]\n[[answer.calls]]\nname = \"wait\"\narguments = '{}'\n";
    let mut editor = Editor::start_with(&script, |host| host.limits.steps = 1_000);
    let session = editor.ready().await;
    editor.begin(&session, "Work.").await;
    editor.hang_up();
    editor.ended().await.unwrap();
    assert_interrupted(&editor, &session);
}

#[tokio::test]
async fn an_editor_that_does_not_read_and_goes_leaves_nothing_behind() {
    let step = "[[answer]]\ntext = \"word\"\n[[answer.calls]]\nname = \"add_one\"\narguments = '{}'\n";
    let script = step.repeat(600) + "[[answer]]\n[[answer.calls]]\nname = \"wait\"\narguments = '{}'\n";
    let mut editor = Editor::start_with(&script, |host| host.limits.steps = 1_000);
    let session = editor.ready().await;
    editor.begin(&session, "Work.").await;
    editor.vanish();
    let _ = editor.ended().await;
    assert_interrupted(&editor, &session);
    // The session is free.
    let mut editor = editor.restart_after_end(&script).await;
    editor.call("session/resume", json!({ "sessionId": session, "cwd": editor.root() })).await;
}
