//! Profiles: which tools and rules the clients of a name get.

use serde_json::json;

use super::{Client, Inner, fronting, text};
use crate::home::Home;

const PROFILES: &str = "
[mcp.profiles.reader]
allow = ['read', 'gr*', 'mcp__inner__read']
deny = ['grep']
clients = ['modest']
[mcp.profiles.reader.rules]
deny = ['read(secret.txt)']
[mcp.profiles.programs]
mode = 'code'
";

#[test]
fn list_and_call_are_filtered_by_the_same_rule() {
    let inner = Inner::new();
    let home = fronting(&inner, PROFILES);
    std::fs::write(home.workspace().join("open.txt"), "open\n").unwrap();
    std::fs::write(home.workspace().join("secret.txt"), "secret\n").unwrap();
    let cases = [
        ("by the name of the client", vec!["mcp"], "modest"),
        ("by the flag", vec!["mcp", "--profile", "reader"], "x"),
    ];
    for (how, args, name) in cases {
        let mut client = Client::start(&mut home.command(&args), name);
        assert_eq!(client.tools(), ["read", "mcp__inner__read"], "{how}: tools of servers, too");
        for hidden in ["grep", "write", "mcp__inner__write"] {
            let answer = client.call(hidden, &json!({}));
            assert_eq!(answer["error"]["code"], -32602, "{how}, {hidden}: {answer}");
        }
        assert!(text(&client.call("read", &json!({ "file_path": "open.txt" }))).contains("open"), "{how}");
        let refused = client.call("read", &json!({ "file_path": "secret.txt" }));
        assert_eq!(refused["result"]["isError"], true, "{how}: {refused}");
        assert!(text(&refused).contains("toolgate.toml:"), "{how}: the rule and its line: {refused}");
        client.leave();
    }
    let mut other = Client::start(&mut home.command(&["mcp"]), "other");
    assert!(other.tools().iter().any(|tool| tool == "write"));
    assert!(text(&other.call("read", &json!({ "file_path": "secret.txt" }))).contains("secret"));
    other.leave();
    let mut program = Client::start(&mut home.command(&["mcp", "--profile", "programs"]), "other");
    // So many tools that they are not declared whole.
    assert_eq!(program.tools(), ["run_code", "search_tools", "describe_tool"]);
    program.leave();
}

#[test]
fn a_profile_that_makes_no_sense_is_an_error() {
    for (config, args, error) in [
        ("", ["mcp", "--profile", "x"], "there is no profile `x`"),
        ("[mcp.profiles.x]\ndeny = ['*_rm']", ["mcp", "--profile", "x"], "fits none: `*_rm`"),
        ("[mcp.profiles.'a/b']\nmode = 'both'", ["mcp", "--mode", "both"], "cannot be the name"),
        ("[mcp.profiles.x.rules]\ndeny = ['read(']", ["mcp", "--mode", "both"], "read("),
    ] {
        let home = Home::new();
        home.configure(config);
        home.run(&args).fails(2, error);
    }
}
