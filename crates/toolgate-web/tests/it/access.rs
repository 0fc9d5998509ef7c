//! Who gets in: the link, the cookie, the host, the origin.

use crate::support::{Server, says};

/// What a request without something is answered with.
async fn status(server: &Server, request: &str) -> u16 {
    let request = request
        .replace("HOST", &server.address.to_string())
        .replace("COOKIE", &server.cookie())
        .replace("PORT", &server.address.port().to_string());
    server.raw(&format!("{request}\nConnection: close\n\n")).await.status
}

#[tokio::test]
async fn nothing_is_shown_without_the_cookie() {
    let server = Server::start(vec![says("done")]).await;
    for path in [
        "/",
        "/approvals",
        "/tools",
        "/tool?name=read",
        "/policy",
        "/statistics",
        "/events",
        "/assets/page.js",
    ] {
        for cookie in [
            "",
            "\nCookie: toolgate_PORT=",
            "\nCookie: toolgate_PORT=0000000000000000000000000000000000000000000000000000000000000000",
            "\nCookie: other=1; toolgate_1=COOKIE",
        ] {
            let request = format!("GET {path} HTTP/1.1\nHost: HOST{cookie}");
            assert_eq!(status(&server, &request).await, 401, "{path} {cookie}");
        }
    }
    assert_eq!(
        status(&server, "POST /sessions HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nContent-Length: 0").await,
        401
    );
    assert_eq!(status(&server, "GET / HTTP/1.1\nHost: HOST\nCookie: a=b; COOKIE").await, 200);
}

#[tokio::test]
async fn a_link_lets_one_browser_in_once() {
    let server = Server::start(Vec::new()).await;
    let path =
        server.link.split_once(&server.address.to_string()).map_or(server.link.as_str(), |(_, path)| path);
    let path = path.strip_prefix("http://toolgate.test").unwrap_or(path).to_owned();
    let enter = async || {
        server.raw(&format!("GET {path} HTTP/1.1\nHost: {}\nConnection: close\n\n", server.address)).await
    };
    let first = enter().await;
    assert_eq!((first.status, first.header("location")), (303, Some("/")));
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&server.cookie()), "{cookie}");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let second = enter().await;
    assert_eq!(second.status, 401);
    assert_eq!(second.header("set-cookie"), None);
    for wrong in ["/enter", "/enter?link=", "/enter?link=zz"] {
        assert_eq!(status(&server, &format!("GET {wrong} HTTP/1.1\nHost: HOST")).await, 401, "{wrong}");
    }
    // A page gives another one.
    let page = server.post("/links", &[]).await;
    assert!(page.body.contains("/enter?link="), "{}", page.body);
}

#[tokio::test]
async fn a_foreign_host_reaches_nothing() {
    let server = Server::start(Vec::new()).await;
    for (host, expected) in [
        ("HOST", 200),
        ("localhost:PORT", 200),
        ("[::1]:PORT", 200),
        ("toolgate.test", 200),
        ("evil.example", 421),
        ("evil.example:PORT", 421),
        ("127.0.0.1", 421),
        ("localhost:1", 421),
        ("HOST.evil.example", 421),
        ("", 421),
    ] {
        let request = format!("GET / HTTP/1.1\nHost: {host}\nCookie: COOKIE");
        assert_eq!(status(&server, &request).await, expected, "{host}");
    }
    assert_eq!(status(&server, "GET / HTTP/1.1\nHost: HOST\nHost: HOST\nCookie: COOKIE").await, 421);
}

#[tokio::test]
async fn another_page_can_change_nothing_and_read_nothing() {
    let server = Server::start(vec![says("done")]).await;
    for (headers, expected) in [
        ("Origin: http://HOST", 303),
        ("Origin: http://localhost:PORT\nSec-Fetch-Site: same-origin", 303),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Origin: https://HOST", 403),
        ("Origin: http://HOST.evil.example", 403),
        ("Origin: http://127.0.0.1:1", 403),
        ("Origin: http://HOST\nSec-Fetch-Site: cross-site", 403),
        ("Origin: http://HOST\nSec-Fetch-Site: same-site\nSec-Fetch-Mode: navigate", 403),
        ("X-None: 1", 403),
    ] {
        let request = format!(
            "POST /sessions HTTP/1.1\nHost: HOST\nCookie: COOKIE\n{headers}\n\
             Content-Type: application/x-www-form-urlencoded\nContent-Length: 6\nConnection: close\n\ntask=a"
        );
        assert_eq!(status(&server, &request).await, expected, "{headers}");
    }
    for (headers, expected) in [
        ("Sec-Fetch-Site: same-origin", 200),
        ("Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate", 200),
        ("Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors", 403),
        ("Sec-Fetch-Site: same-site\nSec-Fetch-Mode: cors", 403),
        ("Origin: http://evil.example", 403),
    ] {
        let request = format!("GET /tools HTTP/1.1\nHost: HOST\nCookie: COOKIE\n{headers}");
        assert_eq!(status(&server, &request).await, expected, "{headers}");
    }
    assert_eq!(
        status(&server, "DELETE / HTTP/1.1\nHost: HOST\nCookie: COOKIE\nOrigin: http://HOST").await,
        405
    );
    assert_eq!(status(&server, "OPTIONS / HTTP/1.1\nHost: HOST\nOrigin: http://evil.example").await, 405);
}

#[tokio::test]
async fn every_answer_says_what_browsers_may_do() {
    let server = Server::start(Vec::new()).await;
    let refused =
        server.raw(&format!("GET / HTTP/1.1\nHost: {}\nConnection: close\n\n", server.address)).await;
    for answer in
        [server.get("/").await, server.get("/nothing").await, server.get("/assets/page.css").await, refused]
    {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    }
    // Nothing of a page is inline, and nothing of it comes from elsewhere.
    let page = server.get("/").await.body;
    for part in [" style=", " onclick=", "<style", "http://", "https://", "//cdn"] {
        assert!(!page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("<script").count(), 1);
}

#[tokio::test]
async fn forms_are_bounded() {
    let server = Server::start(Vec::new()).await;
    let body = "a".repeat(5 << 20);
    let request = format!(
        "POST /sessions HTTP/1.1\nHost: HOST\nCookie: COOKIE\nOrigin: http://HOST\nConnection: close\n\
         Content-Type: application/x-www-form-urlencoded\nContent-Length: {}\n\ntask={body}",
        body.len() + 5
    );
    assert_eq!(status(&server, &request).await, 413);
}
