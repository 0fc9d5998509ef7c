//! A server behind a URL that forgets its session (K43).

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};
use toolgate_mcp::config::{ServerConfig, ServerName, ServerTable};

use super::{Mounted, eventually, tool};

/// A server with sessions. The first call of a tool in the first session is answered with 404.
#[derive(Clone, Default)]
struct Forgetful(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    sessions: usize,
    calls: Vec<(usize, String)>,
    keys: Vec<String>,
}

impl Forgetful {
    async fn listen(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/mcp", any(Self::serve)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/mcp")
    }

    async fn serve(
        State(server): State<Self>,
        method: axum::http::Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Response {
        if method != axum::http::Method::POST {
            return StatusCode::METHOD_NOT_ALLOWED.into_response();
        }
        let message: Value = serde_json::from_slice(&body).unwrap();
        let mut seen = server.0.lock().unwrap();
        let key = headers.get("x-key").and_then(|key| key.to_str().ok()).unwrap_or_default();
        seen.keys.push(key.to_owned());
        let session = headers.get("mcp-session-id").and_then(|id| id.to_str().ok()?.parse::<usize>().ok());
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let result = match method.as_str() {
            "initialize" => {
                seen.sessions += 1;
                json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                        "serverInfo": { "name": "forgetful", "version": "1" } })
            }
            "tools/list" => json!({ "tools": [tool("pay"), tool("look")] }),
            "tools/call" => {
                let session = session.unwrap();
                seen.calls.push((session, message["params"]["name"].as_str().unwrap().to_owned()));
                if session == 1 {
                    return StatusCode::NOT_FOUND.into_response();
                }
                json!({ "content": [{ "type": "text", "text": "done" }] })
            }
            _ => return StatusCode::ACCEPTED.into_response(),
        };
        let session = session.unwrap_or(seen.sessions).to_string();
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
        let headers = [("content-type", "application/json".to_owned()), ("mcp-session-id", session)];
        (headers, answer).into_response()
    }

    fn calls(&self) -> Vec<(usize, String)> {
        self.0.lock().unwrap().calls.clone()
    }
}

fn settings(url: &str) -> ServerConfig {
    let table = json!({ "url": url, "headers": { "X-Key": "s3cret" }, "handshake": "initialize",
                        "tools": { "look": { "effect": "idempotent" } } });
    let table: ServerTable = serde_json::from_value(table).unwrap();
    table.check(ServerName::new("s").unwrap(), &|_: &str| None).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_session_is_begun_anew_once_and_the_call_is_reported_k43() {
    let server = Forgetful::default();
    let mounted = Mounted::new(vec![settings(&server.listen().await)]).await;
    assert_eq!(mounted.names(), ["mcp__s__look", "mcp__s__pay"]);
    let paid = mounted.call("mcp__s__pay", json!({})).await;
    assert_eq!(paid.code(), Some("ANSWER_LOST"), "{}", paid.text());
    assert!(paid.text().contains("404"), "{}", paid.text());
    eventually("there is a new session", || mounted.status().connections == 2).await;
    assert_eq!(server.calls(), [(1, "pay".to_owned())], "it was not made again");
    assert_eq!(mounted.call("mcp__s__pay", json!({})).await.text(), "done");
    let seen = server.0.lock().unwrap();
    assert_eq!(seen.sessions, 2, "one new session");
    assert!(seen.keys.iter().all(|key| key == "s3cret"), "every request carries the headers");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harmless_call_is_made_again_in_the_new_session_k43() {
    let server = Forgetful::default();
    let mounted = Mounted::new(vec![settings(&server.listen().await)]).await;
    assert_eq!(mounted.call("mcp__s__look", json!({})).await.text(), "done");
    assert_eq!(server.calls(), [(1, "look".to_owned()), (2, "look".to_owned())]);
    assert_eq!(server.0.lock().unwrap().sessions, 2);
}
