//! A server with small tools and a model that follows a script, and a client that sends any request.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use toolgate::prelude::*;
use toolgate::tool::{WebSource, WebView};
use toolgate::{PresentationMode, ToolDefinition, ToolResultView};
use toolgate_agent::model::script::{Script, ScriptedAnswer, ScriptedCall};
use toolgate_agent::{Agent, ScriptedModel, SessionRoutes};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_kit::{FileToolsConfig, Workspace, file_tools};
use toolgate_policy::rules::Permissions;
use toolgate_policy::{Approvals, People, Rules};
use toolgate_sandbox::{InProcess, Language};
use toolgate_session::{Backend, Durability, Entry, Event, SessionId, SqliteBackend};
use toolgate_web::{Secret, WebConfig, WebParts, WebServer};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server under test. Its folder lives as long as it does.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) secret: Secret,
    pub(crate) link: String,
    pub(crate) people: People,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) folder: Arc<TempDir>,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

/// An answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

pub(crate) fn asks(calls: &[(&str, serde_json::Value)]) -> ScriptedAnswer {
    let calls = calls.iter().map(|(name, arguments)| ScriptedCall {
        id: String::new(),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
    });
    ScriptedAnswer { calls: calls.collect(), ..ScriptedAnswer::default() }
}

pub(crate) fn says(text: &str) -> ScriptedAnswer {
    ScriptedAnswer { text: text.to_owned(), ..ScriptedAnswer::default() }
}

/// A tool whose terminal card shows what it is told to print.
fn prints() -> ToolDefinition {
    ToolDefinition::raw("prints", "Prints a text.")
        .parameters(&toolgate::ParameterSchema::new().required("text", toolgate::ValueSchema::string()))
        .output_schema(serde_json::json!({ "type": "string" }))
        .effect(ToolEffect::Pure)
        .present_result(|args, _| {
            let output = args.get("text").and_then(|text| text.as_str()).map(str::to_owned);
            Some(ToolResultView::Terminal { title: None, output, exit_code: Some(0), signal: None })
        })
        .body(|args, _| async move {
            Ok(JsonValue::from(args.get("text").and_then(|text| text.as_str()).unwrap_or_default()))
        })
}

/// A tool whose card lists sources of the web.
fn finds() -> ToolDefinition {
    ToolDefinition::raw("finds", "Finds a source.")
        .parameters(&toolgate::ParameterSchema::new().required("url", toolgate::ValueSchema::string()))
        .output_schema(serde_json::json!({}))
        .effect(ToolEffect::Pure)
        .present_result(|args, _| {
            let url = args.get("url").and_then(|url| url.as_str()).unwrap_or_default().to_owned();
            let sources = vec![WebSource { title: "A <b>source</b>".to_owned(), url }];
            let view = WebView::Search { sources, answer: Some("an answer".to_owned()) };
            Some(ToolResultView::Web { title: None, view, truncated: true })
        })
        .body(|_, _| async move { Ok(JsonValue::null()) })
}

/// A tool that waits until it is stopped.
fn waits() -> ToolDefinition {
    ToolDefinition::raw("waits", "Waits until it is stopped.")
        .output_schema(serde_json::json!({}))
        .effect(ToolEffect::Pure)
        .body(|_, cx: RunContext| async move {
            cx.cancellation().cancelled().await;
            Ok(JsonValue::null())
        })
}

impl Server {
    /// A server whose agents follow a script, over the sessions of `folder`.
    pub(crate) async fn start_in(
        folder: Arc<TempDir>,
        answers: Vec<ScriptedAnswer>,
        secret: Secret,
        address: SocketAddr,
    ) -> Self {
        let workspace = folder.path().join("work");
        std::fs::create_dir_all(&workspace).unwrap();
        let people = People::new();
        let rules = Rules::builder(&workspace).build().unwrap();
        let permissions = Permissions::new(rules);
        let routes = SessionRoutes::new();
        let approvals = Approvals::new(people.clone()).with_log(routes.clone());
        let code = CodeMode::new(InProcess::default(), CodeModeConfig::new(Language::TypeScript));
        let runtime = ToolRuntime::builder()
            .presentation_mode(PresentationMode::Both)
            .code_transport(code.with_sink(routes.clone()))
            .plugin(file_tools(Workspace::open(&workspace).unwrap(), FileToolsConfig::default()))
            .tool(prints())
            .tool(finds())
            .tool(waits())
            .on_pre_execute(permissions.clone())
            .approver(approvals)
            .build()
            .unwrap();
        let backend: Arc<dyn Backend> =
            Arc::new(SqliteBackend::new(folder.path().join("sessions"), Durability::Process).unwrap());
        let parts = WebParts {
            runtime,
            backend: Arc::clone(&backend),
            people: people.clone(),
            permissions,
            agents: Some(Box::new(move |scope| {
                let model = ScriptedModel::new(Script { answers: answers.clone(), ..Script::default() });
                Agent::builder(scope, model).routes(routes.clone())
            })),
        };
        let config = WebConfig { address, names: vec!["toolgate.test".to_owned()], secret: secret.clone() };
        let server = WebServer::bind(parts, config).await.unwrap();
        let (link, address) = (server.link().unwrap(), server.address().unwrap());
        let stop = CancellationToken::new();
        let serving = tokio::spawn({
            let stop = stop.clone();
            async move { server.serve(stop).await.unwrap() }
        });
        Self { address, secret, link, people, backend, folder, stop, serving }
    }

    pub(crate) async fn start(answers: Vec<ScriptedAnswer>) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::start_in(folder, answers, Secret::draw().unwrap(), "127.0.0.1:0".parse().unwrap()).await
    }

    /// Ends it, and waits until it has ended.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.serving).await.expect("the server ends").unwrap();
    }

    pub(crate) fn cookie(&self) -> String {
        format!("toolgate_{}={}", self.address.port(), self.secret.reveal())
    }

    /// Sends a request exactly as it is written, with the end of lines of the protocol.
    pub(crate) async fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // Who is refused may be cut off in the middle.
        let _ = stream.write_all(request.replace('\n', "\r\n").as_bytes()).await;
        let mut answer = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("an answer");
        let text = String::from_utf8(answer).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// `GET`, as a browser with the cookie sends it.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        let (host, cookie) = (self.address, self.cookie());
        self.raw(&format!("GET {path} HTTP/1.1\nHost: {host}\nCookie: {cookie}\nConnection: close\n\n")).await
    }

    /// `POST` of a form, as one of the server's own pages sends it.
    pub(crate) async fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Answer {
        let (host, cookie) = (self.address, self.cookie());
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        let length = body.len();
        self.raw(&format!(
            "POST {path} HTTP/1.1\nHost: {host}\nOrigin: http://{host}\nCookie: {cookie}\nConnection: close\n\
             Content-Type: application/x-www-form-urlencoded\nContent-Length: {length}\n\n{body}"
        ))
        .await
    }

    /// Begins a session and gives its name.
    pub(crate) async fn begin(&self, task: &str) -> SessionId {
        let answer = self.post("/sessions", &[("task", task)]).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        answer.header("location").unwrap().strip_prefix("/sessions/").unwrap().parse().unwrap()
    }

    /// Begins a session and waits until its turn has ended.
    pub(crate) async fn played(&self, task: &str) -> SessionId {
        let id = self.begin(task).await;
        self.until(id, |events| events.iter().any(|event| matches!(event, Event::TurnEnd(_)))).await;
        id
    }

    pub(crate) fn events(&self, id: SessionId) -> Vec<Event> {
        let entries = self.backend.read(id, 1, 100_000).unwrap();
        let events = entries.into_iter().map(|entry| match entry {
            Entry::Record(record) => record.event,
            Entry::Damaged(damage) => panic!("{damage:?}"),
        });
        events.collect()
    }

    /// Waits until the log of a session is as wanted.
    pub(crate) async fn until(&self, id: SessionId, is_so: impl Fn(&[Event]) -> bool) {
        eventually(|| is_so(&self.events(id))).await;
    }

    /// Follows the events of a page.
    pub(crate) async fn follow(&self, query: &str, last: Option<u64>) -> Events {
        let (host, cookie) = (self.address, self.cookie());
        let last = last.map(|last| format!("Last-Event-ID: {last}\n")).unwrap_or_default();
        let request = format!(
            "GET /events?{query} HTTP/1.1\nHost: {host}\nCookie: {cookie}\nConnection: close\n{last}\n"
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.replace('\n', "\r\n").as_bytes()).await.unwrap();
        Events { lines: BufReader::new(stream), told: VecDeque::new() }
    }
}

/// Waits until something is so, looking again and again.
pub(crate) async fn eventually(is_so: impl Fn() -> bool) {
    let looking = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, looking).await.expect("it comes about");
}

/// The events of a page, as they come.
pub(crate) struct Events {
    lines: BufReader<TcpStream>,
    told: VecDeque<Told>,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) id: Option<u64>,
    pub(crate) data: serde_json::Value,
}

impl Events {
    /// The next one; none where the server has ended the stream.
    pub(crate) async fn next(&mut self) -> Option<Told> {
        timeout(PATIENCE, self.read()).await.expect("an event")
    }

    /// The next one of a name that is as wanted. Others are left out.
    pub(crate) async fn wait_for(&mut self, name: &str, is_so: impl Fn(&Told) -> bool) -> Told {
        loop {
            let told = self.next().await.expect("the stream goes on");
            if told.name == name && is_so(&told) {
                return told;
            }
        }
    }

    async fn read(&mut self) -> Option<Told> {
        let (mut name, mut id) = (String::new(), None);
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            let mut line = String::new();
            if self.lines.read_line(&mut line).await.unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(text) = line.strip_prefix("event: ") {
                name = text.to_owned();
            } else if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().ok();
            } else if let Some(text) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(text).unwrap();
                self.told.push_back(Told { name: std::mem::take(&mut name), id: id.take(), data });
            }
        }
    }
}
