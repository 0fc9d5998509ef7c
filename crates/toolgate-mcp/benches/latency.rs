//! What the gateway adds to a call: the official client calls a tool of a server directly, and through the gateway, in
//! turns, over pipes and over HTTP, with one call and with 64 at a time. Prints the times and their ratio; the times are
//! those of the machine, the ratio should not be.
//!
//! The server is a process of its own on the official library: this program, started with another argument. The gateway
//! is in the process of the client, so one more process would add what a pipe costs.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, or has nothing to say")]

use std::env::{args, current_exe};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::serve::ListenerExt as _;
use rmcp::ServiceExt as _;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, InitializeResult,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleClient, RoleServer, RunningService};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, Command};
use toolgate::ToolRuntime;
use toolgate_kit::SupervisorCommand;
use toolgate_mcp::config::{ServerName, ServerTable};
use toolgate_mcp::gateway::{Access, Gateway, HttpOptions};
use toolgate_mcp::upstream::{Host, Servers};

/// Calls of each side in one turn, and turns.
const CALLS: usize = 1_000;
const TURNS: usize = 5;
const MANY: usize = 64;

type Client = RunningService<RoleClient, ()>;

fn main() {
    match args().nth(1).as_deref() {
        Some("supervise") => toolgate_kit::supervisor_main(),
        Some("serve") => executor().block_on(async {
            let served = Echo.serve((tokio::io::stdin(), tokio::io::stdout())).await.expect("a client");
            served.waiting().await.expect("it ends");
        }),
        Some("serve-http") => executor().block_on(serve_http()),
        _ => executor().block_on(compare()),
    }
}

fn executor() -> tokio::runtime::Runtime {
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(workers).enable_all().build().expect("an executor")
}

/// The server: one tool, which says what it was told.
#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        let schema = schema.as_object().cloned().unwrap_or_default();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "Says it again.", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|all| all.get("text")).and_then(Value::as_str);
        Ok(CallToolResult::success(vec![ContentBlock::text(text.unwrap_or_default())]).into())
    }
}

async fn serve_http() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp", listener.local_addr().expect("an address"));
    let service = StreamableHttpService::new(
        || Ok(Echo),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    // An event that waits for an acknowledgement of the one before it would take 40 ms.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a setting"));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.expect("it serves");
}

/// A server over HTTP in a process of its own, and where it is.
async fn http_server() -> (Child, String) {
    let mut server = Command::new(current_exe().expect("this program"));
    let server = server.arg("serve-http").stdout(Stdio::piped()).kill_on_drop(true).spawn();
    let mut server = server.expect("a process");
    let mut lines = BufReader::new(server.stdout.take().expect("its output")).lines();
    let url = lines.next_line().await.expect("a line").expect("an address");
    (server, url)
}

/// The gateway in front of a server.
async fn gateway(table: Value) -> (Gateway, Servers) {
    let mut table: ServerTable = serde_json::from_value(table).expect("settings");
    table.concurrency = Some(MANY);
    let config = table.check(ServerName::new("s").expect("a name"), &|_: &str| None).expect("settings");
    let runtime = ToolRuntime::builder().build().expect("a runtime");
    let program = current_exe().expect("this program");
    let supervisor = SupervisorCommand { program, arguments: vec!["supervise".into()] };
    let host = Host { supervisor, ..Host::default() };
    let servers = Servers::mount(vec![config], host, &runtime).expect("mounted");
    servers.settled().await;
    (Gateway::of(runtime.scope("bench")).build(), servers)
}

async fn compare() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!(
        "{:<10} {:>6}  {:>11} {:>11}  {:>11} {:>11}  {:>10} {:>10}  {:>6} {:>6}",
        "transport", "calls", "direct p50", "p99", "gateway p50", "p99", "added p50", "p99", "p50", "p99"
    );
    let program = current_exe().expect("this program");
    let mut server = Command::new(&program);
    server.arg("serve");
    let direct = ().serve(TokioChildProcess::new(server).expect("a process")).await.expect("a server");
    let table = json!({ "command": program, "args": ["serve"], "handshake": "initialize" });
    let (pipes, servers) = gateway(table).await;
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let (read, write) = theirs.into_split();
    let served = tokio::spawn(async move { pipes.serve_stdio(read, write).await });
    let through = ().serve(ours.into_split()).await.expect("the gateway");
    table_of("stdio", &direct, &through).await;
    direct.cancel().await.expect("it ends");
    through.cancel().await.expect("it ends");
    served.await.expect("no panic").expect("it served");
    servers.close().await;

    let (_server, url) = http_server().await;
    let direct = ().serve(StreamableHttpClientTransport::from_uri(url.as_str())).await.expect("a server");
    let (web, servers) = gateway(json!({ "url": url, "handshake": "initialize" })).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let serving = web.clone();
    let served =
        tokio::spawn(async move { serving.serve_http(listener, HttpOptions::new(Access::Everybody)).await });
    let through = ().serve(StreamableHttpClientTransport::from_uri(url)).await.expect("the gateway");
    table_of("HTTP", &direct, &through).await;
    direct.cancel().await.expect("it ends");
    through.cancel().await.expect("it ends");
    web.shut_down().await;
    served.await.expect("no panic").expect("it served");
    servers.close().await;
}

/// Both sides in turns, with one call and with many at a time.
async fn table_of(transport: &str, direct: &Client, through: &Client) {
    for at_once in [1, MANY] {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for turn in 0..=TURNS {
            let (bare, added) =
                (calls(direct, "echo", at_once).await, calls(through, "mcp__s__echo", at_once).await);
            // The first turn is to get warm.
            if turn > 0 {
                one.extend(bare);
                other.extend(added);
            }
        }
        let [d50, d99] = percentiles(one);
        let [g50, g99] = percentiles(other);
        let micros = |time: Duration| format!("{} us", time.as_micros());
        let ratio = |gateway: Duration, direct: Duration| gateway.as_secs_f64() / direct.as_secs_f64();
        println!(
            "{transport:<10} {at_once:>6}  {:>11} {:>11}  {:>11} {:>11}  {:>10} {:>10}  {:>6.2} {:>6.2}",
            micros(d50),
            micros(d99),
            micros(g50),
            micros(g99),
            micros(g50.saturating_sub(d50)),
            micros(g99.saturating_sub(d99)),
            ratio(g50, d50),
            ratio(g99, d99),
        );
    }
}

/// How long each of many calls took.
async fn calls(client: &Client, tool: &'static str, at_once: usize) -> Vec<Duration> {
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..at_once {
        let peer = client.peer().clone();
        tasks.spawn(async move {
            let mut times = Vec::new();
            for n in 0..CALLS / at_once {
                let text = format!("call {n}");
                let arguments = JsonObject::from_iter([("text".to_owned(), Value::from(text.as_str()))]);
                let begun = Instant::now();
                let call = CallToolRequestParams::new(tool).with_arguments(arguments);
                let answer = peer.call_tool(call).await.expect("an answer");
                times.push(begun.elapsed());
                let said = answer.content.first().and_then(|block| block.as_text());
                assert_eq!(said.map(|said| said.text.as_str()), Some(text.as_str()));
            }
            times
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

/// The middle one, and the one that one in a hundred exceeds.
fn percentiles(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort_unstable();
    [50, 99].map(|percent| times.get(times.len() * percent / 100).copied().unwrap_or_default())
}
