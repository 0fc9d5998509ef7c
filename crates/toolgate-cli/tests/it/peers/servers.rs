//! Real servers as tools of `toolgate call`.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::ends;
use super::world::{Expected, World, calls};

#[test]
fn every_kind_of_result_comes_through_a_call() {
    let world = World::new();
    for (tool, arguments, expected) in calls(&world) {
        let run = ends(&mut world.home.command(&["call", tool, &arguments.to_string(), "--yes", "--json"]));
        let record: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{tool}: {error}: {run:#?}"));
        let content = &record["value"]["content"];
        match expected {
            Expected::Text(text) => {
                assert!(content[0]["text"].as_str().is_some_and(|is| is.contains(text)), "{tool}: {record}");
            }
            Expected::Image => {
                let image = |blocks: &Value| {
                    let blocks = blocks.as_array().expect("blocks").iter();
                    blocks.clone().any(|block| {
                        block["type"] == "image"
                            && block["mimeType"] == "image/png"
                            && block["data"].is_string()
                    })
                };
                assert!(image(content) && image(&record["content"]), "{tool}: {record}");
            }
            Expected::Structured(member) => {
                assert!(!record["value"]["structuredContent"][member].is_null(), "{tool}: {record}");
            }
            // Nobody looks at a progress that is not shown.
            Expected::Progress(_) => assert_eq!(record["isError"], false, "{tool}: {record}"),
            Expected::Failure(words) => {
                assert_eq!((run.code, &record["isError"]), (Some(1), &json!(true)), "{tool}: {record}");
                assert!(record.to_string().contains(words), "{tool}: {record}");
            }
        }
    }
}

#[test]
fn what_a_server_writes_is_on_the_disk() {
    let world = World::new();
    let path = world.files().join("new.txt");
    let arguments = json!({ "path": path, "content": "written by a server\n" }).to_string();
    let refused =
        ends(&mut world.home.command(&["call", "mcp__files__write_file", &arguments, "--deny-asks"]));
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(!path.exists(), "what nobody allowed was done");
    ends(&mut world.home.command(&["call", "mcp__files__write_file", &arguments, "--yes"])).exits(0);
    assert_eq!(fs::read_to_string(path).unwrap(), "written by a server\n");
}

#[test]
fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let world = World::new();
    let arguments = json!({ "seconds": 60, "steps": 600 }).to_string();
    let mut command = world.home.command(&["call", "mcp__python__work", &arguments, "--yes"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    world.wait_for("begun");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    world.wait_for("cancelled");
}

#[test]
fn the_doctor_finds_them_well() {
    let world = World::new();
    let run = ends(&mut world.home.command(&["mcp", "doctor", "--json"])).exits(0);
    let report: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    let rows: Vec<_> =
        report.iter().map(|row| (row["server"].as_str().unwrap(), row["state"].as_str().unwrap())).collect();
    assert_eq!(rows, [("everything", "ready"), ("files", "ready"), ("python", "ready")], "{run:#?}");
    for row in &report {
        assert!(row["tools"].as_array().unwrap().len() >= 5, "{row}");
        assert_eq!((&row["quarantined"], &row["problems"]), (&json!([]), &json!([])), "{row}");
    }
}
