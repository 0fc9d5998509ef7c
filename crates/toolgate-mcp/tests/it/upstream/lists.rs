//! Lists of tools: in one order whoever answers first (K13), under distinct names (K40), and never without an end (K41).

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_mcp::upstream::ServerState;

use super::{Mounted, error, lists, once, result, rule, says, settings, stub, tool, within};

#[tokio::test(flavor = "multi_thread")]
async fn the_same_configuration_gives_the_same_list_whoever_is_first_k13() {
    let delayed = |delay: u64, names: [&str; 2]| {
        stub([rule("tools/list", [format!("!sleep {delay}"), result(json!({ "tools": names.map(tool) }))])])
    };
    let mut lists = Vec::new();
    for round in 0..100_u64 {
        let (one, two) = (round % 3 * 15, (round + 1) % 3 * 15);
        let stubs = [delayed(one, ["b", "a"]), delayed(two, ["d", "c"]), delayed(10, ["f", "e"])];
        let configs = ["x", "y", "z"].iter().zip(&stubs).map(|(name, stub)| settings(name, stub, json!({})));
        let mounted = Mounted::new(configs.collect()).await;
        lists.push(serde_json::to_string(&mounted.runtime.schemas()).unwrap());
        mounted.servers.close().await;
        assert_eq!(mounted.names(), Vec::<String>::new(), "R10: what was mounted is gone");
    }
    assert!(lists[0].contains("mcp__z__f"), "{}", lists[0]);
    assert!(lists.iter().all(|list| *list == lists[0]));
}

#[tokio::test]
async fn names_are_distinct_and_every_tool_is_called_under_its_own_k40() {
    let answers = |names: &[&str]| {
        let mut rules = vec![lists(&names.iter().map(|name| tool(name)).collect::<Vec<_>>())];
        rules.extend(names.iter().map(|name| rule(&format!("tools/call:{name}"), [says(name)])));
        stub(rules)
    };
    let (s, s_, third) = (answers(&["_x", "a.b", "a-b"]), answers(&["x"]), answers(&["y"]));
    let both = vec![settings("s", &s, json!({})), settings("s_", &s_, json!({}))];
    let mounted = Mounted::new(both.clone()).await;
    let names = mounted.names();
    assert_eq!(names.len(), 4);
    let mut said = Vec::new();
    for name in &names {
        assert!(
            name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        );
        said.push(mounted.call(name, json!({})).await.text());
    }
    said.sort();
    assert_eq!(said, ["_x", "a-b", "a.b", "x"]);
    let three = Mounted::new(both.into_iter().chain([settings("s__", &third, json!({}))]).collect()).await;
    assert_eq!(three.names()[..4], names, "another server renames nothing");
}

#[tokio::test]
async fn a_list_without_an_end_is_left_k41() {
    let page = |name: &str, cursor: Value| result(json!({ "tools": [tool(name)], "nextCursor": cursor }));
    let unique = r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[],"nextCursor":"p$ID"}}"#.to_owned();
    for (what, rules, found, warning) in [
        ("A to A", vec![rule("tools/list", [page("a", json!("A"))])], vec!["a"], "circle"),
        (
            "A to B to A",
            vec![
                once("tools/list", [page("a", json!("A"))]),
                once("tools/list", [page("b", json!("B"))]),
                rule("tools/list", [page("a", json!("A"))]),
            ],
            vec!["a", "b"],
            "circle",
        ),
        ("empty cursor", vec![rule("tools/list", [page("a", json!(""))])], vec!["a"], "empty cursor"),
        (
            "empty pages",
            vec![once("tools/list", [page("a", json!("A"))]), rule("tools/list", [unique])],
            vec!["a"],
            "have no tool",
        ),
    ] {
        let stub = stub(rules);
        let configs = vec![settings("s", &stub, json!({}))];
        let mounted = within(Duration::from_secs(2), what, Mounted::new(configs)).await;
        let names: Vec<String> = mounted.status().tools.into_iter().map(|tool| tool.tool).collect();
        assert_eq!(names, found, "{what}");
        let warnings = mounted.status().warnings;
        assert!(warnings.iter().any(|text| text.contains(warning)), "{what}: {warnings:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_or_slow_hides_nothing_else() {
    let good = stub([lists(&[tool("a")]), rule("tools/call", [says("here")])]);
    let slow = stub([rule("initialize", [])]);
    let broken = stub([rule("initialize", ["!complain no licence".to_owned(), "!exit 7".to_owned()])]);
    let mute = stub([rule("tools/list", [])]);
    let refusing = stub([rule("tools/list", [error(-32603, "not today")])]);
    let mut missing = settings("missing", &good, json!({}));
    missing.endpoint = toolgate_mcp::config::Endpoint::Process {
        command: "/nowhere/at-all".to_owned(),
        args: Vec::new(),
        env: Default::default(),
        pass_env: Vec::new(),
        cwd: None,
    };
    let short = json!({ "start_timeout": "500ms", "discovery_timeout": "500ms" });
    let mounted = Mounted::new(vec![
        settings("slow", &slow, short.clone()),
        settings("broken", &broken, short.clone()),
        settings("mute", &mute, short.clone()),
        settings("refusing", &refusing, short),
        missing,
        settings("off", &slow, json!({ "enabled": false })),
        settings("good", &good, json!({})),
    ])
    .await;
    assert_eq!(mounted.names(), ["mcp__good__a"]);
    assert_eq!(mounted.call("mcp__good__a", json!({})).await.text(), "here");
    for (status, part) in mounted.servers.status().iter().zip([
        "not ready within 500 ms",
        "no licence",
        "did not list its tools within 500 ms",
        "not today",
        "/nowhere/at-all",
        "",
        "",
    ]) {
        match &status.state {
            // A new attempt may be under way.
            ServerState::Connecting => {}
            ServerState::Down { reason, .. } => assert!(reason.contains(part), "{}: {reason}", status.name),
            ServerState::Ready => assert_eq!(status.name.as_str(), "good"),
            ServerState::Disabled => assert_eq!(status.name.as_str(), "off"),
            ServerState::Closed => panic!("nobody closed {}", status.name),
        }
    }
    mounted.servers.close().await;
    for stub in [&good, &slow, &broken, &mute, &refusing] {
        assert_eq!(stub.processes(), 0);
    }
}
