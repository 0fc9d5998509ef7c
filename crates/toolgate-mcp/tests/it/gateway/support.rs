//! What the tests of the gateway share: tools that can be watched, a client that writes its frames by hand on a pair of
//! sockets, and one that writes its HTTP by hand.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use toolgate::prelude::*;
use toolgate::{Progress, Report, ReportedMessage, Severity, ToolDefinition};
use toolgate_mcp::gateway::{Gateway, HttpOptions};

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The protocol's version of the eras with and without sessions.
pub(crate) const OLD: &str = "2025-11-25";
pub(crate) const NEW: &str = "2026-07-28";

/// What the tools of a test did.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// Bodies that began.
    pub(crate) began: Arc<AtomicUsize>,
    /// Bodies that came to rest after they had been cancelled.
    pub(crate) stopped: Arc<AtomicUsize>,
}

impl World {
    pub(crate) fn began(&self) -> usize {
        self.began.load(Ordering::SeqCst)
    }

    pub(crate) fn stopped(&self) -> usize {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// A tool of plain JSON, which takes anything and returns what its schema says.
pub(crate) fn raw<F>(
    name: &str,
    output: Value,
    body: impl Fn(JsonValue, RunContext) -> F + Send + Sync + 'static,
) -> ToolDefinition
where
    F: Future<Output = Result<JsonValue, ToolError>> + Send + 'static,
{
    ToolDefinition::raw(name, format!("The tool {name}."))
        .raw_parameters(json!({ "type": "object" }))
        .output_schema(output)
        .body(body)
}

/// The tools that most tests need.
pub(crate) fn runtime(world: &World) -> ToolRuntime {
    runtime_with(world, |builder| builder)
}

pub(crate) fn runtime_with(
    world: &World,
    more: impl FnOnce(toolgate::ToolRuntimeBuilder) -> toolgate::ToolRuntimeBuilder,
) -> ToolRuntime {
    let (began, waiting) = (world.clone(), world.clone());
    let builder = ToolRuntime::builder()
        .tool(raw("echo", json!({}), move |arguments, _| {
            began.began.fetch_add(1, Ordering::SeqCst);
            async move { Ok(arguments) }
        }))
        .tool(
            ToolDefinition::raw("add", "Adds two integers.")
                .raw_parameters(json!({ "type": "object", "properties": { "a": {}, "b": {} } }))
                .output_schema(json!({
                    "type": "object",
                    "properties": { "sum": { "type": "integer" } },
                    "required": ["sum"],
                    "additionalProperties": false
                }))
                .effect(ToolEffect::Pure)
                .body(|arguments, _| async move {
                    let number = |name: &str| arguments.get(name).and_then(Value::as_i64).unwrap_or_default();
                    Ok(JsonValue::parse(&format!("{{\"sum\":{}}}", number("a") + number("b"))).unwrap())
                }),
        )
        .tool(raw("wait", json!({ "type": "string" }), move |_, cx| {
            let world = waiting.clone();
            async move {
                world.began.fetch_add(1, Ordering::SeqCst);
                cx.cancellation().cancelled().await;
                world.stopped.fetch_add(1, Ordering::SeqCst);
                Err(ToolError::new("stopped"))
            }
        }))
        .tool(raw("report", json!({ "type": "string" }), |_, cx| async move {
            let message = |severity, text: &str| {
                Report::Message(ReportedMessage { severity, source: None, data: JsonValue::from(text) })
            };
            cx.report(&message(Severity::Debug, "little"));
            for done in [1.0, 1.0, 2.0] {
                cx.report(&Report::Progress(Progress { done, total: Some(2.0), message: None }));
            }
            cx.report(&message(Severity::Error, "much"));
            Ok(JsonValue::from("reported"))
        }))
        .tool(raw("fail", json!({ "type": "string" }), |_, _| async move {
            Err::<JsonValue, _>(ToolError::new("it did not work"))
        }));
    more(builder).build().expect("the tools are sound")
}

/// A client on a socket, which writes what it likes.
pub(crate) struct Client {
    write: Option<OwnedWriteHalf>,
    read: BufReader<OwnedReadHalf>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Client {
    pub(crate) fn connect(gateway: &Gateway) -> Self {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let (read, write) = theirs.into_split();
        let gateway = gateway.clone();
        let served = tokio::spawn(async move { gateway.serve_stdio(read, write).await });
        let (read, write) = ours.into_split();
        Self { write: Some(write), read: BufReader::new(read), served }
    }

    /// A client that has shaken hands, with what it can do.
    pub(crate) async fn initialized(gateway: &Gateway, capabilities: Value) -> Self {
        let mut client = Self::connect(gateway);
        client.send(initialize(OLD, "test", &capabilities)).await;
        let answer = client.receive().await;
        assert_eq!(answer["result"]["protocolVersion"], OLD, "{answer}");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        let write = self.write.as_mut().expect("the client writes still");
        write.write_all(format!("{text}\n").as_bytes()).await.expect("the gateway reads");
    }

    /// The next message, as it was written.
    pub(crate) async fn receive_text(&mut self) -> String {
        let mut line = String::new();
        timeout(PATIENCE, self.read.read_line(&mut line))
            .await
            .expect("an answer in time")
            .expect("the gateway writes");
        line
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.receive_text().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.receive().await
    }

    /// Writes no more.
    pub(crate) fn close_input(&mut self) {
        self.write = None;
    }

    /// Goes away, and waits for the gateway to notice.
    pub(crate) async fn leave(self) {
        let Self { write, read, served } = self;
        drop((write, read));
        let _ = timeout(PATIENCE, served).await.expect("the gateway lets go").expect("no panic");
    }
}

pub(crate) fn initialize(version: &str, client: &str, capabilities: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": client, "version": "1" },
        },
    })
}

pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": { "name": tool, "arguments": arguments },
    })
}

/// What every request of 2026-07-28 says of its client.
pub(crate) fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// A call of 2026-07-28.
pub(crate) fn new_call(id: i64, tool: &str, arguments: Value, capabilities: Value) -> Value {
    let mut call = call(id, tool, arguments);
    call["params"]["_meta"] = meta(capabilities);
    call
}

/// Waits for something to be so.
pub(crate) async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what}: never"));
}

/// A gateway over HTTP.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) gateway: Gateway,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Served {
    pub(crate) async fn start(gateway: Gateway, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let served = gateway.clone();
        let serving = tokio::spawn(async move { served.serve_http(listener, options).await });
        Self { address, gateway, serving }
    }

    pub(crate) async fn stop(self) {
        self.gateway.shut_down().await;
        timeout(PATIENCE, self.serving).await.expect("it ends").expect("no panic").expect("it served");
    }

    /// Sends a request, and reads the whole answer.
    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut stream = self.open(method, path, headers, body).await;
        let mut text = String::new();
        timeout(PATIENCE, stream.read_to_string(&mut text))
            .await
            .expect("an answer in time")
            .expect("a text");
        Answer::of(text)
    }

    /// Sends a request, and gives the connection.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        let usual = [
            ("host", "localhost"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        for (name, value) in usual.iter().filter(|(name, _)| !is_given(name)).chain(headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !is_given("content-length") {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await.expect("the head is read");
        stream.write_all(body.as_bytes()).await.expect("the body is read");
        stream
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.request("POST", "/mcp", headers, &message.to_string()).await
    }

    /// Shakes hands; gives the id of the session.
    pub(crate) async fn session(&self, headers: &[(&str, &str)]) -> String {
        let answer = self.post(headers, &initialize(OLD, "test", &json!({}))).await;
        let id = answer.header("mcp-session-id").unwrap_or_else(|| panic!("{answer:?}")).to_owned();
        let mut with_id = headers.to_vec();
        with_id.push(("mcp-session-id", &id));
        self.post(&with_id, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        id
    }
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn of(text: String) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The messages in the body: the whole of it, or those of its events.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let events =
            self.body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        let events: Vec<Value> = events.collect();
        if events.is_empty() { serde_json::from_str(&self.body).into_iter().collect() } else { events }
    }

    /// The last message: the answer.
    pub(crate) fn message(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("no message in {self:?}"))
    }
}
