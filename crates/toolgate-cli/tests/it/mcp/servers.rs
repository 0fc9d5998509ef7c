//! The servers behind the gateway: whose word counts which there are, and whose state is whose.

use std::fs;

use serde_json::json;

use super::{Client, Inner, fronting, text};
use crate::home::Home;

#[test]
fn servers_of_a_workspace_are_used_once_somebody_trusts_its_file() {
    let inner = Inner::new();
    let home = Home::new();
    home.configure("[mcp]\nfiles = ['.mcp.json']\n");
    let server = json!({ "command": env!("CARGO_BIN_EXE_toolgate"), "args": ["mcp", "-C", inner.path("")],
        "env": { "XDG_CONFIG_HOME": inner.path(".none"), "XDG_STATE_HOME": inner.path(".none") } });
    let file = home.workspace().join(".mcp.json");
    fs::write(&file, json!({ "mcpServers": { "there": server } }).to_string()).unwrap();
    let listed = || {
        let mut client = Client::start(&mut home.command(&["mcp", "--tools", "servers"]), "test");
        let tools = client.tools();
        let (_, said) = client.leave();
        (tools.iter().any(|tool| tool == "mcp__there__read"), said.join("\n"))
    };
    let (is_listed, said) = listed();
    assert!(!is_listed && said.contains("nobody trusts the file"), "{said}");
    home.run(&["config", "trust"]).exits(0);
    let (is_listed, said) = listed();
    assert!(is_listed, "{said}");
    // Whoever changes the file has to be trusted anew.
    fs::write(&file, json!({ "mcpServers": { "there": server, "more": server } }).to_string()).unwrap();
    assert!(!listed().0);
}

#[test]
fn a_client_sees_the_state_of_no_other_unless_the_server_is_shared() {
    // K44: jobs are the state of a server here.
    for (more, is_seen) in [("", false), ("shared = true", true)] {
        let inner = Inner::new();
        let home = fronting(&inner, more);
        let served =
            super::http::Served::start(&mut home.command(&["mcp", "--http", "127.0.0.1:0", "--yes"]));
        let (mut first, mut second) = (served.session("one"), served.session("two"));
        let begun = first.call(
            "mcp__inner__bash",
            &json!({ "command": "sleep 60", "run_in_background": true, "description": "waits" }),
        );
        assert_ne!(begun["result"]["isError"], true, "{begun}");
        let seen = first.call("mcp__inner__job_list", &json!({}));
        assert!(text(&seen).contains("sleep 60"), "{seen}");
        let seen = second.call("mcp__inner__job_list", &json!({}));
        assert_eq!(text(&seen).contains("sleep 60"), is_seen, "{more}: {seen}");
    }
}
