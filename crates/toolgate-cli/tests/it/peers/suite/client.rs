//! Toolgate as the client: it mounts the suite's server, logs in where that is wanted, and calls every tool once.

use std::error::Error;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolgate::prelude::*;
use toolgate_mcp::config::{OAuthTable, ServerConfig, ServerName, ServerTable};
use toolgate_mcp::transport::{TokenStore, begin_login};
use toolgate_mcp::upstream::{
    Elicitation, ElicitationAnswer, Elicitor, Host, ServerState, Servers, oauth_of,
};

/// How often somebody is ready to log in.
const LOGINS: usize = 3;
/// How long a log-in may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A person who agrees to everything and fills in nothing: what a form says of itself counts.
struct Agrees;

impl Elicitor for Agrees {
    fn elicit(&self, _: Elicitation) -> Pin<Box<dyn Future<Output = ElicitationAnswer> + Send + '_>> {
        Box::pin(async { ElicitationAnswer::Accept(None) })
    }
}

/// Uses the server at an address. The exit code is 1 where something could not be used.
pub(crate) async fn run(url: &str) -> Result<ExitCode, Box<dyn Error>> {
    let context: Value = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let mut settings = json!({ "url": url });
    if let (Some(id), Some(secret)) = (context.get("client_id"), context.get("client_secret")) {
        settings["oauth"] = json!({ "client_id": id, "client_secret": secret });
    }
    let table: ServerTable = serde_json::from_value(settings)?;
    let oauth = table.oauth.clone();
    let config = table.check(ServerName::new("suite")?, &|_: &str| None)?;
    let folder = tempfile::tempdir()?;
    let store = TokenStore::new(folder.path().join("tokens"));
    let wanted = context.get("toolCalls").and_then(Value::as_array);
    let mut logins = 0;
    loop {
        let problem = match used(&config, &store, wanted).await? {
            Ok(()) => return Ok(ExitCode::SUCCESS),
            Err(problem) => problem,
        };
        writeln!(io::stderr(), "{problem}")?;
        if logins == LOGINS || !problem.contains("log in") {
            return Ok(ExitCode::FAILURE);
        }
        logins += 1;
        log_in(url, &oauth, &store).await?;
    }
}

/// Mounts the server, and makes the calls that are wanted, or one of every tool; or what is in the way.
async fn used(
    config: &ServerConfig,
    store: &TokenStore,
    wanted: Option<&Vec<Value>>,
) -> Result<Result<(), String>, Box<dyn Error>> {
    let runtime = ToolRuntime::builder().build()?;
    let host = Host { elicitor: Some(Arc::new(Agrees)), tokens: Some(store.clone()), ..Host::default() };
    let servers = Servers::mount(vec![config.clone()], host, &runtime)?;
    servers.settled().await;
    let mut outcome = Ok(());
    for status in servers.status() {
        if let ServerState::Down { reason, .. } = status.state {
            outcome = Err(reason);
        }
        let first = status.tools.first().and_then(|offered| runtime.get(&offered.name));
        let first = first.map(|tool| tool.parameters().as_value().clone()).unwrap_or_default();
        for offered in status.tools {
            let calls = match wanted {
                Some(wanted) => {
                    let calls = wanted.iter().filter(|call| call.get("name") == Some(&json!(offered.tool)));
                    calls.filter_map(|call| call.get("arguments").cloned()).collect()
                }
                None => runtime
                    .get(&offered.name)
                    .map(|tool| sample(tool.parameters(), &first))
                    .into_iter()
                    .collect::<Vec<_>>(),
            };
            for arguments in calls {
                let call = ToolCall::new(offered.name.as_str(), arguments, CancellationToken::new());
                let result = runtime.execute(call).await;
                if result.is_error() {
                    outcome = Err(format!("{}: {}", offered.tool, result.text()));
                }
            }
        }
    }
    servers.close().await;
    Ok(outcome)
}

/// Arguments that a schema takes: something for all that it wants. Where that is an object it is the schema of the first tool,
/// which one of the suite's tools wants to see.
fn sample(schema: &JsonValue, first: &Value) -> Value {
    let wanted = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let sample = wanted.filter_map(Value::as_str).map(|name| {
        let kind = schema.as_value().pointer(&format!("/properties/{name}/type")).and_then(Value::as_str);
        let value = match kind {
            Some("number" | "integer") => json!(1),
            Some("boolean") => json!(true),
            Some("object") => first.clone(),
            _ => json!("x"),
        };
        (name.to_owned(), value)
    });
    Value::Object(sample.collect())
}

/// Logs in, with a browser whose person agrees.
async fn log_in(url: &str, oauth: &OAuthTable, store: &TokenStore) -> Result<(), Box<dyn Error>> {
    let login = begin_login(url, &oauth_of(oauth, store.clone())).await?;
    let authorize = login.url().to_owned();
    let browse = async {
        let callback = redirect_of(&authorize).await?.ok_or("the authorization server sends nobody back")?;
        redirect_of(&callback).await
    };
    let (login, browsed) = tokio::join!(login.wait(PATIENCE), browse);
    browsed?;
    Ok(login?)
}

/// Where a page redirects to.
async fn redirect_of(url: &str) -> Result<Option<String>, Box<dyn Error>> {
    let rest = url.strip_prefix("http://").ok_or("an address that is not of this machine")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(1 << 20).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    Ok(head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
    }))
}
