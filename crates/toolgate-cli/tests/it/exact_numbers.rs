//! K24: numbers that no double holds, from a model's answer through the pipeline to a server, into the log, through a
//! program, and back; with the real binary and over a real socket.

use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolgate::ToolDefinition;
use toolgate::prelude::*;
use toolgate_mcp::gateway::{Access, Gateway, HttpOptions};

use crate::home::Home;

/// Three calls of a model, and a program of it that makes a fourth.
const SCRIPT: &str = r#"
[[answer]]
[[answer.calls]]
name = "mcp__exact__echo"
arguments = '{"n": 9007199254740993}'
[[answer.calls]]
name = "mcp__exact__echo"
arguments = '{"n": 18446744073709551615}'
[[answer.calls]]
name = "mcp__exact__echo"
arguments = '{"n": 12345678901234567890123}'
[[answer.calls]]
name = "run_code"
arguments = '''{"code": "const one = await tools.mcp__exact__echo({ n: 9007199254740993n }); return one.structuredContent.n", "description": "echo"}'''

[[answer]]
text = "That is all."
"#;

/// Gives back what it is given, and notes how it was written.
fn echo(seen: &Arc<Mutex<Vec<String>>>) -> ToolDefinition {
    let seen = Arc::clone(seen);
    ToolDefinition::raw("echo", "Gives back what it is given.")
        .raw_parameters(json!({ "type": "object", "properties": { "n": {} }, "required": ["n"] }))
        .output_schema(json!({ "type": "object" }))
        .body(move |arguments, _| {
            seen.lock().unwrap().push(arguments.to_string());
            async move { Ok(arguments) }
        })
}

/// The records of a kind in the log that was kept last.
fn records(home: &Home, kind: &str) -> Vec<String> {
    let log = home.run(&["log", "export", "last", "--sessions", "sessions"]).exits(0).stdout;
    let is_meant = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["type"] == kind;
    log.lines().filter(is_meant).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_the_same_from_a_model_to_a_server_and_back() {
    let seen = Arc::default();
    let runtime = ToolRuntime::builder().tool(echo(&seen)).build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let gateway = Gateway::of(runtime.scope("exact")).build();
    tokio::spawn(async move { gateway.serve_http(listener, HttpOptions::new(Access::Everybody)).await });

    let [said, calls, results, dispatches] = tokio::task::spawn_blocking(move || {
        let home = Home::new();
        home.configure(&format!("[mcp.servers.exact]\nurl = \"{url}\"\n"));
        fs::write(home.workspace().join("script.toml"), SCRIPT).unwrap();
        let args =
            ["agent", "--script", "script.toml", "--sessions", "sessions", "--mode", "both", "--yes", "Go."];
        home.run(&args).exits(0);
        ["assistant/message", "tool/call", "tool/result", "tool/code-dispatch"]
            .map(|kind| records(&home, kind))
    })
    .await
    .unwrap();

    let exact = ["9007199254740993", "18446744073709551615"];
    let seen = seen.lock().unwrap();
    let echoed = [exact[0], exact[1], exact[0]].map(|number| format!("{{\"n\":{number}}}"));
    assert_eq!(*seen, echoed, "what the server was given");
    for (number, (call, result)) in exact.iter().zip(calls.iter().zip(&results)) {
        assert!(call.contains(&format!("\"n\":{number}")), "{call}");
        assert!(result.contains(number), "{result}");
    }
    // The one that cannot be represented fails alone, with its path, and its text is kept.
    assert!(said[0].contains("12345678901234567890123"), "{}", said[0]);
    assert!(results[2].contains("INVALID_ARGS") && results[2].contains("at `n`"), "{}", results[2]);
    assert!(dispatches[0].contains(exact[0]), "{}", dispatches[0]);
    assert!(results[3].contains(exact[0]), "what the program returned: {}", results[3]);
}
