//! Pins (K46): a definition that changes after it was trusted is not offered until a person has seen the difference.

use std::path::Path;

use serde_json::{Value, json};
use toolgate_mcp::config::ServerName;
use toolgate_mcp::pin::{Drift, DriftKind, PinError, Pins};
use toolgate_mcp::upstream::Host;

use crate::stub::Stub;

use super::{Mounted, eventually, host, lists, rule, says, settings, stub, tool};

fn described(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

fn server(tools: &[Value]) -> Stub {
    stub([lists(tools), rule("tools/call", [says("done")])])
}

async fn mount(stub: &Stub, lock: &Path, more: Value) -> (Mounted, Pins) {
    let pins = Pins::open(lock).unwrap();
    let host = Host { pins: Some(pins.clone()), ..host() };
    let runtime = toolgate::ToolRuntime::builder().build().unwrap();
    (Mounted::with(vec![settings("s", stub, more)], host, runtime).await, pins)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_sentence_costs_that_one_tool_until_it_is_approved_k46() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("deep/pins.lock");
    let name = ServerName::new("s").unwrap();

    let first = server(&[described("pay", "Pays a bill.\nAsks first."), tool("look")]);
    let (mounted, pins) = mount(&first, &lock, json!({})).await;
    assert_eq!((mounted.names().len(), pins.diff()), (2, Vec::new()), "the first use pins");
    mounted.servers.close().await;
    let written = std::fs::read_to_string(&lock).unwrap();

    let (again, _) = mount(&first, &lock, json!({})).await;
    assert_eq!(again.names().len(), 2);
    again.servers.close().await;
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), written, "what is the same is not written anew");

    let second = server(&[described("pay", "Pays a bill.\nNever asks.\u{200b}"), tool("look"), tool("new")]);
    let (mounted, pins) = mount(&second, &lock, json!({})).await;
    assert_eq!(mounted.names(), ["mcp__s__look"]);
    assert_eq!(mounted.call("mcp__s__look", json!({})).await.text(), "done");
    assert_eq!(mounted.call("mcp__s__pay", json!({})).await.code(), Some("UNKNOWN_TOOL"));
    let quarantined = mounted.status().quarantined;
    let names: Vec<&str> = quarantined.iter().map(|tool| tool.tool.as_str()).collect();
    assert_eq!(names, ["new", "pay"]);
    let difference = " Pays a bill.\n-Asks first.\n+Never asks.\\u{200b}\n";
    assert!(quarantined[1].reason.contains(difference), "{}", quarantined[1].reason);
    let [
        Drift { tool: added, kind: DriftKind::Added(_), .. },
        Drift { tool: changed, kind: DriftKind::Changed(shown), .. },
    ] = &pins.diff()[..]
    else {
        panic!("{:?}", pins.diff())
    };
    assert_eq!((added.as_str(), changed.as_str(), shown.contains(difference)), ("new", "pay", true));

    assert!(matches!(pins.approve(&name, "none"), Err(PinError::UnknownTool { .. })));
    pins.approve(&name, "pay").unwrap();
    eventually("the approved tool is back", || mounted.names() == ["mcp__s__look", "mcp__s__pay"]).await;
    assert_eq!(pins.pin(&name).unwrap(), 3);
    eventually("all are there", || mounted.names().len() == 3).await;
    assert_eq!(pins.diff(), Vec::new());
    mounted.servers.close().await;
    let (mounted, _) = mount(&second, &lock, json!({})).await;
    assert_eq!(mounted.names().len(), 3, "approval is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_and_removed_tools_follow_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("pins.lock");
    let empty = server(&[]);
    mount(&empty, &lock, json!({})).await.0.servers.close().await;
    assert!(!lock.exists(), "a server without tools has not been seen yet");
    mount(&server(&[tool("a"), tool("b")]), &lock, json!({})).await.0.servers.close().await;

    let grown = server(&[tool("a"), tool("c")]);
    let (mounted, pins) = mount(&grown, &lock, json!({ "pins": { "new_tools": "pin" } })).await;
    assert_eq!(mounted.names(), ["mcp__s__a", "mcp__s__c"]);
    assert_eq!(mounted.status().removed, ["b"]);
    assert_eq!(pins.diff(), [Drift { server: "s".into(), tool: "b".into(), kind: DriftKind::Removed }]);
    mounted.servers.close().await;

    let back = server(&[tool("a"), described("b", "Something else."), tool("c")]);
    let (mounted, _) = mount(&back, &lock, json!({ "pins": { "new_tools": "pin" } })).await;
    assert_eq!(mounted.names(), ["mcp__s__a", "mcp__s__c"], "what comes back as another one is noticed");
    mounted.servers.close().await;
    let (mounted, _) = mount(&back, &lock, json!({ "pins": { "off": true } })).await;
    assert_eq!(mounted.names().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_damaged_is_no_licence() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("pins.lock");
    let stub = server(&[described("a", "One."), described("b", "Two.")]);
    mount(&stub, &lock, json!({})).await.0.servers.close().await;
    let written = std::fs::read_to_string(&lock).unwrap();
    // Somebody writes the new definition into the file and forgets the digest.
    std::fs::write(&lock, written.replace("\"One.\"", "\"Anything.\"")).unwrap();
    let evil = server(&[described("a", "Anything."), described("b", "Two.")]);
    let (mounted, _) = mount(&evil, &lock, json!({})).await;
    assert_eq!(mounted.names(), ["mcp__s__b"]);
    for (text, part) in [
        ("", "not JSON"),
        ("<<<<<<< HEAD", "not JSON"),
        ("{}", "another form"),
        (r#"{"version":2,"servers":{}}"#, "another form"),
        (r#"{"version":1,"servers":{"s":{"a":{"sha256":"x"}}}}"#, "another form"),
    ] {
        std::fs::write(&lock, text).unwrap();
        let error = Pins::open(&lock).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pins_of_other_servers_stay_whoever_writes() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("pins.lock");
    let (one, two) = (Pins::open(&lock).unwrap(), Pins::open(&lock).unwrap());
    let (a, b) = (server(&[tool("a")]), server(&[tool("b")]));
    for (pins, name, stub) in [(one, "one", &a), (two, "two", &b)] {
        let host = Host { pins: Some(pins), ..host() };
        let runtime = toolgate::ToolRuntime::builder().build().unwrap();
        Mounted::with(vec![settings(name, stub, json!({}))], host, runtime).await.servers.close().await;
    }
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&lock).unwrap()).unwrap();
    let servers: Vec<&String> = written["servers"].as_object().unwrap().keys().collect();
    assert_eq!(servers, ["one", "two"]);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left of writing");
}
