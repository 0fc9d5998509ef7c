//! The gateway over HTTP, and clients that mean no good.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolgate_mcp::gateway::{Access, Credential, Gateway, GatewayLimits, HttpOptions, Secret};

use super::support::{OLD, PATIENCE, Served, World, call, eventually, initialize, new_call, runtime};

async fn open_to_all(world: &World, limits: GatewayLimits) -> Served {
    let gateway = Gateway::of(runtime(world).scope("agent")).limits(limits).build();
    Served::start(gateway, HttpOptions::new(Access::Everybody)).await
}

fn new_headers(tool: &str) -> [(&str, &str); 3] {
    [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", tool)]
}

/// Reads from a connection until some text has come.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = String::new();
    let reading = async {
        let mut block = [0; 1024];
        while !read.contains(text) {
            match stream.read(&mut block).await.expect("the connection is there") {
                0 => panic!("the connection ended after {read:?}"),
                count => read.push_str(&String::from_utf8_lossy(&block[..count])),
            }
        }
    };
    timeout(PATIENCE, reading).await.expect("the text in time");
    read
}

#[tokio::test]
async fn a_session_and_requests_that_stand_alone_are_both_served() {
    let served = open_to_all(&World::default(), GatewayLimits::default()).await;
    let id = served.session(&[]).await;
    let answer = served.post(&[("mcp-session-id", &id)], &call(1, "add", json!({ "a": 2, "b": 3 }))).await;
    assert_eq!(answer.message()["result"]["structuredContent"]["sum"], 5, "{answer:?}");
    let answer =
        served.post(&new_headers("add"), &new_call(1, "add", json!({ "a": 2, "b": 3 }), json!({}))).await;
    assert_eq!(answer.message()["result"]["structuredContent"]["sum"], 5, "{answer:?}");

    let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":18446744073709551615}}}"#;
    let answer = served.request("POST", "/mcp", &[("mcp-session-id", &id)], text).await;
    assert!(answer.body.contains(r#"{\"n\":18446744073709551615}"#), "K24: {answer:?}");
    let text = text.replace("18446744073709551615", "12345678901234567890123");
    let answer = served.request("POST", "/mcp", &[("mcp-session-id", &id)], &text).await;
    assert_eq!(answer.message()["result"]["isError"], true, "K24: {answer:?}");

    let ended = served.request("DELETE", "/mcp", &[("mcp-session-id", &id)], "").await;
    assert!((200..300).contains(&ended.status), "{ended:?}");
    let answer = served.post(&[("mcp-session-id", &id)], &call(2, "add", json!({}))).await;
    assert_eq!(answer.status, 404, "{answer:?}");
    served.stop().await;
}

#[tokio::test]
async fn nobody_comes_in_without_a_token_from_a_strange_host_or_a_strange_page() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let (options, token) = HttpOptions::with_new_token().expect("randomness");
    let served = Served::start(gateway, options).await;
    assert_eq!(token.reveal().len(), 64);
    assert!(!format!("{token:?}").contains(token.reveal()));
    let good = format!("Bearer {}", token.reveal());
    let short = &good[..good.len() - 1];
    let cases: &[(&[(&str, &str)], u16)] = &[
        (&[("authorization", &good)], 200),
        (&[("authorization", &good), ("origin", "http://localhost:3000")], 200),
        (&[("authorization", &good), ("host", "127.0.0.1:1234")], 200),
        (&[], 401),
        (&[("authorization", "Bearer")], 401),
        (&[("authorization", "Bearer x")], 401),
        (&[("authorization", short)], 401),
        (&[("authorization", token.reveal())], 401),
        (&[("authorization", &good), ("host", "evil.example")], 403),
        (&[("authorization", &good), ("origin", "http://evil.example")], 403),
        (&[("authorization", &good), ("origin", "null")], 403),
        (&[("authorization", &good), ("accept", "application/json")], 406),
        (&[("authorization", &good), ("content-type", "text/plain")], 415),
    ];
    for (headers, status) in cases {
        let answer = served.post(headers, &initialize(OLD, "test", &json!({}))).await;
        assert_eq!(answer.status, *status, "{headers:?}: {answer:?}");
        assert_eq!(answer.header("www-authenticate").is_some(), *status == 401, "{answer:?}");
    }
    served.stop().await;
}

#[tokio::test]
async fn a_session_belongs_to_the_credential_that_began_it() {
    let world = World::default();
    let gateway = Gateway::of(runtime(&world).scope("agent")).build();
    let credential = |name: &str| Credential::new(name, Secret::new(format!("{name}-token")));
    let access = Access::Credentials(vec![credential("ada"), credential("bob")]);
    let served = Served::start(gateway, HttpOptions::new(access)).await;
    let (ada, bob) = (("authorization", "Bearer ada-token"), ("authorization", "Bearer bob-token"));
    let id = served.session(&[ada]).await;
    let mine = served.post(&[ada, ("mcp-session-id", &id)], &call(1, "add", json!({}))).await;
    assert_eq!(mine.status, 200, "{mine:?}");
    for method in ["POST", "GET", "DELETE"] {
        let body = if method == "POST" { call(1, "add", json!({})).to_string() } else { String::new() };
        let answer = served.request(method, "/mcp", &[bob, ("mcp-session-id", &id)], &body).await;
        assert!(!(200..300).contains(&answer.status) || method == "DELETE", "K44: {method}: {answer:?}");
    }
    let mine = served.post(&[ada, ("mcp-session-id", &id)], &call(2, "add", json!({}))).await;
    assert_eq!(mine.status, 200, "K44: nobody else ended it: {mine:?}");
    let guessed = served
        .post(&[ada, ("mcp-session-id", "00000000-0000-4000-8000-000000000000")], &call(1, "add", json!({})))
        .await;
    assert_eq!(guessed.status, 404);
    served.stop().await;
}

#[tokio::test]
async fn bodies_are_bounded_and_judged() {
    let limits = GatewayLimits { message_bytes: 10_000, ..GatewayLimits::default() };
    let served = open_to_all(&World::default(), limits).await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"x":{}1{}}}}}"#,
        "[".repeat(3_000),
        "]".repeat(3_000)
    );
    let long = format!("\"{}\"", "x".repeat(20_000));
    let cases = [
        ("POST", "no JSON", 400),
        ("POST", "", 400),
        ("POST", "[]", 400),
        ("POST", deep.as_str(), 400),
        ("POST", long.as_str(), 413),
        ("PUT", "", 405),
        ("GET", "", 400),
    ];
    for (method, body, status) in cases {
        let answer = served.request(method, "/mcp", &[], body).await;
        assert_eq!(answer.status, status, "{method} {:.40}: {answer:?}", body);
    }
    // A body without a length is bounded while it is read.
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("3000\r\n{}\r\n", "x".repeat(0x3000));
    let _ = stream.write_all(chunk.as_bytes()).await;
    read_until(&mut stream, "413").await;
    served.stop().await;
}

#[tokio::test]
async fn who_sends_slowly_is_let_go() {
    let limits = GatewayLimits {
        request_time: Duration::from_millis(200),
        connections: 2,
        ..GatewayLimits::default()
    };
    let served = open_to_all(&World::default(), limits).await;
    let mut slow = Vec::new();
    for text in [
        "POST /mcp HTTP/1.1\r\nhost: loc",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{",
    ] {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let answer = served.post(&[], &initialize(OLD, "test", &json!({}))).await;
    assert_eq!(answer.status, 200, "they hold the only two connections for a time: {answer:?}");
    for mut stream in slow {
        let mut rest = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("the connection is closed");
    }
    served.stop().await;
}

#[tokio::test]
async fn sessions_are_bounded_and_those_that_nobody_uses_make_room() {
    let limits =
        GatewayLimits { sessions: 3, session_idle: Duration::from_millis(300), ..GatewayLimits::default() };
    let world = World::default();
    let served = open_to_all(&world, limits).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(served.session(&[]).await);
    }
    let mut busy = served
        .open("POST", "/mcp", &[("mcp-session-id", &ids[0])], &call(1, "wait", json!({})).to_string())
        .await;
    eventually("it runs", || world.began() == 1).await;
    let refused = served.post(&[], &initialize(OLD, "test", &json!({}))).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.header("retry-after").is_some());

    // The stream is lost, the call is not: a client of this era may come back for it.
    read_until(&mut busy, "200").await;
    drop(busy);
    let waiting = async {
        while served.post(&[], &initialize(OLD, "test", &json!({}))).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("room in time");
    assert_eq!(world.stopped(), 0, "a session with a call under way is in use");
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    assert_eq!(served.post(&[("mcp-session-id", &ids[0])], &ping).await.status, 200);
    assert_eq!(served.post(&[("mcp-session-id", &ids[1])], &ping).await.status, 404);
    served.stop().await;
}

#[tokio::test]
async fn a_stream_that_breaks_can_be_resumed_and_its_answer_is_not_lost() {
    let world = World::default();
    let served = open_to_all(&world, GatewayLimits::default()).await;
    let id = served.session(&[]).await;
    let session = ("mcp-session-id", id.as_str());
    let mut stream = served.open("POST", "/mcp", &[session], &call(1, "wait", json!({})).to_string()).await;
    let head = read_until(&mut stream, "id: ").await;
    let head = head + &read_until(&mut stream, "\n").await;
    let event = head.split("id: ").nth(1).unwrap().lines().next().unwrap().trim().to_owned();
    eventually("it runs", || world.began() == 1).await;
    drop(stream);

    // While the client is away the call goes on; now it ends.
    served.session(&[]).await;
    let mut resumed = served.open("GET", "/mcp", &[session, ("last-event-id", &event)], "").await;
    read_until(&mut resumed, "200").await;
    let other = served.session(&[]).await;
    let mut stolen =
        served.open("GET", "/mcp", &[("mcp-session-id", &other), ("last-event-id", &event)], "").await;
    read_until(&mut stolen, "200").await;

    let add = served.post(&[session], &call(2, "add", json!({ "a": 1, "b": 1 }))).await;
    let event =
        add.body.lines().find_map(|line| line.strip_prefix("id: ")).expect("an event id").trim().to_owned();
    let again = served.request("GET", "/mcp", &[session, ("last-event-id", &event)], "").await;
    assert_eq!(
        again.message()["result"]["structuredContent"]["sum"],
        2,
        "answered once and again: {again:?}"
    );
    served.stop().await;
    let mut rest = String::new();
    let _ = timeout(PATIENCE, resumed.read_to_string(&mut rest)).await;
    assert!(
        rest.contains("\"id\":1") && rest.contains("isError"),
        "the stream that was resumed has the answer: {rest}"
    );
    let mut rest = String::new();
    let _ = timeout(PATIENCE, stolen.read_to_string(&mut rest)).await;
    assert!(!rest.contains("\"id\":1"), "K44: an event id leads nowhere in another session: {rest}");
    assert_eq!(world.stopped(), 1, "the shutdown cancelled what was left");
}

#[tokio::test]
async fn in_the_newer_era_a_lost_connection_cancels_the_call() {
    let world = World::default();
    let served = open_to_all(&world, GatewayLimits::default()).await;
    let request = new_call(1, "wait", json!({}), json!({})).to_string();
    let stream = served.open("POST", "/mcp", &new_headers("wait"), &request).await;
    eventually("it runs", || world.began() == 1).await;
    drop(stream);
    eventually("it has stopped", || world.stopped() == 1).await;
    served.stop().await;
}

#[tokio::test]
async fn a_session_that_is_deleted_takes_its_calls_with_it() {
    let world = World::default();
    let served = open_to_all(&world, GatewayLimits::default()).await;
    let id = served.session(&[]).await;
    let session = ("mcp-session-id", id.as_str());
    let _stream = served.open("POST", "/mcp", &[session], &call(1, "wait", json!({})).to_string()).await;
    eventually("it runs", || world.began() == 1).await;
    served.request("DELETE", "/mcp", &[session], "").await;
    eventually("it has stopped", || world.stopped() == 1).await;
    served.stop().await;
}

#[tokio::test]
async fn a_shutdown_lets_calls_finish_for_a_time_and_then_cancels_them() {
    let world = World::default();
    let limits = GatewayLimits { shutdown_grace: Duration::from_millis(200), ..GatewayLimits::default() };
    let served = open_to_all(&world, limits).await;
    let address = served.address;
    let id = served.session(&[]).await;
    let session = ("mcp-session-id", id.as_str());
    let mut stream = served.open("POST", "/mcp", &[session], &call(1, "wait", json!({})).to_string()).await;
    eventually("it runs", || world.began() == 1).await;
    served.stop().await;
    assert_eq!(world.stopped(), 1);
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
    let mut rest = String::new();
    let _ = timeout(PATIENCE, stream.read_to_string(&mut rest)).await.expect("the stream ends");
    let message = rest
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
        .next();
    assert_eq!(message.map(|message| message["result"]["isError"].clone()), Some(json!(true)), "{rest}");
}
