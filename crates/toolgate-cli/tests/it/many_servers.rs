//! `toolgate mcp` in front of five servers with thirty tools each: what a model is sent in each mode, and a program that uses
//! three of them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;
use tokio::net::TcpListener;
use toolgate::prelude::*;
use toolgate::{SetupError, ToolDefinition};
use toolgate_mcp::gateway::{Access, Gateway, HttpOptions};

use crate::home::Home;

/// The servers, and the thing that each has ten or so tools for.
const SERVERS: [(&str, [&str; 5]); 5] = [
    ("tracker", ["issue", "board", "sprint", "label", "milestone"]),
    ("code", ["repository", "branch", "pull_request", "review", "release"]),
    ("wiki", ["page", "space", "comment", "template", "attachment"]),
    ("mail", ["message", "thread", "folder", "filter", "draft"]),
    ("calendar", ["event", "invitation", "room", "reminder", "availability"]),
];

/// What can be done with a thing.
const ACTIONS: [&str; 6] = ["list", "get", "create", "update", "delete", "search"];

/// A tool as servers of services have them: some sentences, and a handful of described parameters.
fn tool(server: &'static str, action: &'static str, thing: &'static str) -> ToolDefinition {
    let described = |kind: &str, meaning: &str| json!({ "type": kind, "description": meaning });
    let schema = json!({
        "type": "object",
        "properties": {
            "id": described("string", &format!("The identifier of the {thing}, as `list_{thing}` gives it; not its title.")),
            "fields": {
                "type": "array",
                "items": { "type": "string", "enum": ["id", "title", "body", "author", "created", "updated", "state"] },
                "description": format!("Which fields of the {thing} to return. All of them if it is left out."),
            },
            "filter": {
                "type": "object",
                "properties": {
                    "state": { "type": "string", "enum": ["open", "closed", "archived", "all"], "default": "open" },
                    "author": described("string", "The login of the person who made it, without an at sign."),
                    "since": described("string", "Only what was changed after this time, as ISO 8601 with a zone."),
                },
                "additionalProperties": false,
            },
            "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20,
                       "description": "How many to return at most; the rest is on later pages." },
            "cursor": described("string", "Where to go on, as the last page said. Leave it out for the first page."),
        },
        "required": ["id"],
        "additionalProperties": false,
    });
    let name = format!("{action}_{thing}");
    let description = format!(
        "{action} a {thing} of the {server}. Needs the permission to do so; without it the call fails and says which \
         permission is missing. Archived ones are left out unless the filter asks for them. Rate limits of the {server} apply: \
         at most sixty calls a minute, after which the call fails and says when to come back."
    );
    ToolDefinition::raw(name.clone(), description)
        .raw_parameters(schema)
        .output_schema(json!({ "type": "object" }))
        .body(move |arguments, _| {
            let id = arguments.get("id").cloned().unwrap_or_default();
            let value = JsonValue::new(json!({ "did": format!("{server}/{name}"), "id": id }));
            async move { value.map_err(|error| ToolError::new(error.to_string())) }
        })
}

fn server(name: &'static str, things: [&'static str; 5]) -> Result<ToolRuntime, SetupError> {
    let tools = things.into_iter().flat_map(|thing| ACTIONS.map(|action| tool(name, action, thing)));
    tools.fold(ToolRuntime::builder(), |builder, tool| builder.tool(tool)).build()
}

/// Serves all of them, each at a port of its own; gives the configuration that names them.
async fn servers() -> String {
    let mut configuration = String::new();
    for (name, things) in SERVERS {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        configuration.push_str(&format!("[mcp.servers.{name}]\nurl = \"http://{address}/mcp\"\n"));
        let gateway = Gateway::of(server(name, things).unwrap().scope(name)).build();
        tokio::spawn(async move { gateway.serve_http(listener, HttpOptions::new(Access::Everybody)).await });
    }
    configuration
}

/// A client of the binary, over its standard input and output.
struct Client {
    child: Child,
    write: ChildStdin,
    read: BufReader<ChildStdout>,
}

impl Client {
    fn new(home: &Home, mode: &str) -> Self {
        let mut command = home.command(&["mcp", "--tools", "servers", "--mode", mode, "--yes"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (write, read) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, write, read };
        client.ask(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
        );
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: Value) {
        writeln!(self.write, "{message}").unwrap();
    }

    /// Asks, and gives the result. Notifications are not looked at.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).unwrap() > 0, "the gateway ended at {method}");
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == 1 {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].take();
            }
        }
    }

    fn tools(&mut self) -> Vec<Value> {
        let mut result = self.ask("tools/list", json!({}));
        assert!(result["nextCursor"].is_null());
        serde_json::from_value(result["tools"].take()).unwrap()
    }

    fn leave(mut self) {
        drop(self.write);
        assert!(self.child.wait().unwrap().success());
    }
}

/// What a model reads of them.
fn tokens(tools: &[Value]) -> usize {
    let told = tools.iter().map(|tool| {
        json!({ "name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"] })
    });
    o200k_base_singleton().encode_ordinary(&Value::from_iter(told).to_string()).len()
}

#[tokio::test(flavor = "multi_thread")]
async fn in_mode_code_a_model_is_sent_a_tenth_and_programs_call_three_servers() {
    let home = Home::new();
    home.configure(&servers().await);
    let (native, code, value) = tokio::task::spawn_blocking(move || {
        let mut client = Client::new(&home, "native");
        let native = client.tools();
        client.leave();
        let mut client = Client::new(&home, "code");
        let code = client.tools();
        let program = r#"
            const found = await tools.mcp__tracker__search_issue({ id: "7", limit: 5 });
            const [page, event] = await Promise.all([
                tools.mcp__wiki__get_page({ id: found.structuredContent.id }),
                tools.mcp__calendar__create_event({ id: found.structuredContent.id }),
            ]);
            [found, page, event].map(one => one.structuredContent.did + " " + one.structuredContent.id)
        "#;
        let params =
            json!({ "name": "run_code", "arguments": { "code": program, "description": "three servers" } });
        let result = client.ask("tools/call", params);
        client.leave();
        (native, code, result)
    })
    .await
    .unwrap();

    let ours =
        native.iter().filter(|tool| tool["name"].as_str().is_some_and(|name| name.starts_with("mcp__")));
    assert_eq!(ours.count(), 150);
    let (all, few) = (tokens(&native), tokens(&code));
    assert!(few * 10 <= all, "{few} tokens are more than a tenth of {all}");
    let text = value.to_string();
    for did in ["tracker/search_issue 7", "wiki/get_page 7", "calendar/create_event 7"] {
        assert!(text.contains(did), "{did}: {value:#}");
    }
}
