//! Questions on pages: shown whole and escaped, answered once, closed everywhere.

use serde_json::json;
use toolgate_session::Event;

use crate::support::{Server, asks, says};

fn decisions(events: &[Event]) -> Vec<(String, Option<String>)> {
    let decided = events.iter().filter_map(|event| {
        let Event::ApprovalDecided(decided) = event else { return None };
        Some((decided.outcome.clone(), decided.by.clone()))
    });
    decided.collect()
}

fn write(name: &str) -> (&'static str, serde_json::Value) {
    ("write", json!({ "file_path": name, "content": "<b>text</b>\u{202e}" }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_answered_in_one_browser_closes_in_the_others() {
    let server = Server::start(vec![asks(&[write("a.txt")]), says("done")]).await;
    let id = server.begin("write").await;
    let mut watching = server.follow(&format!("session={id}&after=0"), None).await;
    let mut listing = server.follow("questions=true", None).await;
    let mut elsewhere = server.follow("session=0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f", None).await;
    for events in [&mut watching, &mut listing] {
        let told = events.wait_for("questions", |told| told.data["count"] == json!(1)).await;
        let html = told.data["html"].as_str().unwrap();
        assert!(
            html.contains("&lt;b&gt;text&lt;/b&gt;\\\\u{202e}")
                || html.contains("&lt;b&gt;text&lt;/b&gt;\\u{202e}"),
            "{html}"
        );
    }
    // There is no such session, so nothing is told of it.
    assert_eq!(elsewhere.next().await, None);
    let page = server.get("/approvals").await.body;
    assert!(page.contains("a.txt") && page.contains(&format!("/sessions/{id}")), "{page}");
    let question = server.people.pending()[0].id;
    let path = format!("/approvals/{question}");
    for wrong in [
        &[][..],
        &[("answer", "maybe")],
        &[("answer", "rule-7")],
        &[("answer", "rule--1")],
        &[("answer", "reply")],
    ] {
        assert_eq!(server.post(&path, wrong).await.status, 400, "{wrong:?}");
    }
    assert_eq!(server.post(&path, &[("answer", "allow")]).await.status, 303);
    for events in [&mut watching, &mut listing] {
        events.wait_for("questions", |told| told.data["count"] == json!(0)).await;
    }
    // The second one comes too late.
    assert_eq!(server.post(&path, &[("answer", "reject")]).await.status, 409);
    server.until(id, |events| events.iter().any(|event| matches!(event, Event::TurnEnd(_)))).await;
    assert_eq!(decisions(&server.events(id)), [("allowed-once".to_owned(), Some("web".to_owned()))]);
    assert!(server.folder.path().join("work/a.txt").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_rejected_is_not_done() {
    let server = Server::start(vec![asks(&[write("a.txt")]), says("done")]).await;
    let id = server.begin("write").await;
    let mut listing = server.follow("questions=true", None).await;
    listing.wait_for("questions", |told| told.data["count"] == json!(1)).await;
    let question = server.people.pending()[0].id;
    assert_eq!(server.post(&format!("/approvals/{question}"), &[("answer", "reject")]).await.status, 303);
    server.until(id, |events| events.iter().any(|event| matches!(event, Event::TurnEnd(_)))).await;
    assert_eq!(decisions(&server.events(id))[0].0, "rejected");
    assert!(!server.folder.path().join("work/a.txt").exists());
    let page = server.get(&format!("/sessions/{id}")).await.body;
    assert!(page.contains("refused") && page.contains("Approval: rejected by web"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_withdraws_the_question() {
    let server = Server::start(vec![asks(&[write("a.txt")])]).await;
    let id = server.begin("write").await;
    let mut watching = server.follow(&format!("session={id}&after=0"), None).await;
    watching.wait_for("questions", |told| told.data["count"] == json!(1)).await;
    assert!(server.get("/?state=waits+for+you").await.body.contains(&id.to_string()));
    server.post(&format!("/sessions/{id}/stop"), &[]).await;
    watching.wait_for("questions", |told| told.data["count"] == json!(0)).await;
    assert!(!server.folder.path().join("work/a.txt").exists());
}
