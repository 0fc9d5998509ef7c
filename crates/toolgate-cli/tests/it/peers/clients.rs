//! The official clients against `toolgate mcp`, which is in front of real servers: over pipes and over HTTP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::install::{beside_npm, module, node, python};
use super::world::{Expected, TOOLS, World, calls, script};
use super::{Running, ends};

const ARGUMENTS: [&str; 4] = ["mcp", "--tools", "servers", "--yes"];

/// How a client reaches the gateway.
enum Reached {
    /// It starts it.
    Started,
    /// At an address, with a token.
    At { url: String, token: String, _gateway: Running },
}

impl Reached {
    fn over_http(world: &World) -> Self {
        let mut gateway = world.home.command(&[&ARGUMENTS[..], &["--http", "127.0.0.1:0"]].concat());
        let (gateway, [token, url]) = Running::announced(&mut gateway, ["token", "serving"]);
        Self::At { url, token, _gateway: gateway }
    }

    /// What a client is told, in the keys of configuration files.
    fn settings(&self, world: &World) -> Value {
        match self {
            Self::Started => {
                let workspace = world.home.workspace();
                let arguments = [&ARGUMENTS[..], &["-C", workspace.to_str().expect("a path")]].concat();
                let env = world.home.command(&[]);
                let env: serde_json::Map<_, _> = env
                    .get_envs()
                    .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value?.to_str()?.into())))
                    .collect();
                json!({ "command": env!("CARGO_BIN_EXE_toolgate"), "args": arguments, "env": env })
            }
            Self::At { url, token, .. } => {
                json!({ "type": "streamable-http", "url": url,
                        "headers": { "Authorization": format!("Bearer {token}") } })
            }
        }
    }
}

/// Lets a client make every call, give one up, and make one more; and looks at what it got.
fn assert_works(client: &mut Command, world: &World, reached: &Reached) {
    let calls = calls(world);
    let mut told = reached.settings(world);
    told["calls"] =
        calls.iter().map(|(name, arguments, _)| json!({ "name": name, "arguments": arguments })).collect();
    told["givenUp"] = json!({ "name": "mcp__python__work", "arguments": { "seconds": 60, "steps": 600 } });
    let run = ends(client.arg(told.to_string())).exits(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"));

    let tools: Vec<_> =
        report["tools"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for tool in TOOLS {
        assert!(tools.contains(&tool), "{tool} is not among {tools:?}");
    }
    for ((tool, _, expected), made) in calls.iter().zip(report["results"].as_array().unwrap()) {
        let result = &made["result"];
        let is_error = result["isError"] == true;
        assert_eq!(is_error, matches!(expected, Expected::Failure(_)), "{tool}: {made}");
        let blocks = result["content"].as_array().unwrap();
        let says = |words: &str| {
            blocks.iter().any(|block| block["text"].as_str().is_some_and(|text| text.contains(words)))
        };
        let is_so = match expected {
            Expected::Text(words) | Expected::Failure(words) => says(words),
            Expected::Image => {
                blocks.iter().any(|block| block["type"] == "image" && block["data"].is_string())
            }
            Expected::Structured(member) => {
                !result["structuredContent"]["structuredContent"][member].is_null()
            }
            // The answer may overtake the last report.
            Expected::Progress(steps) => {
                let progress = made["progress"].as_array().unwrap().iter();
                let all = (1..=*steps).map(|step| (Some(step as f64), Some(*steps as f64)));
                let heard: Vec<_> = progress.map(|report| (report[0].as_f64(), report[1].as_f64())).collect();
                heard.len() + 1 >= *steps && all.take(heard.len()).eq(heard)
            }
        };
        assert!(is_so, "{tool} should have {expected:?}: {made}");
    }
    assert_eq!(report["wasGivenUp"], true, "{report}");
    world.wait_for("cancelled");
    assert_eq!(report["after"]["isError"], json!(false), "{report}");
}

fn typescript() -> Command {
    let mut client = Command::new(node());
    client.arg(beside_npm("client.mjs", include_str!("../../peers/client.mjs")));
    client
}

fn of_python() -> Command {
    let mut client = Command::new(python());
    client.arg(script("client.py"));
    client
}

#[test]
fn the_typescript_sdk_works_over_pipes() {
    let world = World::new();
    assert_works(&mut typescript(), &world, &Reached::Started);
}

#[test]
fn the_typescript_sdk_works_over_http() {
    let world = World::new();
    assert_works(&mut typescript(), &world, &Reached::over_http(&world));
}

#[test]
fn the_python_sdk_works_over_pipes() {
    let world = World::new();
    assert_works(&mut of_python(), &world, &Reached::Started);
}

#[test]
fn the_python_sdk_works_over_http() {
    let world = World::new();
    assert_works(&mut of_python(), &world, &Reached::over_http(&world));
}

/// The inspector, told of the gateway by a file like an editor's.
fn inspector(world: &World, file: &Path) -> Command {
    let mut inspector = Command::new(node());
    inspector.arg(module("@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
    inspector.args(["--cli", "--config"]).arg(file).args(["--server", "toolgate"]);
    // It would keep what it knows in the home and the keychain of its user.
    inspector.env("HOME", world.home.workspace()).env("MCP_INSPECTOR_SECRET_STORE", "memory");
    inspector
}

#[test]
fn the_inspector_lists_and_calls() {
    let world = World::new();
    for (kind, reached) in [("pipes", Reached::Started), ("http", Reached::over_http(&world))] {
        let file: PathBuf = world.home.workspace().join(format!("{kind}.json"));
        let servers = json!({ "mcpServers": { "toolgate": reached.settings(&world) } });
        fs::write(&file, servers.to_string()).expect("a file");
        let ask = |arguments: &[&str]| {
            let run = ends(inspector(&world, &file).args(["--method"]).args(arguments));
            let answer: Value =
                serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{kind}: {error}: {run:#?}"));
            (run.code, answer)
        };
        let (code, listed) = ask(&["tools/list"]);
        assert_eq!(code, Some(0), "{kind}: {listed}");
        let names: Vec<_> = listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        for tool in TOOLS {
            assert!(names.contains(&&json!(tool)), "{kind}: {tool} is not among {names:?}");
        }
        let (code, sum) =
            ask(&["tools/call", "--tool-name", "mcp__everything__get-sum", "--tool-arg", "a=2", "b=3"]);
        assert_eq!((code, &sum["isError"]), (Some(0), &json!(false)), "{kind}: {sum}");
        assert!(sum["content"][0]["text"].as_str().is_some_and(|text| text.contains('5')), "{kind}: {sum}");
        let (code, failure) = ask(&["tools/call", "--tool-name", "mcp__python__fail"]);
        assert_ne!(code, Some(0), "{kind}: {failure}");
        assert_eq!(failure["isError"], true, "{kind}: {failure}");
    }
}
