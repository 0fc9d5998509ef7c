//! A server behind a URL that answers what a closure says, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Seen {
    /// The message that it brings.
    pub(crate) fn message(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The method of the message, with the name of the tool that is called.
    pub(crate) fn calls(&self) -> String {
        let message = self.message();
        let name = message.pointer("/params/name").and_then(Value::as_str);
        let method = message["method"].as_str().unwrap_or_default();
        name.map_or_else(|| method.to_owned(), |name| format!("{method}:{name}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A server that listens until it is dropped.
pub(crate) struct HttpStub {
    /// Where it is, without a path.
    pub(crate) base: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

impl Drop for HttpStub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl HttpStub {
    /// A server that answers as the closure says, and else as [`usual`]. The closure gets its own address, too.
    pub(crate) async fn start(
        answer: impl Fn(&Seen, &str) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, answer, own) = (Arc::clone(&seen), Arc::new(answer), base.clone());
        let app = axum::Router::new().fallback(move |request: Request| {
            let (log, answer, own) = (Arc::clone(&log), Arc::clone(&answer), own.clone());
            async move {
                let (parts, body) = request.into_parts();
                let text = to_bytes(body, 64 << 20).await.unwrap().to_vec();
                let text = String::from_utf8(text).unwrap();
                let seen = Seen { method: parts.method, uri: parts.uri, headers: parts.headers, text };
                log.lock().unwrap().push(seen.clone());
                answer(&seen, &own).unwrap_or_else(|| usual(&seen))
            }
        });
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base, seen, task }
    }

    /// Where the protocol is spoken.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Every request there was.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// How many requests brought this method, or called this tool.
    pub(crate) fn count(&self, calls: &str) -> usize {
        self.seen().iter().filter(|seen| seen.calls() == calls).count()
    }
}

/// What a server with sessions and without a stream of its own does.
fn usual(seen: &Seen) -> Response {
    let message = seen.message();
    match (seen.method.as_str(), message["method"].as_str()) {
        ("POST", Some("initialize")) => {
            let result = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "stub", "version": "1.0" },
            });
            let mut response = body("application/json", answer_to(seen, &result.to_string()));
            response.headers_mut().insert("mcp-session-id", "session-1".parse().unwrap());
            response
        }
        ("POST", _) if message.get("id").is_none() || message.get("method").is_none() => {
            status(StatusCode::ACCEPTED)
        }
        ("DELETE", _) => status(StatusCode::OK),
        ("GET", _) => status(StatusCode::METHOD_NOT_ALLOWED),
        _ => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// The message that answers a request with this result.
pub(crate) fn answer_to(seen: &Seen, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{}}}"#, seen.message()["id"])
}

/// A response with this text.
pub(crate) fn body(kind: &str, text: impl Into<Body>) -> Response {
    Response::builder().header("content-type", kind).body(text.into()).unwrap()
}

/// A stream of one event with this message.
pub(crate) fn events(message: &str) -> Response {
    body("text/event-stream; charset=utf-8", format!(": hello\n\nevent: message\ndata: {message}\n\n"))
}

/// A response without a text.
pub(crate) fn status(status: StatusCode) -> Response {
    Response::builder().status(status).body(Body::empty()).unwrap()
}
