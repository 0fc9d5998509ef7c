//! The rules of the gateway on the calls of its clients.

use serde_json::{Value, json};

use super::{Client, Inner, fronting, text};
use crate::home::Home;

fn write() -> Value {
    json!({ "file_path": "c.txt", "content": "x" })
}

#[test]
fn what_a_rule_denies_is_denied_through_the_gateway_as_well() {
    // K12, with the file as the witness: the server itself would do it.
    for (deny, is_written) in [("mcp__inner__write", false), ("mcp__inner__delete", true)] {
        let inner = Inner::new();
        let home = fronting(&inner, "");
        let args = ["mcp", "--mode", "both", "--yes", "--deny", deny];
        let mut client = Client::start(&mut home.command(&args), "test");
        let direct = client.call("mcp__inner__write", &write());
        assert_eq!(direct["result"]["isError"] == true, !is_written, "{direct}");
        assert_eq!(inner.path("c.txt").exists(), is_written, "{direct}");
        if !is_written {
            assert!(text(&direct).contains("--deny"), "the rule is named: {direct}");
            let code = "await tools.mcp__inner__write({ file_path: \"c.txt\", content: \"x\" });";
            let program = client.call("run_code", &json!({ "code": code, "description": "writes" }));
            assert_eq!(program["result"]["isError"], true, "{program}");
            assert!(!inner.path("c.txt").exists(), "{program}");
        }
        client.leave();
    }
}

#[test]
fn questions_go_to_the_client_and_nobody_s_silence_allows() {
    let home = Home::new();
    let file = home.workspace().join("c.txt");
    let mut deaf = Client::start(&mut home.command(&["mcp"]), "deaf");
    let answer = deaf.call("write", &write());
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(!file.exists());
    deaf.leave();

    for (action, is_written) in [("decline", false), ("accept", true)] {
        let able = json!({ "elicitation": {} });
        let mut client = Client::able(&mut home.command(&["mcp"]), "able", &able);
        client.send(&json!({ "jsonrpc": "2.0", "id": "w", "method": "tools/call",
            "params": { "name": "write", "arguments": write() } }));
        let answer = loop {
            let message = client.next();
            if message["method"] == "elicitation/create" {
                let schema = &message["params"]["requestedSchema"]["properties"];
                let content = accepted(schema);
                client.send(&json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "action": action, "content": content } }));
            } else if message["id"] == "w" {
                break message;
            }
        };
        assert_eq!(file.exists(), is_written, "{answer}");
        client.leave();
    }
}

/// Says yes in a form: the first choice of each field that has some.
fn accepted(properties: &Value) -> Value {
    let fields = properties.as_object().unwrap_or_else(|| panic!("{properties}"));
    fields
        .iter()
        .filter_map(|(name, schema)| {
            let first =
                schema["enum"].get(0).or_else(|| schema["oneOf"].get(0).and_then(|one| one.get("const")));
            first.map(|first| (name.clone(), first.clone()))
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn the_answer_for_clients_that_cannot_ask_may_be_yes() {
    let home = Home::new();
    home.configure("[mcp.serve]\nunanswered = \"allow\"\n");
    let mut deaf = Client::start(&mut home.command(&["mcp", "--deny", "delete"]), "deaf");
    let answer = deaf.call("write", &write());
    assert!(home.workspace().join("c.txt").exists(), "{answer}");
    let answer = deaf.call("delete", &json!({ "file_path": "c.txt" }));
    assert!(home.workspace().join("c.txt").exists(), "what is denied stays denied: {answer}");
    deaf.leave();
}
