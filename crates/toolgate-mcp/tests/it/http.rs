//! Servers behind a URL: what is sent to them, what is taken from them, and what becomes of the rest.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use toolgate_mcp::transport::{HttpServer, connect_http, is_login_required, is_session_lost};

use crate::client::Client;
use crate::stub::http::{HttpStub, Seen, answer_to, body, events, status};

async fn connect(server: HttpServer) -> Result<Client, String> {
    Client::connect(connect_http(server).await.map_err(|error| error.to_string())?).await
}

fn structured(seen: &Seen, value: &str) -> String {
    answer_to(seen, &format!(r#"{{"content":[],"structuredContent":{value}}}"#))
}

/// What is configured is sent with every request, the session too, and no message shows it.
#[tokio::test]
async fn headers_and_the_session_go_with_every_request() {
    let stub = HttpStub::start(|seen, _| {
        (seen.calls() == "tools/call:ok").then(|| body("application/json", structured(seen, "1")))
    })
    .await;
    let mut server = HttpServer::new(stub.url());
    server.headers.insert("X-Api-Key".to_owned(), "swordfish".to_owned());
    assert!(!format!("{server:?}").contains("swordfish"));
    let connected = connect_http(server).await.unwrap();
    assert!(!format!("{connected:?}").contains("swordfish"));
    let mut client = Client::connect(connected).await.unwrap();
    client.call("ok").await.unwrap();
    client.service.close().await.unwrap();
    let seen = stub.seen();
    assert!(seen.iter().any(|seen| seen.method == "DELETE"), "the session is ended");
    for (number, seen) in seen.iter().enumerate() {
        assert_eq!(seen.header("x-api-key"), Some("swordfish"), "{seen:?}");
        assert_eq!(seen.header("mcp-session-id"), (number > 0).then_some("session-1"), "{seen:?}");
    }
}

/// K24, S4 and S6 over HTTP: a body and an event are judged as a line is.
#[tokio::test]
async fn bodies_and_events_are_judged_as_lines_are() {
    let nested = |levels: usize| r#"{"a":"#.repeat(levels) + "1" + &"}".repeat(levels);
    let table: Vec<(&str, String, &str)> = vec![
        ("exact", r#"{"n":9007199254740993,"m":18446744073709551615}"#.to_owned(), ""),
        ("deep", nested(900), ""),
        ("digits", r#"{"n":[12345678901234567890123]}"#.to_owned(), "result.structuredContent.n[0]"),
        ("twice", r#"{"n":1,"n":1}"#.to_owned(), "result.structuredContent.n"),
        ("abyss", nested(5_000), "1000 levels"),
        ("long", format!("\"{}\"", "x".repeat(70_000)), "longer than 65536 bytes"),
    ];
    for is_stream in [false, true] {
        let answers = table.clone();
        let stub = HttpStub::start(move |seen, _| {
            let called = seen.calls();
            let (_, value, _) = answers.iter().find(|(name, _, _)| called == format!("tools/call:{name}"))?;
            let text = structured(seen, value);
            Some(if is_stream { events(&text) } else { body("application/json", text) })
        })
        .await;
        let mut server = HttpServer::new(stub.url());
        server.limits.max_bytes = 1 << 16;
        let client = connect(server).await.unwrap();
        for (name, value, expected) in &table {
            if expected.is_empty() {
                let (raw, _) = client.call(name).await.unwrap();
                assert_eq!(raw.result()["structuredContent"].to_string(), *value, "{name}");
            } else {
                let message = client.fail(name).await;
                assert!(message.contains(expected), "{name} in a stream {is_stream}: {message}");
            }
        }
    }
}

/// K31 over HTTP.
#[tokio::test]
async fn a_page_of_tools_is_mended_over_http() {
    for is_stream in [false, true] {
        let stub = HttpStub::start(move |seen, _| {
            let deep = r#"{"a":"#.repeat(5_000) + "1" + &"}".repeat(5_000);
            let page = format!(
                r#"{{"tools":[{{"name":"deep","inputSchema":{deep}}},{{"name":"plain","inputSchema":{{"type":"object"}}}}]}}"#
            );
            let text = answer_to(seen, &page);
            (seen.calls() == "tools/list")
                .then(|| if is_stream { events(&text) } else { body("application/json", text) })
        })
        .await;
        let client = connect(HttpServer::new(stub.url())).await.unwrap();
        let tools = client.service.list_tools(None).await.unwrap().tools;
        assert_eq!(tools.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), ["plain"]);
        let quarantined = client.diagnostics.take_quarantined();
        assert_eq!(quarantined.len(), 1);
        assert_eq!(quarantined[0].name.as_deref(), Some("deep"));
        assert!(quarantined[0].reason.contains("1000 levels"), "{quarantined:?}");
    }
}

/// K43: a session that is lost is said to be lost, and nothing is begun or repeated here.
#[tokio::test]
async fn a_lost_session_is_reported_and_nothing_is_repeated() {
    let calls = AtomicUsize::new(0);
    let stub = HttpStub::start(move |seen, _| {
        let is_call = seen.calls() == "tools/call:ok";
        is_call.then(|| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => body("application/json", structured(seen, "1")),
            _ => status(StatusCode::NOT_FOUND),
        })
    })
    .await;
    let client = connect(HttpServer::new(stub.url())).await.unwrap();
    client.call("ok").await.unwrap();
    assert!(!client.diagnostics.is_session_lost());
    let error = client.call("ok").await.unwrap_err();
    assert!(is_session_lost(&error), "{error:?}");
    assert!(!is_login_required(&error));
    assert!(client.diagnostics.is_session_lost());
    assert!(client.diagnostics.problem().unwrap().contains("404"));
    assert_eq!((stub.count("initialize"), stub.count("tools/call:ok")), (1, 2));
}

/// Configured headers go to one origin. Within it a redirect that keeps the method is followed.
#[tokio::test]
async fn redirects_are_followed_within_one_origin_only() {
    let elsewhere = HttpStub::start(|_, _| None).await;
    let target = format!("{}?key=secret", elsewhere.url());
    let stub = HttpStub::start(move |seen, _| {
        let to = |place: &str| {
            Some(Response::builder().status(307).header("location", place).body(Body::empty()).unwrap())
        };
        match seen.uri.path() {
            "/away" => to(&target),
            "/moved" => to("/mcp"),
            _ => None,
        }
    })
    .await;
    let error = connect(HttpServer::new(format!("{}/away", stub.base))).await.err().unwrap();
    assert!(error.contains(&elsewhere.url()) && error.contains("hint: "), "{error}");
    assert!(!error.contains("secret"), "{error}");
    assert_eq!(elsewhere.seen().len(), 0);
    connect(HttpServer::new(format!("{}/moved", stub.base))).await.unwrap();
}

/// A stream that ends before the answer is taken up again behind its last event.
#[tokio::test]
async fn a_stream_is_taken_up_again_after_its_last_event() {
    let id = std::sync::Mutex::new(String::new());
    let stub = HttpStub::start(move |seen, _| {
        if seen.calls() == "tools/call:ok" {
            *id.lock().unwrap() = structured(seen, "1");
            return Some(body("text/event-stream", "id: event-7\nretry: 10\ndata: \n\n"));
        }
        (seen.method == "GET" && seen.header("last-event-id") == Some("event-7"))
            .then(|| events(&id.lock().unwrap()))
    })
    .await;
    let client = connect(HttpServer::new(stub.url())).await.unwrap();
    let (raw, _) = client.call("ok").await.unwrap();
    assert_eq!(raw.result()["structuredContent"], 1);
    assert_eq!(stub.count("tools/call:ok"), 1);
}

/// What the server asks in a way that cannot be taken is refused, while the call goes on.
#[tokio::test]
async fn a_request_in_a_stream_that_cannot_be_taken_is_refused() {
    let stub = HttpStub::start(|seen, _| {
        let ask = r#"{"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"n":1e400}}"#;
        let text = format!("data: {ask}\n\ndata: {}\n\n", structured(seen, "1"));
        (seen.calls() == "tools/call:ok").then(|| body("text/event-stream", text))
    })
    .await;
    let client = connect(HttpServer::new(stub.url())).await.unwrap();
    client.call("ok").await.unwrap();
    let seen = stub.seen();
    let refusal = seen.iter().map(Seen::message).find(|message| message["id"] == "q").unwrap();
    assert_eq!(refusal["error"]["code"], -32600);
}

/// Answers that are none fail their call, and say what they were.
#[tokio::test]
async fn a_failure_of_the_server_fails_the_call() {
    let stub = HttpStub::start(|seen, _| {
        Some(match seen.calls().as_str() {
            "tools/call:broken" => status(StatusCode::BAD_GATEWAY),
            "tools/call:page" => body("text/html", "<h1>Sign in</h1>"),
            "tools/call:empty" => body("application/json", ""),
            "tools/call:other" => body("application/json", r#"{"jsonrpc":"2.0","id":999,"result":{}}"#),
            "tools/call:error" => {
                let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no quota"}}"#;
                let mut response = body("application/json", text);
                *response.status_mut() = StatusCode::BAD_REQUEST;
                response
            }
            "tools/call:ok" => body("application/json", structured(seen, "1")),
            _ => return None,
        })
    })
    .await;
    let client = connect(HttpServer::new(stub.url())).await.unwrap();
    for (name, expected) in [
        ("broken", "502"),
        ("page", "text/html"),
        ("empty", "not an answer"),
        ("other", "not an answer"),
        ("error", "no quota"),
    ] {
        let error = format!("{:?}", client.call(name).await.unwrap_err());
        assert!(error.contains(expected), "{name}: {error}");
        client.call("ok").await.unwrap();
    }
}

#[tokio::test]
async fn what_cannot_be_connected_to_is_an_error() {
    let stub = HttpStub::start(|_, _| None).await;
    for (url, expected) in [
        ("ftp://localhost/", "ftp"),
        ("no url", "URL"),
        ("http://user:hunter2@localhost/", "password"),
        // Nothing there speaks TLS, which has to be found out without a panic.
        (&stub.url().replace("http:", "https:"), "error"),
        ("http://127.0.0.1:9/mcp", "error"),
    ] {
        let error = connect(HttpServer::new(url)).await.err().unwrap();
        assert!(error.to_lowercase().contains(&expected.to_lowercase()), "{url}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let mut server = HttpServer::new(stub.url());
    server.headers.insert("Mcp-Session-Id".to_owned(), "mine".to_owned());
    assert!(connect(server).await.err().unwrap().contains("Mcp-Session-Id"));
}
