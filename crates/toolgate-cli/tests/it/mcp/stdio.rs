//! Clients on standard input and output.

use serde_json::json;

use super::{Client, Inner, fronting, text};
use crate::home::Home;

#[test]
fn the_tools_of_a_workspace_are_served() {
    let home = Home::new();
    std::fs::write(home.workspace().join("a.txt"), "hello\n").unwrap();
    let mut client = Client::start(&mut home.command(&["mcp"]), "test");
    let tools = client.tools();
    assert!(["read", "write", "bash"].iter().all(|name| tools.iter().any(|tool| tool == name)), "{tools:?}");
    let answer = client.call("read", &json!({ "file_path": "a.txt" }));
    assert!(text(&answer).contains("hello"), "{answer}");
    let answer = client.call("read", &json!({ "file_path": "../a.txt" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let (status, said) = client.leave();
    assert!(status.success() && said.is_empty(), "{status}: {said:?}");
}

#[test]
fn tools_of_servers_are_served_alone_where_that_is_wanted() {
    let inner = Inner::new();
    let home = fronting(&inner, "");
    let mut client = Client::start(&mut home.command(&["mcp", "--tools", "servers"]), "test");
    let tools = client.tools();
    assert!(tools.iter().any(|tool| tool == "mcp__inner__read"), "{tools:?}");
    assert!(!tools.iter().any(|tool| tool == "bash" || tool == "read"), "{tools:?}");
    std::fs::write(inner.path("b.txt"), "from inside\n").unwrap();
    let answer = client.call("mcp__inner__read", &json!({ "file_path": "b.txt" }));
    assert_eq!(answer["result"]["isError"], true, "nobody allowed what may change something: {answer}");
    let (status, _) = client.leave();
    assert!(status.success());
}

#[test]
fn programs_call_what_is_hidden_from_the_list() {
    let inner = Inner::new();
    std::fs::write(inner.path("b.txt"), "from inside\n").unwrap();
    let home = fronting(&inner, "");
    let args = ["mcp", "--tools", "servers", "--mode", "code", "--allow", "mcp__inner__read"];
    let mut client = Client::start(&mut home.command(&args), "test");
    assert_eq!(client.tools(), ["run_code"]);
    let code = "const file = await tools.mcp__inner__read({ file_path: \"b.txt\" }); return JSON.stringify(file).includes(\"from inside\");";
    let answer = client.call("run_code", &json!({ "code": code, "description": "reads" }));
    assert!(text(&answer).contains("true"), "{answer}");
    let refused = client.call("mcp__inner__read", &json!({ "file_path": "b.txt" }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    client.leave();

    let args = [args.as_slice(), &["--budget", "0"]].concat();
    let mut client = Client::start(&mut home.command(&args), "test");
    assert_eq!(client.tools(), ["run_code", "search_tools", "describe_tool"]);
    client.leave();
}
