//! Hostile servers: whatever they send, and however slowly, a call ends within its bounds.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use toolgate::{CancellationToken, ToolCall};
use toolgate_kit::WebConfig;

use super::server::{Answer, Server, Web, local, raw};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// How much may lie in the buffers of the system and of the client beyond what was asked for.
const BUFFERED: u64 = 16 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_body_is_read_to_the_limit_and_no_further() {
    let line = "x".repeat(1023) + "\n";
    let chunk = format!("400\r\n{line}\r\n").repeat(64);
    let server = Server::start(move |path| {
        let head = match path {
            "/chunked" => "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n",
            "/declared" => {
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99999999999999\r\n\r\n"
            }
            _ => "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        };
        Answer::Endless(head.into(), chunk.clone().into(), Duration::ZERO)
    })
    .await;
    let web = Web::new(WebConfig { max_bytes: 1024 * 1024, ..local() });
    for path in ["/chunked", "/declared", "/until-close"] {
        let before = server.written();
        let value = web.fetch(&server.url(path)).await;
        assert_eq!(
            (&value["truncated"], &value["cut_at_bytes"]),
            (&json!(true), &json!(1024 * 1024)),
            "{path}"
        );
        server.wait_until_closed().await;
        let written = server.written() - before;
        assert!(written < BUFFERED, "{path}: the client let {written} bytes come");
    }
    let result = web.call("web_fetch", json!({ "url": server.url("/chunked") })).await;
    let note = "Incomplete: the page is longer; only its first 1048576 bytes were read.";
    assert!(result.text().contains(note), "{}", &result.text()[result.text().len() - 300..]);
}

#[tokio::test]
async fn what_expands_without_end_is_cut_while_it_expands() {
    let bomb = gzip(&vec![b'a'; 64 * 1024 * 1024]);
    let nested = gzip(&bomb);
    let server = Server::start(move |path| {
        let (encoding, body) = match path {
            "/gzip" => ("gzip", &bomb),
            "/twice" => ("gzip, gzip", &nested),
            "/br" => ("br", &bomb),
            _ => ("x-gzip", &nested),
        };
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {encoding}\r\n\r\n");
        Answer::Bytes([head.as_bytes(), body].concat())
    })
    .await;
    let web = Web::new(local());
    let value = web.fetch(&server.url("/gzip")).await;
    assert_eq!((&value["truncated"], &value["cut_at_bytes"]), (&json!(true), &json!(4 * 1024 * 1024)));
    for (path, encoding) in [("/twice", "gzip, gzip"), ("/br", "br")] {
        let (code, message) = web.refused(&server.url(path)).await;
        assert_eq!(code, "FETCH_FAILED");
        assert!(message.contains(&format!("compressed as `{encoding}`")), "{message}");
    }
    // What was compressed twice and says so once is bytes after one expansion, and no text.
    assert_eq!(web.refused(&server.url("/hidden")).await.0, "UNSUPPORTED_CONTENT");
}

#[tokio::test]
async fn an_answer_that_is_no_whole_http_response_is_an_error() {
    let cut = gzip(&[b'a'; 1000]);
    let server = Server::start(move |path| match path {
        "/short" => raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this"),
        "/gone" => raw(""),
        "/half" => raw("HTTP/1.1 200 OK\r\nContent-Ty"),
        "/garbage" => raw("\x16\x03\x01 this is not http\r\n\r\n"),
        "/http2" => raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        "/status" => raw("HTTP/1.1 abc OK\r\n\r\n"),
        "/lengths" => raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
        "/chunk" => raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"),
        "/many" => raw(format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(500))),
        "/large" => raw(format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(200_000))),
        "/gzip" => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n";
            Answer::Bytes([head.as_bytes(), &cut[..cut.len() - 9]].concat())
        }
        _ => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\nnot gzip at all";
            raw(head)
        }
    })
    .await;
    let web = Web::new(local());
    for path in [
        "/short", "/gone", "/half", "/garbage", "/http2", "/status", "/lengths", "/chunk", "/many", "/large",
        "/gzip", "/nogzip",
    ] {
        let (code, message) = web.refused(&server.url(path)).await;
        assert_eq!(code, "FETCH_FAILED", "{path}: {message}");
        assert!(message.contains("gave no valid answer") && message.len() < 600, "{path}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_without_end_are_cut() {
    let server = Server::start(|path| {
        let again = match path {
            "/headers" => "A: b\r\n".repeat(100),
            "/continue" => "HTTP/1.1 100 Continue\r\n\r\n".repeat(100),
            _ => "b".repeat(1000),
        };
        let head = if path == "/continue" { "" } else { "HTTP/1.1 200 OK\r\nX: " };
        Answer::Endless(head.into(), again.into(), Duration::ZERO)
    })
    .await;
    let web = Web::new(local());
    for path in ["/headers", "/line"] {
        let before = server.written();
        let (code, message) = web.refused(&server.url(path)).await;
        assert_eq!(code, "FETCH_FAILED", "{path}: {message}");
        server.wait_until_closed().await;
        let written = server.written() - before;
        assert!(written < BUFFERED, "{path}: {written}");
    }
    // Interim answers cost no memory, and end with the time.
    let web = Web::new(WebConfig { timeout: Duration::from_secs(1), ..local() });
    assert_eq!(web.refused(&server.url("/continue")).await.0, "FETCH_TIMEOUT");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_server_has_the_time_of_the_call_in_all() {
    let server = Server::start(|path| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
        match path {
            "/silent" => Answer::Stall(Vec::new()),
            "/stall" => Answer::Stall(head.into()),
            "/drip-head" => {
                Answer::Endless(b"HTTP/1.1 200 OK\r\n".into(), b"A".into(), Duration::from_millis(20))
            }
            _ => Answer::Endless(head.into(), b"x".into(), Duration::from_millis(20)),
        }
    })
    .await;
    let web = Web::new(WebConfig { timeout: Duration::from_millis(300), ..local() });
    for path in ["/silent", "/stall", "/drip-head", "/drip"] {
        let start = Instant::now();
        let (code, message) = web.refused(&server.url(path)).await;
        assert_eq!(code, "FETCH_TIMEOUT", "{message}");
        assert!(message.contains("within 300 ms") && message.contains(path), "{message}");
        assert!(start.elapsed() < Duration::from_secs(10), "{path}");
    }
    server.wait_until_closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_closes_its_connection_and_ends() {
    let server =
        Server::start(|_| Answer::Stall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx".into()))
            .await;
    let web = Arc::new(Web::new(local()));
    let token = CancellationToken::new();
    let call = ToolCall::new("web_fetch", json!({ "url": server.url("/") }), token.clone());
    let running = tokio::spawn({
        let web = Arc::clone(&web);
        async move { web.runtime.execute(call).await }
    });
    while server.written() == 0 {
        tokio::task::yield_now().await;
    }
    token.cancel();
    let result = tokio::time::timeout(Duration::from_secs(10), running).await.unwrap().unwrap();
    assert_eq!(result.code(), Some("ABORTED"));
    server.wait_until_closed().await;
}

#[tokio::test]
async fn nobody_there_is_said_with_the_address() {
    let web = Web::new(local());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, message) = web.refused(&format!("http://{free}/")).await;
    assert_eq!(code, "FETCH_FAILED");
    assert!(message.contains(&free.to_string()) && message.contains("refused"), "{message}");
}
