//! Many browsers on one busy session: nothing is lost, and how late events come.
//!
//! A program makes calls at an even pace, each of which is two events; every browser reads its own stream over a socket.
//! `cargo bench -p toolgate-web --bench browsers -- [SECONDS] [BROWSERS]`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "it prints what it measured, and fails where it cannot"
)]

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use toolgate::prelude::*;
use toolgate::{PresentationMode, ToolDefinition};
use toolgate_agent::model::script::{Script, ScriptedAnswer, ScriptedCall};
use toolgate_agent::{Agent, ScriptedModel, SessionRoutes};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_policy::rules::Permissions;
use toolgate_policy::{People, Rules};
use toolgate_sandbox::{InProcess, Language, Limits};
use toolgate_session::{Backend, Durability, SqliteBackend};
use toolgate_web::{Secret, WebConfig, WebParts, WebServer};

/// How many calls the program makes in one beat, and how long a beat is.
const CALLS: u64 = 10;
const BEAT_MS: u64 = 20;

fn milliseconds() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// The most memory that this process had, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
}

fn script(calls: u64) -> Script {
    let code = format!(
        "let made = 0; const began = Date.now();\n\
         for (let beat = 0; made < {calls}; beat++) {{\n\
           const wait = began + beat * {BEAT_MS} - Date.now();\n\
           if (wait > 0) await new Promise((done) => setTimeout(done, wait));\n\
           await Promise.all(Array.from({{ length: {CALLS} }}, () => tools.note({{ text: `n=${{made++}} t=${{Date.now()}}.` }})));\n\
         }}\n\
         return made;"
    );
    let arguments = serde_json::json!({ "description": "Be busy", "code": code }).to_string();
    let call = ScriptedCall { id: String::new(), name: "run_code".to_owned(), arguments };
    let done = ScriptedAnswer { text: "all done".to_owned(), ..ScriptedAnswer::default() };
    let first = ScriptedAnswer { calls: vec![call], ..ScriptedAnswer::default() };
    Script { answers: vec![first, done], ..Script::default() }
}

#[tokio::main]
async fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let seconds = numbers.first().copied().unwrap_or(10);
    let browsers = numbers.get(1).copied().unwrap_or(50);
    let calls = seconds * 1_000 / BEAT_MS * CALLS;
    let folder = tempfile::tempdir().unwrap();
    let routes = SessionRoutes::new();
    let limits = Limits {
        wall: Duration::from_secs(seconds * 4 + 60),
        cpu: Duration::from_secs(seconds * 4 + 60),
        calls: usize::try_from(calls).unwrap() + 1,
        ..Limits::default()
    };
    let config = CodeModeConfig { limits, ..CodeModeConfig::new(Language::TypeScript) };
    let note = ToolDefinition::raw("note", "Takes a note.")
        .output_schema(serde_json::json!({}))
        .effect(ToolEffect::Pure)
        .concurrency_safe_when(|_| true)
        .body(|args, _| async move { Ok(args) });
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Both)
        .code_transport(CodeMode::new(InProcess::default(), config).with_sink(routes.clone()))
        .tool(note)
        .build()
        .unwrap();
    let backend: Arc<dyn Backend> =
        Arc::new(SqliteBackend::new(folder.path().join("sessions"), Durability::Process).unwrap());
    let secret = Secret::draw().unwrap();
    let parts = WebParts {
        runtime,
        backend: Arc::clone(&backend),
        people: People::new(),
        permissions: Permissions::new(Rules::builder(folder.path()).build().unwrap()),
        agents: Some(Box::new(move |scope| {
            Agent::builder(scope, ScriptedModel::new(script(calls))).routes(routes.clone())
        })),
    };
    let config =
        WebConfig { address: "127.0.0.1:0".parse().unwrap(), names: Vec::new(), secret: secret.clone() };
    let server = WebServer::bind(parts, config).await.unwrap();
    let address = server.address().unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(server.serve(stop.clone()));
    let cookie = format!("toolgate_{}={}", address.port(), secret.reveal());

    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /sessions HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\ntask=be"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let path = answer.split("location: ").nth(1).unwrap().split("\r\n").next().unwrap();
    let id = path.strip_prefix("/sessions/").unwrap().to_owned();

    let watching: Vec<_> =
        (0..browsers).map(|_| tokio::spawn(watch(address, cookie.clone(), id.clone()))).collect();
    let (mut delays, mut lost) = (Vec::new(), 0);
    for one in watching {
        let (seen, own) = one.await.unwrap();
        lost += calls - seen.min(calls);
        delays.extend(own);
    }
    delays.sort_unstable();
    let at = |part: usize| {
        delays.get((delays.len() * part / 100).min(delays.len() - 1)).copied().unwrap_or_default()
    };
    println!("{browsers} browsers, {calls} calls in {seconds} s, {} events each", calls * 2);
    println!(
        "lost {lost}; delay p50 {} ms, p90 {} ms, p99 {} ms, most {:?} ms",
        at(50),
        at(90),
        at(99),
        delays.last()
    );
    println!("at most {} MiB, browsers included", peak());
    stop.cancel();
    serving.await.unwrap().unwrap();
}

/// Reads a stream to the end of the turn. Gives how many calls were seen to settle, and how late each was seen to begin.
async fn watch(address: std::net::SocketAddr, cookie: String, id: String) -> (u64, Vec<u64>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request =
        format!("GET /events?session={id}&after=0 HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::with_capacity(64 << 10, stream);
    let (mut settled, mut delays, mut line) = (std::collections::HashSet::new(), Vec::new(), String::new());
    loop {
        line.clear();
        if lines.read_line(&mut line).await.unwrap() == 0 || line.contains("all done") {
            return (settled.len() as u64, delays);
        }
        let now = milliseconds();
        if !line.starts_with("data: [") {
            continue;
        }
        for piece in line.split("n=").skip(1) {
            let Some((number, rest)) = piece.split_once(" t=") else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            let sent = rest.split('.').next().and_then(|digits| digits.parse::<u64>().ok());
            if line.contains(">done<") {
                settled.insert(number);
            } else if let Some(sent) = sent {
                delays.push(now.saturating_sub(sent));
            }
        }
    }
}
