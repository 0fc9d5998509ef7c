//! `web_search` against a provider on this machine, and without one.

use std::future::Future;
use std::pin::Pin;

use serde_json::json;
use toolgate_kit::{
    KeySource, SearchAnswer, SearchConfig, SearchError, SearchProvider, SearchSource, WebConfig, web_tools,
};

use super::server::{Answer, Server, Web, page, raw};

const SECRET: &str = "BSA-very-secret-key";

/// The tools, with a provider at this address and a key that a program prints.
fn web(base_url: String) -> Web {
    let words = ["printf", "%s\\n", SECRET].map(str::to_owned).to_vec();
    let search =
        SearchConfig { base_url: Some(base_url), key: KeySource::Command(words), ..SearchConfig::default() };
    Web::new(WebConfig { search, ..WebConfig::default() })
}

fn found() -> Answer {
    let results = (1..=3).map(|number| {
        json!({
            "title": format!("Title &amp; {number}"), "url": format!("https://a.example/{number}"),
            "description": "About <strong>this</strong>\nand that", "unknown": { "key": 1 },
        })
    });
    let results: Vec<_> = results.collect();
    page(
        "application/json",
        json!({ "query": { "more_results_available": true }, "web": { "results": results }, "mixed": {} })
            .to_string(),
    )
}

#[tokio::test]
async fn a_search_lists_pages() {
    let server = Server::start(|_| found()).await;
    let web = web(server.url("/"));
    let args = json!({ "query": " rust & async ", "count": 2 });
    let result = web.call("web_search", args.clone()).await;
    assert_eq!(
        result.text(),
        "1. Title & 1\n   https://a.example/1\n   About **this** and that\n\n2. Title & 2\n   https://a.example/2\n   \
         About **this** and that\nThere are more pages. Make the query more precise to see others."
    );
    let request = server.requests().remove(0);
    assert!(request.starts_with("GET /res/v1/web/search?q=rust+%26+async&count=2&"), "{request}");
    assert!(request.contains(&format!("x-subscription-token: {SECRET}\r\n")), "{request}");
    let (pending, finished) = web.cards("web_search", args.clone()).await;
    assert_eq!(
        pending,
        json!({ "card": "generic", "title": "Search the web for  rust & async ", "kind": "search", "rawInput": args })
    );
    assert_eq!(
        finished,
        json!({
            "card": "web", "kind": "search", "truncated": true,
            "sources": [
                { "title": "Title & 1", "url": "https://a.example/1" }, { "title": "Title & 2", "url": "https://a.example/2" },
            ],
        })
    );
}

#[tokio::test]
async fn a_search_that_finds_nothing_says_so() {
    let server = Server::start(|_| page("application/json", "{}")).await;
    let result = web(server.url("/")).call("web_search", json!({ "query": "zzz" })).await;
    assert_eq!(result.text(), "Nothing was found for `zzz`.");
}

#[tokio::test]
async fn a_missing_key_is_explained() {
    for (key, what, where_) in [
        (
            KeySource::Environment("TOOLGATE_TEST_UNSET_KEY".into()),
            "TOOLGATE_TEST_UNSET_KEY has no key",
            "put the key into",
        ),
        (KeySource::Command(vec!["false".into()]), "`false` failed", "repair the key command"),
        (KeySource::Command(vec!["toolgate-no-such-program".into()]), "does not start", "repair"),
        (KeySource::Command(vec!["true".into()]), "the key is empty", "repair"),
        (KeySource::Command(Vec::new()), "the key command is empty", "repair"),
        (
            KeySource::Command(vec!["printf".into(), format!("{SECRET}\\n{SECRET}")]),
            "what no key can",
            "repair",
        ),
    ] {
        let search = SearchConfig { key, ..SearchConfig::default() };
        let web = Web::new(WebConfig { search, ..WebConfig::default() });
        let (code, message) = web.failure("web_search", json!({ "query": "x" })).await;
        assert_eq!(code, "SEARCH_UNAVAILABLE", "{message}");
        assert!(
            message.contains(what) && message.contains(where_) && message.contains("[web.search]"),
            "{message}"
        );
        assert!(!message.contains(SECRET), "{message}");
    }
}

#[tokio::test]
async fn a_provider_that_refuses_or_fails_is_explained_without_the_key() {
    let server = Server::start(|path| match path.split('/').nth(1).unwrap() {
        "401" => raw(format!("HTTP/1.1 401 No\r\nContent-Length: 99\r\n\r\nbad key {SECRET}")),
        "429" => raw("HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n"),
        "500" => raw("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"),
        "302" => {
            raw("HTTP/1.1 302 There\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n")
        }
        "html" => page("text/html", "<p>no"),
        _ => Answer::Bytes(Vec::new()),
    })
    .await;
    for (path, expected, what) in [
        ("/401/", "SEARCH_UNAVAILABLE", "refused the key"),
        ("/429/", "SEARCH_FAILED", "no more searches"),
        ("/500/", "SEARCH_FAILED", "HTTP 500"),
        ("/302/", "SEARCH_FAILED", "HTTP 302"),
        ("/html/", "SEARCH_FAILED", "not the JSON"),
        ("/gone/", "SEARCH_FAILED", "no valid answer"),
    ] {
        let (code, message) = web(server.url(path)).failure("web_search", json!({ "query": "x" })).await;
        assert_eq!(code, expected, "{message}");
        assert!(
            message.contains(what) && message.contains("hint: ") && !message.contains(SECRET),
            "{message}"
        );
    }
}

#[tokio::test]
async fn the_key_is_not_sent_in_plain_text_over_a_network() {
    for base in ["http://search.example/", "ftp://search.example/", "nonsense"] {
        let (code, message) = web(base.to_owned()).failure("web_search", json!({ "query": "x" })).await;
        assert_eq!(code, "SEARCH_UNAVAILABLE", "{message}");
        assert!(message.contains("base_url"), "{message}");
    }
}

#[tokio::test]
async fn a_query_has_to_be_one() {
    let web = web("http://localhost:1/".to_owned());
    for args in [
        json!({ "query": " " }),
        json!({ "query": "x".repeat(401) }),
        json!({ "query": "x", "count": 0 }),
        json!({ "query": "x", "count": 21 }),
    ] {
        let (code, message) = web.failure("web_search", args).await;
        assert_eq!(code, "INVALID_ARGS", "{message}");
    }
}

struct Oracle;

impl SearchProvider for Oracle {
    fn search<'a>(
        &'a self,
        query: &'a str,
        count: u32,
    ) -> Pin<Box<dyn Future<Output = Result<SearchAnswer, SearchError>> + Send + 'a>> {
        let source = SearchSource {
            title: query.to_owned(),
            url: format!("https://a.example/{count}"),
            snippet: String::new(),
        };
        let answer = SearchAnswer { sources: vec![source], answer: Some("42".to_owned()), truncated: false };
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test]
async fn another_provider_may_answer() {
    let web = Web::with(web_tools(WebConfig::default()).with_search_provider(Oracle));
    let result = web.call("web_search", json!({ "query": "x" })).await;
    assert_eq!(result.text(), "42\n\n1. x\n   https://a.example/10");
    let (_, finished) = web.cards("web_search", json!({ "query": "x" })).await;
    assert_eq!((&finished["answer"], &finished["card"]), (&json!("42"), &json!("web")));
}
