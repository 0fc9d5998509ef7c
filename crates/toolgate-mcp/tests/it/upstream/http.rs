//! A server behind a URL that forgets its session (K43), and one that wants a log-in.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::StatusCode;
use serde_json::json;
use toolgate_mcp::config::{ServerConfig, ServerName, ServerTable};
use toolgate_mcp::transport::TokenStore;
use toolgate_mcp::upstream::{Host, ServerState};

use super::{Mounted, eventually, host, tool};
use crate::stub::http::{HttpStub, answer_to, body, status};

/// A server that does not know the session any more when a tool is called for the first time.
async fn forgetful() -> HttpStub {
    let has_forgotten = AtomicBool::new(false);
    HttpStub::start(move |seen, _| {
        let answer =
            |result: serde_json::Value| Some(body("application/json", answer_to(seen, &result.to_string())));
        match seen.message()["method"].as_str() {
            Some("tools/list") => answer(json!({ "tools": [tool("pay"), tool("look")] })),
            Some("tools/call") if !has_forgotten.swap(true, Ordering::SeqCst) => {
                Some(status(StatusCode::NOT_FOUND))
            }
            Some("tools/call") => answer(json!({ "content": [{ "type": "text", "text": "done" }] })),
            _ => None,
        }
    })
    .await
}

fn settings(stub: &HttpStub) -> ServerConfig {
    let table = json!({ "url": stub.url(), "headers": { "X-Key": "s3cret" }, "handshake": "initialize",
                        "tools": { "look": { "effect": "idempotent" } } });
    let table: ServerTable = serde_json::from_value(table).unwrap();
    table.check(ServerName::new("s").unwrap(), &|_: &str| None).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_session_is_begun_anew_once_and_the_call_is_reported_k43() {
    let stub = forgetful().await;
    let mounted = Mounted::new(vec![settings(&stub)]).await;
    assert_eq!(mounted.names(), ["mcp__s__look", "mcp__s__pay"]);
    let paid = mounted.call("mcp__s__pay", json!({})).await;
    assert_eq!(paid.code(), Some("ANSWER_LOST"), "{}", paid.text());
    assert!(paid.text().contains("404"), "{}", paid.text());
    eventually("there is a new session", || mounted.status().connections == 2).await;
    assert_eq!(stub.count("tools/call:pay"), 1, "it was not made again");
    assert_eq!(mounted.call("mcp__s__pay", json!({})).await.text(), "done");
    assert_eq!(stub.count("initialize"), 2, "one new session");
    assert!(stub.seen().iter().all(|seen| seen.header("x-key") == Some("s3cret")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harmless_call_is_made_again_in_the_new_session_k43() {
    let stub = forgetful().await;
    let mounted = Mounted::new(vec![settings(&stub)]).await;
    assert_eq!(mounted.call("mcp__s__look", json!({})).await.text(), "done");
    assert_eq!((stub.count("tools/call:look"), stub.count("initialize")), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_server_behind_a_url_is_asked_once_in_the_newer_way_k47() {
    let stub = forgetful().await;
    let mut config = settings(&stub);
    config.handshake = toolgate_mcp::config::Handshake::Auto;
    let mounted = Mounted::new(vec![config]).await;
    assert_eq!(mounted.call("mcp__s__look", json!({})).await.text(), "done");
    assert_eq!((stub.count("server/discover"), stub.count("initialize")), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_log_in_is_down_and_says_so() {
    let stub = HttpStub::start(|_, _| {
        let mut refusal = status(StatusCode::UNAUTHORIZED);
        refusal.headers_mut().insert("www-authenticate", "Bearer realm=\"x\"".parse().unwrap());
        Some(refusal)
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    for tokens in [None, Some(TokenStore::new(folder.path().join("tokens")))] {
        let runtime = toolgate::ToolRuntime::builder().build().unwrap();
        let table = json!({ "url": stub.url() });
        let table: ServerTable = serde_json::from_value(table).unwrap();
        let config = table.check(ServerName::new("s").unwrap(), &|_: &str| None).unwrap();
        let mounted = Mounted::with(vec![config], Host { tokens, ..host() }, runtime).await;
        let ServerState::Down { reason, .. } = mounted.status().state else {
            panic!("{:?}", mounted.status())
        };
        assert!(reason.contains("toolgate mcp login s"), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_in_that_is_wanted_for_a_single_request_is_asked_for_too() {
    let tools = |seen: &crate::stub::http::Seen| {
        body("application/json", answer_to(seen, &json!({ "tools": [tool("look")] }).to_string()))
    };
    let refusing = |refused: &'static str| {
        HttpStub::start(move |seen, _| match seen.calls() {
            calls if calls == refused => {
                let mut refusal = status(StatusCode::UNAUTHORIZED);
                refusal.headers_mut().insert("www-authenticate", "Bearer scope=\"more\"".parse().unwrap());
                Some(refusal)
            }
            calls if calls == "tools/list" => Some(tools(seen)),
            _ => None,
        })
    };
    let stub = refusing("tools/list").await;
    let mounted = Mounted::new(vec![settings(&stub)]).await;
    let ServerState::Down { reason, .. } = mounted.status().state else { panic!("{:?}", mounted.status()) };
    assert!(reason.contains("toolgate mcp login s"), "{reason}");

    let stub = refusing("tools/call:look").await;
    let mounted = Mounted::new(vec![settings(&stub)]).await;
    let refused = mounted.call("mcp__s__look", json!({})).await;
    assert!(refused.text().contains("toolgate mcp login s"), "{}", refused.text());
    assert_eq!(
        (refused.code(), stub.count("tools/call:look")),
        (None, 1),
        "it was not lost, and not made again"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_everything_with_nothing_is_an_older_one_k47() {
    let stub = HttpStub::start(|seen, _| match seen.calls().as_str() {
        "server/discover" => Some(body("application/json", answer_to(seen, "{}"))),
        "tools/list" => {
            Some(body("application/json", answer_to(seen, &json!({ "tools": [tool("look")] }).to_string())))
        }
        _ => None,
    })
    .await;
    let mut config = settings(&stub);
    config.handshake = toolgate_mcp::config::Handshake::Auto;
    let mounted = Mounted::new(vec![config]).await;
    assert_eq!(mounted.names(), ["mcp__s__look"], "{:?}", mounted.status());
    assert_eq!((stub.count("server/discover"), stub.count("initialize")), (1, 1));
}
