//! The event stream: everything in order, nothing twice, nothing missed.

use std::sync::Arc;

use serde_json::json;
use toolgate_session::Event;
use toolgate_web::Secret;

use crate::support::{Events, Server, Told, asks, says};

/// Everything that a page was told of entries, until something is in it.
async fn until(events: &mut Events, part: &str) -> Vec<Told> {
    let mut told = Vec::new();
    loop {
        let next = events.next().await.expect("the stream goes on");
        if next.name == "entries" {
            let is_there = next.data.to_string().contains(part);
            told.push(next);
            if is_there {
                return told;
            }
        }
    }
}

/// The elements that changes leave behind, by their ids, as the script of a page applies them.
fn applied(told: &[Told]) -> Vec<(String, String)> {
    let mut elements: Vec<(String, String)> = Vec::new();
    let changes = told.iter().flat_map(|told| told.data.as_array().unwrap());
    for change in changes {
        let (id, html) =
            (change["id"].as_str().unwrap().to_owned(), change["html"].as_str().unwrap().to_owned());
        match elements.iter_mut().find(|(known, _)| *known == id) {
            Some(element) => element.1 = html,
            None => elements.push((id, html)),
        }
    }
    elements
}

#[tokio::test(flavor = "multi_thread")]
async fn two_browsers_hear_the_same_in_order() {
    let call = ("prints", json!({ "text": "hello" }));
    let server =
        Server::start(vec![asks(&[call.clone(), call.clone()]), asks(&[call]), says("all done")]).await;
    let id = server.begin("print").await;
    let query = format!("session={id}&after=0");
    let (mut one, mut other) = (server.follow(&query, None).await, server.follow(&query, None).await);
    let (one, other) =
        (until(&mut one, "pill ok\\\">Done").await, until(&mut other, "pill ok\\\">Done").await);
    for told in [&one, &other] {
        let ids: Vec<_> = told.iter().map(|told| told.id.expect("a number")).collect();
        assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    }
    // Who came at different times was told in different pieces, and sees the same.
    let last =
        |elements: Vec<(String, String)>, id: &str| elements.into_iter().find(|(known, _)| known == id);
    let end = format!("i{}", server.events(id).len());
    assert_eq!(last(applied(&one), &end), last(applied(&other), &end));
    assert!(last(applied(&one), &end).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_is_told_what_was_missed_also_after_a_restart() {
    let answers = vec![asks(&[("waits", json!({}))]), says("after it")];
    let server = Server::start(answers.clone()).await;
    let id = server.begin("wait").await;
    let mut events = server.follow(&format!("session={id}&after=0"), None).await;
    let told = until(&mut events, "running").await;
    let seen = told.last().unwrap().id.unwrap();
    let (folder, secret, address) = (Arc::clone(&server.folder), server.secret.clone(), server.address);
    server.stop().await;
    // The stream has ended; what the end of the server wrote was not told, or was.
    while events.next().await.is_some() {}
    let server = Server::start_in(folder, answers, secret, address).await;
    let mut events = server.follow(&format!("session={id}&after=0"), Some(seen)).await;
    let told = until(&mut events, "Interrupted").await;
    assert!(told.iter().all(|told| told.id.unwrap() > seen), "{told:?}");
    let changes = applied(&told);
    let call = server.events(id).iter().position(|event| matches!(event, Event::ToolCall(_))).unwrap() + 1;
    let card = changes.iter().find(|(known, _)| *known == format!("c{call}"));
    assert!(card.is_some_and(|(_, html)| html.contains("stopped")), "{changes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_seen_while_it_comes_and_by_who_comes_late() {
    let mut slow = says("one two three");
    slow.delay_ms = 200;
    let server = Server::start(vec![slow]).await;
    let id = server.begin("speak").await;
    let mut events = server.follow(&format!("session={id}&after=0"), None).await;
    let mut text = String::new();
    loop {
        let told = events.next().await.expect("the stream goes on");
        match told.name.as_str() {
            "delta" => text.push_str(told.data["text"].as_str().unwrap_or_default()),
            "partial" if !text.is_empty() => break,
            "partial" => text.push_str(told.data["text"].as_str().unwrap_or_default()),
            _ => {}
        }
    }
    assert_eq!(text, "one two three");
    events.wait_for("working", |told| told.data["working"] == json!(false)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_somebody_else_writes_is_followed() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let start = async |answers| {
        Server::start_in(
            Arc::clone(&folder),
            answers,
            Secret::draw().unwrap(),
            "127.0.0.1:0".parse().unwrap(),
        )
        .await
    };
    let (writer, reader) = (start(vec![asks(&[("waits", json!({}))])]).await, start(Vec::new()).await);
    let id = writer.begin("elsewhere").await;
    writer.until(id, |events| events.iter().any(|event| matches!(event, Event::BodyStarted(_)))).await;
    let mut events = reader.follow(&format!("session={id}&after=0"), None).await;
    until(&mut events, "running").await;
    // Nobody else may write it meanwhile.
    let answer = reader.post(&format!("/sessions/{id}/say"), &[("task", "me too")]).await;
    assert_eq!(answer.status, 409, "{answer:?}");
    writer.stop().await;
    until(&mut events, "Interrupted").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_sessions_is_kept_up_to_date() {
    let server = Server::start(vec![says("done")]).await;
    let mut events = server.follow("list=", None).await;
    events.wait_for("questions", |_| true).await;
    let id = server.begin("appear").await;
    events.wait_for("list", |told| told.data["html"].as_str().unwrap().contains(&id.to_string())).await;
}
