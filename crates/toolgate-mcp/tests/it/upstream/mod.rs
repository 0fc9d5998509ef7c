//! Upstream servers as tools, through the façade and the pipeline, over real pipes.

mod calls;
mod changes;
mod config;
mod http;
mod lists;
mod names;
mod pins;
mod questions;
mod schemas;
mod sharing;
mod storms;

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_mcp::config::{ServerConfig, ServerName, ServerTable};
use toolgate_mcp::upstream::{Host, ServerStatus, Servers};

use crate::stub::{Stub, supervisor};

/// An answer to the message that a rule is about.
pub(crate) fn result(value: Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{value}}}"#)
}

/// The same as an error.
pub(crate) fn error(code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{}}}"#, json!({ "code": code, "message": message }))
}

/// A result with one text.
pub(crate) fn says(text: &str) -> String {
    result(json!({ "content": [{ "type": "text", "text": text }] }))
}

pub(crate) fn rule(on: &str, send: impl IntoIterator<Item = String>) -> Value {
    json!({ "on": on, "send": send.into_iter().collect::<Vec<_>>() })
}

pub(crate) fn once(on: &str, send: impl IntoIterator<Item = String>) -> Value {
    let mut once = rule(on, send);
    once["times"] = json!(1);
    once
}

/// A tool that takes anything.
pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("Does {name}."), "inputSchema": { "type": "object" } })
}

pub(crate) fn lists(tools: &[Value]) -> Value {
    rule("tools/list", [result(json!({ "tools": tools }))])
}

/// A server that speaks the older protocol by these rules.
pub(crate) fn stub(rules: impl IntoIterator<Item = Value>) -> Stub {
    Stub::new(json!({ "rules": rules.into_iter().collect::<Vec<_>>() }))
}

/// The settings of a stub: the older handshake, because it does not answer what no rule is about.
pub(crate) fn settings(name: &str, stub: &Stub, more: Value) -> ServerConfig {
    let server = stub.server();
    let mut table = json!({ "command": server.command, "args": server.args, "handshake": "initialize" });
    table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let table: ServerTable = serde_json::from_value(table).expect("settings");
    table.check(ServerName::new(name).unwrap(), &|_: &str| None).expect("settings")
}

pub(crate) fn host() -> Host {
    Host { supervisor: supervisor(), ..Host::default() }
}

/// Servers on a runtime of their own, tried once.
pub(crate) struct Mounted {
    pub(crate) runtime: ToolRuntime,
    pub(crate) servers: Servers,
}

impl Mounted {
    pub(crate) async fn new(configs: Vec<ServerConfig>) -> Self {
        Self::with(configs, host(), ToolRuntime::builder().build().unwrap()).await
    }

    pub(crate) async fn with(configs: Vec<ServerConfig>, host: Host, runtime: ToolRuntime) -> Self {
        let servers = Servers::mount(configs, host, &runtime).unwrap();
        servers.settled().await;
        Self { runtime, servers }
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> ToolExecutionResult {
        self.runtime.execute(ToolCall::new(name, arguments, CancellationToken::new())).await
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.runtime.schemas().into_iter().map(|schema| schema.name).collect()
    }

    pub(crate) fn status(&self) -> ServerStatus {
        self.servers.status().remove(0)
    }
}

/// Waits for a state of the world, at most ten seconds.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..1_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it was not so within ten seconds: {what}");
}

/// The messages of a method that a stub has read.
pub(crate) fn heard(stub: &Stub, method: &str) -> Vec<Value> {
    stub.heard().into_iter().filter(|message| message["method"] == method).collect()
}

/// A future that must end in time.
pub(crate) async fn within<T>(patience: Duration, what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(patience, future)
        .await
        .unwrap_or_else(|_| panic!("{what} took more than {patience:?}"))
}
