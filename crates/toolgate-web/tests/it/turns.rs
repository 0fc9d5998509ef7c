//! An agent that is started, steered and interrupted from a page.

use serde_json::json;
use toolgate::ContentBlock;
use toolgate_session::{Event, TurnOutcome};

use crate::support::{Server, asks, eventually, says};

fn said(events: &[Event]) -> Vec<String> {
    let texts = events.iter().filter_map(|event| {
        let Event::UserMessage(message) = event else { return None };
        Some(message.content.iter().filter_map(ContentBlock::as_text).collect())
    });
    texts.collect()
}

fn outcomes(events: &[Event]) -> Vec<TurnOutcome> {
    let ends = events
        .iter()
        .filter_map(|event| if let Event::TurnEnd(end) = event { Some(end.outcome) } else { None });
    ends.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_begins_goes_on_and_is_listed() {
    let server = Server::start(vec![says("first answer"), says("second answer")]).await;
    let id = server.played("count the beans").await;
    let path = format!("/sessions/{id}");
    eventually_free(&server, &path).await;
    server.until(id, |events| outcomes(events).len() == 2).await;
    assert_eq!(said(&server.events(id)), ["count the beans", "and the peas"]);
    let page = server.get(&path).await.body;
    for part in ["count the beans", "first answer", "and the peas", "second answer"] {
        assert!(page.contains(part), "{part}");
    }
    for (query, is_there) in
        [("", true), ("?q=BEANS", true), ("?q=beans+nothing", false), ("?state=working", false)]
    {
        let list = server.get(&format!("/{query}")).await.body;
        assert_eq!(list.contains(&path), is_there, "{query}");
    }
}

/// Says something more, in the turn that ends or in another one.
async fn eventually_free(server: &Server, path: &str) {
    let answer = server.post(&format!("{path}/say"), &[("task", "and the peas")]).await;
    assert_eq!(answer.status, 303, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_steered_and_interrupted() {
    let server = Server::start(vec![asks(&[("waits", json!({}))]), says("never")]).await;
    let id = server.begin("wait for me").await;
    let path = format!("/sessions/{id}");
    server.until(id, |events| events.iter().any(|event| matches!(event, Event::BodyStarted(_)))).await;
    assert!(server.get("/?state=working").await.body.contains(&path));
    assert_eq!(server.post(&format!("{path}/say"), &[("task", "think of the beans")]).await.status, 303);
    assert_eq!(server.post(&format!("{path}/stop"), &[]).await.status, 303);
    server.until(id, |events| !outcomes(events).is_empty()).await;
    let events = server.events(id);
    assert_eq!(outcomes(&events)[0], TurnOutcome::Interrupted);
    let codes: Vec<_> = events
        .iter()
        .filter_map(|event| if let Event::ToolResult(result) = event { result.error.as_ref() } else { None })
        .map(|error| error.code.clone().unwrap_or_default())
        .collect();
    assert_eq!(codes, ["ABORTED"]);
    // What was said and not taken in begins the next turn.
    server.until(id, |events| said(events).len() == 2).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_refused() {
    let server = Server::start(vec![says("done")]).await;
    let id = server.played("one").await;
    let page = format!("/sessions/{id}");
    eventually(|| !server.people.pending().is_empty() || server.events(id).len() > 3).await;
    for (path, task, expected) in [
        ("/sessions".to_owned(), " ", 400),
        (format!("{page}/say"), "", 400),
        ("/sessions/../say".to_owned(), "x", 404),
        ("/sessions/0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f/say".to_owned(), "x", 404),
        ("/sessions/0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f/stop".to_owned(), "x", 409),
    ] {
        let answer = server.post(&path, &[("task", task)]).await;
        assert_eq!(answer.status, expected, "{path}: {answer:?}");
    }
    assert_eq!(server.post("/sessions", &[]).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_server_settles_what_runs() {
    let server = Server::start(vec![asks(&[("waits", json!({}))])]).await;
    let id = server.begin("wait").await;
    server.until(id, |events| events.iter().any(|event| matches!(event, Event::BodyStarted(_)))).await;
    let (backend, folder) = (std::sync::Arc::clone(&server.backend), std::sync::Arc::clone(&server.folder));
    server.stop().await;
    let last = backend.acknowledged(id).unwrap();
    let entries = backend.read(id, last, 1).unwrap();
    let toolgate_session::Entry::Record(record) = &entries[0] else { panic!("{entries:?}") };
    assert!(
        matches!(&record.event, Event::TurnEnd(end) if end.outcome == TurnOutcome::Interrupted),
        "{record:?}"
    );
    drop(folder);
}
