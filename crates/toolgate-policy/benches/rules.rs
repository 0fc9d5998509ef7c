//! What a decision costs with a hundred rules in force.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to say")]

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate::{JsonValue, ToolEffect};
use toolgate_policy::rules::{Decision, Origin, Permissions, Rules};

fn main() {
    divan::main();
}

/// A hundred rules: on tools, arguments, paths, hosts and commands.
fn hundred() -> (TempDir, Permissions) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rules = Rules::builder(folder.path());
    for index in 0..20 {
        for (decision, text) in [
            (Decision::Allow, format!("mcp__server{index}__*")),
            (Decision::Allow, format!("pay(@/account=a{index})")),
            (Decision::Deny, format!("read(secret{index}/**)")),
            (Decision::Allow, format!("web_fetch(*.host{index}.com)")),
            (Decision::Allow, format!("bash(tool{index} run:*)")),
        ] {
            rules = rules.rule(decision, text, Origin::Program);
        }
    }
    (folder, Permissions::new(rules.build().expect("good rules")))
}

fn decide(bencher: divan::Bencher<'_, '_>, tool: &str, arguments: Value) {
    let (_folder, permissions) = hundred();
    let arguments = JsonValue::new(arguments).expect("lossless");
    bencher.bench(|| permissions.explain(tool, &arguments, Some(ToolEffect::NonIdempotent), None).decision());
}

#[divan::bench]
fn arguments(bencher: divan::Bencher<'_, '_>) {
    decide(bencher, "pay", json!({ "account": "a19" }));
}

#[divan::bench]
fn path(bencher: divan::Bencher<'_, '_>) {
    decide(bencher, "read", json!({ "file_path": "src/deep/file.rs" }));
}

#[divan::bench]
fn host(bencher: divan::Bencher<'_, '_>) {
    decide(bencher, "web_fetch", json!({ "url": "https://a.host19.com/x" }));
}

#[divan::bench]
fn command(bencher: divan::Bencher<'_, '_>) {
    decide(bencher, "bash", json!({ "command": "tool1 run a && tool2 run 'b c' | tool3 run $x 2>&1" }));
}
