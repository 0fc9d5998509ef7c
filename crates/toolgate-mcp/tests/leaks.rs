//! Ten thousand calls through the gateway leave nothing behind: no memory, no handles, no processes. A program of its own,
//! because what a process holds is that of all its tests.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

use std::fs::{read_dir, read_to_string};
use std::path::PathBuf;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, JsonObject};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::net::{TcpListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};
use toolgate::ToolRuntime;
use toolgate_kit::SupervisorCommand;
use toolgate_mcp::config::{ServerName, ServerTable};
use toolgate_mcp::gateway::{Access, Gateway, HttpOptions};
use toolgate_mcp::upstream::{Host, Servers};

/// The program that is a server and a supervisor.
const STUB: &str = env!("CARGO_BIN_EXE_toolgate-mcp-stub");
/// How much more memory the process may hold after 10,000 calls than after 2,000. One leaked message of each call would
/// be more.
const GROWTH: u64 = 6 << 20;

type Client = RunningService<RoleClient, ()>;

/// What the process holds.
#[derive(Debug)]
struct Held {
    memory: u64,
    handles: usize,
    children: usize,
}

impl Held {
    fn now() -> Self {
        let pages: u64 =
            read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let own = std::process::id().to_string();
        let parent = |folder: PathBuf| {
            let stat = read_to_string(folder.join("stat")).ok()?;
            // The name of the program is in parentheses, and may have any character.
            stat.rsplit_once(')')?.1.split_whitespace().nth(1).map(str::to_owned)
        };
        let processes = read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        Self {
            memory: pages * 4096,
            handles: read_dir("/proc/self/fd").unwrap().count(),
            children: processes.filter_map(parent).filter(|parent| *parent == own).count(),
        }
    }
}

/// What the process holds once that is so, or after ten seconds.
async fn held(is_so: impl Fn(&Held) -> bool) -> Held {
    for _ in 0..1_000 {
        let now = Held::now();
        if is_so(&now) {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Held::now()
}

/// A client on a pair of sockets, and what serves it.
async fn piped(gateway: &Gateway) -> (Client, JoinHandle<std::io::Result<()>>) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (read, write) = theirs.into_split();
    let gateway = gateway.clone();
    let served = tokio::spawn(async move { gateway.serve_stdio(read, write).await });
    (().serve(ours.into_split()).await.unwrap(), served)
}

async fn web(url: &str) -> Client {
    ().serve(StreamableHttpClientTransport::from_uri(url)).await.unwrap()
}

/// Calls, eight at a time.
async fn call(client: &Client, count: usize) {
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let peer = client.peer().clone();
        tasks.spawn(async move {
            for n in 0..count / 8 {
                let arguments =
                    JsonObject::from_iter([("text".to_owned(), Value::from("x".repeat(n % 1_000)))]);
                let call = CallToolRequestParams::new("mcp__s__echo").with_arguments(arguments);
                let answer = peer.call_tool(call).await.unwrap();
                assert!(answer.is_error != Some(true), "{answer:?}");
            }
        });
    }
    tasks.join_all().await;
}

/// Clients that come, call, and go; a tool that is not there, and arguments that are wrong.
async fn come_and_go(gateway: &Gateway, url: &str) {
    for _ in 0..10 {
        let (client, served) = piped(gateway).await;
        call(&client, 8).await;
        assert!(client.call_tool(CallToolRequestParams::new("nothing")).await.is_err());
        client.cancel().await.unwrap();
        served.await.unwrap().unwrap();
        let client = web(url).await;
        call(&client, 8).await;
        client.cancel().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_leave_nothing() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::TempDir::new().unwrap();
    let script = folder.path().join("script");
    let answer = |result: Value| format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
    let tools = json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] });
    let said = json!({ "content": [{ "type": "text", "text": "here" }] });
    let rules = json!({ "rules": [
        { "on": "tools/list", "send": [answer(tools)] },
        { "on": "tools/call", "send": [answer(said)] },
    ] });
    std::fs::write(&script, rules.to_string()).unwrap();
    let table = json!({ "command": STUB, "args": ["serve", script], "handshake": "initialize" });
    let table: ServerTable = serde_json::from_value(table).unwrap();
    let config = table.check(ServerName::new("s").unwrap(), &|_: &str| None).unwrap();
    let runtime = ToolRuntime::builder().build().unwrap();
    let supervisor = SupervisorCommand { program: STUB.into(), arguments: vec!["supervise".into()] };
    let servers = Servers::mount(vec![config], Host { supervisor, ..Host::default() }, &runtime).unwrap();
    servers.settled().await;

    let gateway = Gateway::of(runtime.scope("agent")).build();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let serving = gateway.clone();
    let serving =
        tokio::spawn(async move { serving.serve_http(listener, HttpOptions::new(Access::Everybody)).await });
    let (pipes, served) = piped(&gateway).await;
    let http = web(&url).await;

    come_and_go(&gateway, &url).await;
    call(&pipes, 1_000).await;
    call(&http, 1_000).await;
    let before = Held::now();
    come_and_go(&gateway, &url).await;
    call(&pipes, 4_000).await;
    call(&http, 4_000).await;

    // Connections that are closing may take a moment.
    let after = held(|now| now.handles <= before.handles && now.children <= before.children).await;
    assert!(after.handles <= before.handles, "handles: {before:?}, then {after:?}");
    assert_eq!(after.children, before.children, "processes: {before:?}, then {after:?}");
    assert!(after.memory < before.memory + GROWTH, "memory: {before:?}, then {after:?}");

    pipes.cancel().await.unwrap();
    served.await.unwrap().unwrap();
    http.cancel().await.unwrap();
    gateway.shut_down().await;
    serving.await.unwrap().unwrap();
    servers.close().await;
    let last = held(|now| now.children < before.children).await;
    assert_eq!(last.children + 1, before.children, "the server's supervisor is gone");
}
