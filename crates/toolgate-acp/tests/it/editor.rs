//! An editor that speaks in frames, and checks what it gets.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::unix::pipe::{Receiver, Sender, pipe};
use tokio::task::JoinHandle;
use toolgate::CancellationToken;
use toolgate_acp::{ServeError, serve};
use toolgate_session::{Backend, Entry, Event, MemoryBackend, SessionId};

use crate::host::TestHost;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The editor, with the server that it has started.
pub(crate) struct Editor {
    pub(crate) folder: TempDir,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) stop: CancellationToken,
    to: Option<Sender>,
    from: Option<Lines<BufReader<Receiver>>>,
    serving: JoinHandle<Result<(), ServeError>>,
    next: i64,
    /// Notifications and requests that nobody has looked at.
    pub(crate) unread: VecDeque<Value>,
}

/// The pieces of a message.
pub(crate) fn text(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

impl Editor {
    /// An editor whose server follows a script.
    pub(crate) fn start(script: &str) -> Self {
        Self::start_with(script, |_| {})
    }

    pub(crate) fn start_with(script: &str, change: impl FnOnce(&mut TestHost)) -> Self {
        let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let mut host = TestHost::new(script, Arc::clone(&backend));
        change(&mut host);
        Self::serve(host, backend, TempDir::new().unwrap())
    }

    fn serve(host: TestHost, backend: Arc<dyn Backend>, folder: TempDir) -> Self {
        let (to, input) = pipe().unwrap();
        let (output, from) = pipe().unwrap();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(serve(host, input, output, stop.clone()));
        let from = Some(BufReader::new(from).lines());
        Self { folder, backend, stop, to: Some(to), from, serving, next: 0, unread: VecDeque::new() }
    }

    /// Closes this editor, and starts another one on the same sessions and the same folder.
    pub(crate) async fn restart(mut self, script: &str) -> Self {
        self.hang_up();
        let Self { serving, backend, folder, from, .. } = self;
        tokio::time::timeout(PATIENCE, serving).await.expect("it ends").unwrap().unwrap();
        drop(from);
        let host = TestHost::new(script, Arc::clone(&backend));
        let mut editor = Self::serve(host, backend, folder);
        editor.initialize(json!({})).await;
        editor
    }

    /// The same after the server has ended by itself.
    pub(crate) async fn restart_after_end(self, script: &str) -> Self {
        let Self { backend, folder, .. } = self;
        let host = TestHost::new(script, Arc::clone(&backend));
        let mut editor = Self::serve(host, backend, folder);
        editor.initialize(json!({})).await;
        editor
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) async fn line(&mut self, line: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request, and gives its id.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = json!(self.next);
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
            .await;
        id
    }

    pub(crate) async fn tell(&mut self, method: &str, params: Value) {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()).await;
    }

    pub(crate) async fn reply(&mut self, request: &Value, result: Value) {
        self.line(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string()).await;
    }

    /// The next message, whatever it is.
    async fn next(&mut self) -> Value {
        let from = self.from.as_mut().unwrap();
        let line = tokio::time::timeout(PATIENCE, from.next_line()).await.expect("a message in time");
        let line = line.unwrap().expect("a message before the end");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// The response to a request. What comes before it is kept.
    pub(crate) async fn response(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next().await;
            if message.get("method").is_none() && message["id"] == *id {
                return message;
            }
            self.unread.push_back(message);
        }
    }

    /// A request and its result, which is no error.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let response = self.response(&id).await;
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// A request and its error.
    pub(crate) async fn fails(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let response = self.response(&id).await;
        assert!(response.get("result").is_none(), "{method}: {response}");
        response["error"].clone()
    }

    /// The next message that fits. What comes before it is kept.
    pub(crate) async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&fits) {
            return self.unread.remove(at).unwrap();
        }
        loop {
            let message = self.next().await;
            if fits(&message) {
                return message;
            }
            self.unread.push_back(message);
        }
    }

    /// The next request of the agent by that name.
    pub(crate) async fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method && message.get("id").is_some()).await
    }

    pub(crate) async fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        self.call("initialize", params).await
    }

    /// Opens a session in the folder.
    pub(crate) async fn open(&mut self) -> String {
        let result = self.call("session/new", json!({ "cwd": self.root(), "mcpServers": [] })).await;
        result["sessionId"].as_str().unwrap().to_owned()
    }

    /// Handshake and a new session.
    pub(crate) async fn ready(&mut self) -> String {
        self.initialize(json!({})).await;
        self.open().await
    }

    /// One turn that nobody interrupts: how it stopped.
    pub(crate) async fn prompt(&mut self, session: &str, said: &str) -> Value {
        let params = json!({ "sessionId": session, "prompt": text(said) });
        self.call("session/prompt", params).await["stopReason"].clone()
    }

    pub(crate) async fn begin(&mut self, session: &str, said: &str) -> Value {
        self.ask("session/prompt", json!({ "sessionId": session, "prompt": text(said) })).await
    }

    /// Every update so far of a session, in order; they are forgotten.
    pub(crate) fn updates(&mut self, session: &str) -> Vec<Value> {
        let all = std::mem::take(&mut self.unread);
        let (updates, others): (VecDeque<Value>, VecDeque<Value>) = all.into_iter().partition(|message| {
            message["method"] == "session/update" && message["params"]["sessionId"] == session
        });
        self.unread = others;
        updates.into_iter().map(|message| message["params"]["update"].clone()).collect()
    }

    /// Closes the pipe to the agent.
    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }

    /// Closes both pipes.
    pub(crate) fn vanish(&mut self) {
        self.to = None;
        self.from = None;
    }

    /// Waits for the end of the server.
    pub(crate) async fn ended(&mut self) -> Result<(), ServeError> {
        tokio::time::timeout(PATIENCE, &mut self.serving).await.expect("it ends").unwrap()
    }

    /// The events of a session as the log has them.
    pub(crate) fn log(&self, session: &str) -> Vec<Event> {
        let id: SessionId = session.parse().unwrap();
        let entries = self.backend.read(id, 1, 10_000).unwrap();
        entries
            .into_iter()
            .map(|entry| match entry {
                Entry::Record(record) => record.event,
                Entry::Damaged(damage) => panic!("{damage:?}"),
            })
            .collect()
    }

    /// Asserts that the log is whole: every turn has ended, and every call has exactly one result (case K14).
    pub(crate) fn assert_whole(&self, session: &str) -> Vec<Event> {
        let events = self.log(session);
        let count = |kind: fn(&Event) -> bool| events.iter().filter(|event| kind(event)).count();
        let starts = count(|event| matches!(event, Event::TurnStart(_)));
        assert_eq!(starts, count(|event| matches!(event, Event::TurnEnd(_))), "{events:#?}");
        for event in &events {
            let Event::ToolCall(call) = event else { continue };
            let is_result = |other: &&Event| match other {
                Event::ToolResult(result) => result.call_id == call.call_id,
                _ => false,
            };
            assert_eq!(events.iter().filter(is_result).count(), 1, "{call:?}");
        }
        events
    }
}
