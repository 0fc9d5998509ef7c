//! What a model gets of a page, and how it is shown.

use serde_json::{Value, json};
use toolgate::{CancellationToken, ToolCall, ToolEffect, ToolExecutionMode};
use toolgate_kit::WebConfig;

use super::server::{Answer, Server, Web, local, page, raw, redirect};

#[tokio::test]
async fn an_html_page_becomes_markdown_with_title_and_address() {
    let server = Server::start(|path| match path {
        "/old?q=1" => redirect("/new#part"),
        _ => page(
            "text/html; charset=iso-8859-1",
            b"<title>A caf\xe9</title><h1>Menu</h1><ul><li><a href=tea>Tea</a><li>Milk</ul><script>x()</script>",
        ),
    })
    .await;
    let web = Web::new(local());
    let result = web.call("web_fetch", json!({ "url": server.url("/old?q=1#frag") })).await;
    let new = server.url("/new");
    let tea = server.url("/tea");
    assert_eq!(result.text(), format!("A café\n{new} (HTTP 200)\n\n# Menu\n\n- [Tea]({tea})\n- Milk"));
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[0].starts_with("GET /old?q=1 HTTP/1.1\r\n"), "{requests:?}");
    let mut headers: Vec<_> =
        requests[0].lines().skip(1).filter_map(|line| Some(line.split_once(':')?.0)).collect();
    headers.sort_unstable();
    // No cookie, no credential, nothing that tells who asks beyond the program's name.
    assert_eq!(headers, ["accept", "accept-encoding", "connection", "host", "user-agent"]);
}

#[tokio::test]
async fn cards() {
    let server = Server::start(|path| match path {
        "/missing" => {
            raw("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\ngone")
        }
        _ => page("text/html", "<title>T</title>one two three"),
    })
    .await;
    let web = Web::new(WebConfig { max_characters: 7, ..local() });
    let args = json!({ "url": server.url("/a") });
    let (pending, finished) = web.cards("web_fetch", args.clone()).await;
    let title = format!("Fetch {}", server.url("/a"));
    assert_eq!(pending, json!({ "card": "generic", "title": title, "kind": "fetch", "rawInput": args }));
    assert_eq!(
        finished,
        json!({ "card": "web", "kind": "fetch", "title": "T", "url": server.url("/a"), "statusCode": 200, "truncated": true })
    );
    let (_, finished) = web.cards("web_fetch", json!({ "url": server.url("/missing") })).await;
    assert_eq!(
        finished,
        json!({ "card": "web", "kind": "fetch", "url": server.url("/missing"), "statusCode": 404, "truncated": false })
    );
    let (_, finished) = web.cards("web_fetch", json!({ "url": "http://10.0.0.1/" })).await;
    assert_eq!(finished["card"], "generic");
}

#[tokio::test]
async fn text_comes_as_it_is() {
    let server = Server::start(|path| match path {
        "/json" => page("application/json", "{ \"a\":  [1, 2] }\n"),
        "/xml" => page("application/atom+xml", "<?xml version='1.0'?><feed>\n <a/></feed>"),
        "/md" => page("text/markdown", "# x\n\n* y"),
        "/utf16" => page("text/plain", b"\xff\xfeh\0i\0"),
        "/untyped" => raw("HTTP/1.1 200 OK\r\n\r\n<!DOCTYPE html><p>typed"),
        "/close" => raw("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end"),
        "/chunks" => raw(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        ),
        "/gzip" => {
            let body = super::limits::gzip(b"packed");
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n";
            Answer::Bytes([head.as_bytes(), &body].concat())
        }
        _ => page("text/plain", ""),
    })
    .await;
    let web = Web::new(local());
    for (path, text) in [
        ("/json", "{ \"a\":  [1, 2] }\n"),
        ("/xml", "<?xml version='1.0'?><feed>\n <a/></feed>"),
        ("/md", "# x\n\n* y"),
        ("/utf16", "hi"),
        ("/untyped", "typed"),
        ("/close", "until the end"),
        ("/chunks", "abcde"),
        ("/gzip", "packed"),
        ("/empty", ""),
    ] {
        let value = web.fetch(&server.url(path)).await;
        assert_eq!(value["text"], text, "{path}");
        assert_eq!((&value["truncated"], &value["status_code"]), (&json!(false), &json!(200)), "{path}");
    }
    let result = web.call("web_fetch", json!({ "url": server.url("/empty") })).await;
    assert!(result.text().contains("The page has no text."), "{}", result.text());
}

#[tokio::test]
async fn what_is_no_text_is_refused_with_type_and_size() {
    let server = Server::start(|path| match path {
        "/png" => page("image/png", [0_u8; 1234]),
        "/pdf" => page("application/pdf", "%PDF-1.7"),
        _ => page("text/plain", b"\x7fELF\0\0\0"),
    })
    .await;
    let web = Web::new(local());
    for (path, what) in
        [("/png", "image/png, 1234 bytes"), ("/pdf", "application/pdf, 8 bytes"), ("/elf", "NUL")]
    {
        let (code, message) = web.refused(&server.url(path)).await;
        assert_eq!(code, "UNSUPPORTED_CONTENT", "{message}");
        assert!(message.contains(what) && message.contains(path), "{message}");
    }
}

#[tokio::test]
async fn a_long_text_is_read_in_windows() {
    let text = "aé😀".repeat(40);
    let body = text.clone();
    let server = Server::start(move |_| page("text/plain; charset=utf-8", &body)).await;
    let web = Web::new(WebConfig { max_characters: 50, ..local() });
    let mut gathered = String::new();
    for (offset, note) in [
        (0, "Characters 1 to 50 of 120. Continue with offset 50."),
        (50, "Characters 51 to 100 of 120. Continue with offset 100."),
        (100, "This is the end of the text, which has 120 characters."),
    ] {
        let result = web.call("web_fetch", json!({ "url": server.url("/"), "offset": offset })).await;
        assert!(result.text().contains(note), "{}", result.text());
        let value: Value = serde_json::from_str(&result.value().unwrap().to_text()).unwrap();
        gathered.push_str(value["text"].as_str().unwrap());
    }
    assert_eq!(gathered, text);
    let result = web.call("web_fetch", json!({ "url": server.url("/"), "offset": 121 })).await;
    assert!(result.text().contains("past its end"), "{}", result.text());
}

#[tokio::test]
async fn the_tools_overlap_and_are_not_pure() {
    let web = Web::new(WebConfig::default());
    for (tool, args) in
        [("web_fetch", json!({ "url": "http://a/" })), ("web_search", json!({ "query": "x" }))]
    {
        let call = ToolCall::new(tool, args, CancellationToken::new());
        assert_eq!(web.runtime.execution_mode(&call), ToolExecutionMode::Parallel);
        // A rule set asks before what is not pure: an address can carry data away.
        assert_eq!(web.runtime.get(tool).unwrap().effect(), ToolEffect::Idempotent);
    }
}
