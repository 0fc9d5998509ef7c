//! The examples of the guide hold: its rules load, and decide as it says.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_policy::PermissionsConfig;
use toolgate_policy::rules::{Permissions, Rules};

use super::bench::Bench;

const GUIDE: &str = include_str!("../../../../../docs/guides/rules-and-approvals.md");

#[derive(Deserialize)]
struct File {
    permissions: PermissionsConfig,
}

#[test]
fn the_guide_tells_what_rules_do() {
    let mut bench = Bench::new(&[]);
    std::fs::create_dir(bench.folder.path().join("src")).expect("a folder");
    let (mut files, mut decisions) = (0, 0);
    // Every other part between fences is inside of one.
    for block in GUIDE.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').expect("a fence has a line of its own");
        match language {
            "toml" => {
                let file: File = toml::from_str(text).expect("TOML");
                let rules = Rules::builder(bench.folder.path());
                let rules = rules.config(&file.permissions, Path::new("toolgate.toml"), text).build();
                bench.permissions = Permissions::new(rules.unwrap_or_else(|error| panic!("{error}")));
                files += 1;
            }
            "decisions" => {
                for line in text.lines() {
                    check(&bench, line);
                    decisions += 1;
                }
            }
            other => panic!("{other:?} is no kind of example"),
        }
    }
    assert_eq!((files, decisions), (2, 35));
}

fn check(bench: &Bench, line: &str) {
    let (decision, call) = line.split_once(' ').expect("a decision and a call");
    let call = call.trim_start();
    let (tool, text) = call.split_once(' ').unwrap_or((call, "{}"));
    let arguments = match tool {
        "bash" => json!({ "command": text }),
        "read" | "write" => json!({ "file_path": text }),
        "grep" => json!({ "pattern": "x", "path": text }),
        "web_fetch" => json!({ "url": text }),
        _ => serde_json::from_str::<Value>(text).expect("arguments"),
    };
    let explanation = bench.explain(tool, arguments);
    assert_eq!(explanation.decision().to_string(), decision, "{line}\n{explanation}");
}
