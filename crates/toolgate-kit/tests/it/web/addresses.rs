//! Which addresses are contacted: none that is not public, however it is written, resolved or redirected to.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpListener;
use toolgate_kit::{WebConfig, web_tools};

use super::server::{Scripted, Server, Web, local, page, redirect};

#[tokio::test]
async fn no_spelling_of_a_local_address_is_contacted() {
    let server = Server::start(|_| page("text/plain", "secret")).await;
    let port = server.address.port();
    let web = Web::new(WebConfig::default());
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.0.2",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[::]",
        "0.0.0.0",
        "0",
        "localhost",
        "LOCALHOST",
        "１２７.0.0.1",
        "127。0。0。1",
        "169.254.169.254",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[fe80::1]",
        "[fc00::1]",
        "[ff02::1]",
        "[fd00:ec2::254]",
    ] {
        let (code, message) = web.refused(&format!("http://{host}:{port}/")).await;
        assert_eq!(code, "ADDRESS_REFUSED", "{host}: {message}");
        assert!(message.contains("was not contacted") && message.contains("allow_private"), "{message}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn what_is_no_plain_web_address_is_refused() {
    let web = Web::new(local());
    for (url, why) in [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.com/", "only http and https"),
        ("data:text/plain,x", "only http and https"),
        ("gopher://127.0.0.1/", "only http and https"),
        ("http://user@127.0.0.1/", "user name or password"),
        ("http://:secret@127.0.0.1/", "user name or password"),
        ("example.com", "relative URL"),
        ("http://", "empty host"),
        ("http://a b/", "invalid"),
        ("http://1.2.3.256/", "invalid IPv4"),
        ("http://[::1/", "invalid IPv6"),
        ("http://127.0.0.1:99999/", "invalid port"),
        ("", "relative URL"),
    ] {
        let (code, message) = web.refused(url).await;
        assert_eq!(code, "INVALID_ARGS", "{url}: {message}");
        assert!(message.contains(why) && message.contains("hint: "), "{url}: {message}");
    }
    // A password is not repeated, however it is spelled.
    for url in [
        "http://me:sesame@a.example/x",
        "http:me:sesame@a.example",
        "https:\\\\me:se@sesame@a.example\\x",
        "http://me:sesame@a.example:99999/",
        "ftp://sesame@a.example/",
        "://sesame@a.example/",
    ] {
        let (code, message) = web.refused(url).await;
        assert_eq!(code, "INVALID_ARGS", "{url}: {message}");
        assert!(message.contains("…@a.example") && !message.contains("sesame"), "{url}: {message}");
    }
    let (code, message) = web.refused(&format!("http://127.0.0.1/{}", "x".repeat(1_000_000))).await;
    assert_eq!(code, "INVALID_ARGS");
    assert!(message.len() < 1_000, "{}", message.len());
}

#[tokio::test]
async fn a_name_is_refused_by_what_it_resolves_to() {
    let server = Server::start(|_| page("text/plain", "secret")).await;
    for answer in [&["127.0.0.1"][..], &["8.8.8.8", "127.0.0.1"], &["::ffff:127.0.0.1"], &["::1", "8.8.8.8"]]
    {
        let web = Web::with(web_tools(WebConfig::default()).with_resolver(Scripted::new(&[answer])));
        let (code, message) = web.refused(&format!("http://inner.example:{}/", server.address.port())).await;
        assert_eq!(code, "ADDRESS_REFUSED", "{message}");
        assert!(message.contains("inner.example"), "{message}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to() {
    let good = Server::start(|_| page("text/plain", "good")).await;
    let port = good.address.port();
    let evil =
        Server::start_on(format!("127.0.0.2:{port}").parse().unwrap(), |_| page("text/plain", "evil")).await;
    let resolver = Scripted::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let web = Web::with(web_tools(local()).with_resolver(resolver.clone()));
    let url = format!("http://rebound.example:{port}/");
    assert_eq!(web.fetch(&url).await["text"], "good");
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);
    assert!(
        good.requests()[0].contains(&format!("host: rebound.example:{port}\r\n")),
        "{:?}",
        good.requests()
    );
    let (code, _) = web.refused(&url).await;
    assert_eq!(code, "ADDRESS_REFUSED");
    assert_eq!((good.connections(), evil.connections()), (1, 0));
}

#[tokio::test]
async fn a_redirect_is_resolved_and_checked_again() {
    let port = TcpListener::bind("127.0.0.2:0").await.unwrap().local_addr().unwrap().port();
    let evil =
        Server::start_on(format!("127.0.0.2:{port}").parse().unwrap(), |_| page("text/plain", "evil")).await;
    let first = Server::start_on(format!("127.0.0.1:{port}").parse().unwrap(), |_| redirect("/again")).await;
    let resolver = Scripted::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let web = Web::with(web_tools(local()).with_resolver(resolver.clone()));
    let (code, message) = web.refused(&format!("http://rebound.example:{port}/")).await;
    assert_eq!(code, "ADDRESS_REFUSED", "{message}");
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 2);
    assert_eq!((first.connections(), evil.connections()), (1, 0));
}

#[tokio::test]
async fn a_redirect_never_leaves_the_site() {
    let other = Server::start(|_| page("text/plain", "other")).await;
    let place = other.url("/other");
    let elsewhere = place.clone();
    let server = Server::start(move |path| match path {
        "/port" => redirect(&elsewhere),
        "/private" => redirect("http://169.254.169.254/latest/meta-data/"),
        "/file" => redirect("file:///etc/passwd"),
        "/user" => redirect("http://user:secret@127.0.0.1/"),
        _ => redirect("/"),
    })
    .await;
    let web = Web::new(local());
    for (path, to, hint) in [
        ("/port", place.as_str(), "call web_fetch with the new address"),
        ("/private", "http://169.254.169.254/", "call web_fetch"),
        ("/file", "file:///etc/passwd", "another source"),
        ("/user", "user name or password", "another source"),
        ("/", "5 redirects were followed already", "circles"),
    ] {
        let (code, message) = web.refused(&server.url(path)).await;
        assert_eq!(code, "REDIRECT_REFUSED", "{message}");
        assert!(message.contains(to) && message.contains(hint), "{message}");
        assert!(!message.contains("user:secret"), "{message}");
    }
    assert_eq!((server.connections(), other.connections()), (4 + 6, 0));
}

#[tokio::test]
async fn what_the_configuration_allows_is_reached() {
    let server = Server::start(|_| page("text/plain", "in")).await;
    let port = server.address.port();
    for (allowed, host, reached) in [
        ("127.0.0.0/8", "127.0.0.1", true),
        ("localhost", "localhost", true),
        ("localhost", "127.0.0.1", false),
        ("127.0.0.1", "[::ffff:127.0.0.1]", true),
        ("10.0.0.0/8", "127.0.0.1", false),
    ] {
        let config: WebConfig =
            serde_json::from_value(json!({ "allow_private": [allowed], "timeout_ms": 20_000 })).unwrap();
        let result =
            Web::new(config).call("web_fetch", json!({ "url": format!("http://{host}:{port}/") })).await;
        assert_eq!(result.value().is_some(), reached, "{allowed} {host}: {}", result.text());
    }
}

#[test]
fn the_configuration_has_no_unknown_keys_and_safe_defaults() {
    let defaults: WebConfig = serde_json::from_str("{}").unwrap();
    assert!(defaults.allow_private.is_empty() && defaults.timeout == Duration::from_secs(30));
    for wrong in [
        json!({ "allow": [] }),
        json!({ "allow_private": ["http://localhost/"] }),
        json!({ "search": { "api_key": "x" } }),
        json!({ "search": { "provider": "other" } }),
        json!({ "search": { "key": { "text": "x" } } }),
    ] {
        assert!(serde_json::from_value::<WebConfig>(wrong.clone()).is_err(), "{wrong}");
    }
}
