//! A server that answers with the bytes a test gives it, and counts what happened; and a runtime with the web tools.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use toolgate::{CancellationToken, JsonValue, ToolCall, ToolExecutionResult, ToolResult, ToolRuntime};
use toolgate_kit::{HostResolver, WebConfig, WebTools, web_tools};

/// What a connection is answered with once its request has arrived.
pub(crate) enum Answer {
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// These bytes, then nothing more while the client stays.
    Stall(Vec<u8>),
    /// These bytes, then the second ones for ever, with a pause after each.
    Endless(Vec<u8>, Vec<u8>, Duration),
}

/// A 200 with a body of this type.
pub(crate) fn page(content_type: &str, body: impl AsRef<[u8]>) -> Answer {
    let body = body.as_ref();
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len());
    Answer::Bytes([head.as_bytes(), body].concat())
}

pub(crate) fn raw(text: impl AsRef<[u8]>) -> Answer {
    Answer::Bytes(text.as_ref().to_vec())
}

pub(crate) fn redirect(location: &str) -> Answer {
    raw(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"))
}

/// What a server saw and did.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: Mutex<Vec<String>>,
    pub(crate) connections: AtomicUsize,
    /// Bytes of answers that the system took.
    pub(crate) written: AtomicU64,
    /// Connections that have ended.
    pub(crate) closed: AtomicUsize,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Seen>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves on a free port of 127.0.0.1; `answer` gets the request's path.
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_on("127.0.0.1:0".parse().unwrap(), answer).await
    }

    pub(crate) async fn start_on(
        address: SocketAddr,
        answer: impl Fn(&str) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let (answer, told) = (Arc::new(answer), Arc::clone(&seen));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                told.connections.fetch_add(1, Ordering::SeqCst);
                let (answer, told) = (Arc::clone(&answer), Arc::clone(&told));
                tokio::spawn(async move {
                    let _ = serve(stream, answer.as_ref(), &told).await;
                    told.closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, seen, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn written(&self) -> u64 {
        self.seen.written.load(Ordering::SeqCst)
    }

    /// Waits until every connection has ended, which a client that holds on would prevent.
    pub(crate) async fn wait_until_closed(&self) {
        for _ in 0..1_000 {
            let closed = self.seen.closed.load(Ordering::SeqCst);
            if closed > 0 && closed == self.connections() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("a connection is still open");
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: &(dyn Fn(&str) -> Answer + Send + Sync),
    seen: &Seen,
) -> io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut bytes = [0; 4096];
        match stream.read(&mut bytes).await? {
            0 => return Ok(()),
            length => request.extend_from_slice(&bytes[..length]),
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.requests.lock().unwrap().push(request);
    let send = async |stream: &mut TcpStream, bytes: &[u8]| {
        for part in bytes.chunks(16 * 1024) {
            stream.write_all(part).await?;
            seen.written.fetch_add(part.len() as u64, Ordering::SeqCst);
        }
        io::Result::Ok(())
    };
    match answer(&path) {
        Answer::Bytes(bytes) => send(&mut stream, &bytes).await?,
        Answer::Stall(bytes) => {
            send(&mut stream, &bytes).await?;
            let _ = stream.read(&mut [0]).await?;
        }
        Answer::Endless(head, again, pause) => {
            send(&mut stream, &head).await?;
            loop {
                send(&mut stream, &again).await?;
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
    stream.shutdown().await
}

/// A configuration under which the servers of this process may be reached.
pub(crate) fn local() -> WebConfig {
    WebConfig { allow_private: vec!["127.0.0.1".parse().unwrap()], ..WebConfig::default() }
}

pub(crate) struct Web {
    pub(crate) runtime: ToolRuntime,
}

impl Web {
    pub(crate) fn new(config: WebConfig) -> Self {
        Self::with(web_tools(config))
    }

    pub(crate) fn with(tools: WebTools) -> Self {
        Self { runtime: ToolRuntime::builder().plugin(tools).build().unwrap() }
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolExecutionResult {
        self.runtime.execute(ToolCall::new(tool, args, CancellationToken::new())).await
    }

    /// The canonical value of a fetch that succeeds.
    pub(crate) async fn fetch(&self, url: &str) -> Value {
        let result = self.call("web_fetch", json!({ "url": url })).await;
        match result.value() {
            Some(value) => serde_json::from_str(&value.to_text()).unwrap(),
            None => panic!("the call failed: {}", result.text()),
        }
    }

    /// Code and message of a call that fails.
    pub(crate) async fn failure(&self, tool: &str, args: Value) -> (String, String) {
        let result = self.call(tool, args).await;
        let error = result.error().unwrap_or_else(|| panic!("the call succeeded: {}", result.text()));
        (error.code().unwrap_or_default().to_owned(), error.message().to_owned())
    }

    pub(crate) async fn refused(&self, url: &str) -> (String, String) {
        self.failure("web_fetch", json!({ "url": url })).await
    }

    /// The pending and the finished card of a call, the latter from what a log keeps.
    pub(crate) async fn cards(&self, tool: &str, args: Value) -> (Value, Value) {
        let result = self.call(tool, args.clone()).await;
        let args = JsonValue::new(args).unwrap();
        let definition = self.runtime.get(tool).unwrap();
        let durable = ToolResult { content: result.content(), error: result.error(), meta: result.meta() };
        (
            serde_json::to_value(definition.present_call(&args)).unwrap(),
            serde_json::to_value(definition.present_result(&args, &durable)).unwrap(),
        )
    }
}

/// Answers with one list of addresses after the other, the last one for ever, and counts the questions.
#[derive(Clone)]
pub(crate) struct Scripted {
    answers: Arc<Vec<Vec<IpAddr>>>,
    pub(crate) asked: Arc<AtomicUsize>,
}

impl Scripted {
    pub(crate) fn new(answers: &[&[&str]]) -> Self {
        let parsed = answers.iter().map(|list| list.iter().map(|address| address.parse().unwrap()).collect());
        Self { answers: Arc::new(parsed.collect()), asked: Arc::default() }
    }
}

impl HostResolver for Scripted {
    fn resolve<'a>(
        &'a self,
        _host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers.get(turn).or(self.answers.last()).cloned();
        Box::pin(async move { Ok(answer.unwrap_or_default()) })
    }
}
