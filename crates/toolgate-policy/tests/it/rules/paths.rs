//! Rules about paths: no spelling and no link makes one file pass for another.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use toolgate_policy::rules::Decision::{self, Allow, Ask, Deny};

use super::bench::Bench;

fn fill(folder: &Path) {
    for part in ["src/deep", "secrets", "docs"] {
        std::fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    std::fs::write(folder.join("secrets/key"), "k").expect("a file");
    symlink("../secrets", folder.join("src/link")).expect("a link");
    symlink("../secrets/key", folder.join("src/key")).expect("a link");
    symlink("deep", folder.join("src/inner")).expect("a link");
    symlink("/etc", folder.join("src/etc")).expect("a link");
    symlink("loop", folder.join("src/loop")).expect("a link");
    symlink("../secrets/new", folder.join("src/dangling")).expect("a link");
}

fn check(rules: &[&str], tool: &str, table: &[(Value, Decision)]) {
    let bench = Bench::with_files(rules, fill);
    let root = bench.folder.path().to_str().expect("a text");
    for (arguments, expected) in table {
        let filled = arguments.to_string().replace("ROOT", root);
        let arguments: Value = serde_json::from_str(&filled).expect("JSON");
        let explanation = bench.explain(tool, arguments);
        assert_eq!(explanation.decision(), *expected, "{tool} {filled}\n{explanation}");
    }
}

fn paths(rules: &[&str], tool: &str, table: &[(&str, Decision)]) {
    let table: Vec<_> =
        table.iter().map(|(path, decision)| (json!({ "file_path": path }), *decision)).collect();
    check(rules, tool, &table);
}

#[test]
fn a_rule_allows_what_surely_lies_within_it() {
    paths(
        &["allow write(src/**)"],
        "write",
        &[
            ("src/a", Allow),
            ("./src//deep/./a", Allow),
            ("ROOT/src/a", Allow),
            ("src/inner/a", Allow),
            ("src/../src/a", Allow),
            ("src", Allow),
            ("docs/a", Ask),
            ("a", Ask),
            ("src/../secrets/key", Ask),
            ("src/../../x", Ask),
            ("ROOT/src/../docs/a", Ask),
            ("../src/a", Ask),
            ("/etc/passwd", Ask),
            ("/src/a", Ask),
            ("src/link/key", Ask),
            ("src/key", Ask),
            ("src/etc/passwd", Ask),
            ("src/dangling", Ask),
            ("src/loop", Ask),
            ("src/inner/../../x", Ask),
            ("SRC/a", Ask),
            ("src\\a", Ask),
            ("src/a\0", Ask),
            ("~/src/a", Ask),
            ("", Ask),
            ("srcx/a", Ask),
        ],
    );
    paths(
        &["allow write(*.md)"],
        "write",
        &[("a.md", Allow), ("docs/a.md", Ask), ("/a.md", Ask), ("a.mdx", Ask)],
    );
    paths(
        &["allow write(**)"],
        "write",
        &[("a/b", Allow), ("ROOT/a", Allow), ("/etc/hosts", Ask), ("src/etc/x", Ask)],
    );
    paths(
        &["allow write(/etc/**)"],
        "write",
        &[("/etc/nowhere/x", Allow), ("etc/x", Ask), ("src/etc/x", Ask)],
    );
}

#[test]
fn a_rule_denies_what_may_lie_within_it() {
    paths(
        &["allow read", "deny read(secrets/**)"],
        "read",
        &[
            ("src/a", Allow),
            ("secrets/key", Deny),
            ("secrets", Deny),
            ("./secrets//key", Deny),
            ("ROOT/secrets/key", Deny),
            ("src/../secrets/key", Deny),
            ("src/link/key", Deny),
            ("src/key", Deny),
            ("src/dangling", Deny),
            ("SECRETS/key", Deny),
            ("Secrets/KEY", Deny),
            ("src/loop", Deny),
            ("", Deny),
            ("secretsx/key", Allow),
        ],
    );
    check(
        &["deny read(secrets/**)"],
        "read",
        &[(json!({}), Deny), (json!({ "file_path": 1 }), Deny), (json!([1]), Deny)],
    );
}

#[test]
fn a_search_is_everything_below_its_folder() {
    let pattern = "x";
    check(
        &["ask grep", "deny grep(secrets/**)"],
        "grep",
        &[
            (json!({ "pattern": pattern }), Deny),
            (json!({ "pattern": pattern, "path": "." }), Deny),
            (json!({ "pattern": pattern, "path": "secrets/deep" }), Deny),
            (json!({ "pattern": pattern, "path": "src/link" }), Deny),
            (json!({ "pattern": pattern, "path": "docs" }), Ask),
        ],
    );
    for (rule, path, expected) in [
        ("allow glob(src/**)", "src/deep", Allow),
        ("allow glob(src/**)", "src", Allow),
        ("allow glob(src/*)", "src/deep", Deny),
        ("allow glob(src/deep)", "src/deep", Deny),
        ("allow glob(**)", ".", Allow),
    ] {
        let bench = Bench::with_files(&[rule], fill);
        let explanation = bench.explain("glob", json!({ "pattern": "*", "path": path }));
        // The tool changes nothing, so what matters is whether the rule is what allows it.
        assert_eq!(explanation.rule().is_some(), expected == Allow, "{rule} {path}");
    }
    let bench = Bench::with_files(&["deny glob(secrets/**)"], fill);
    for pattern in ["../secrets/*", "/etc/*", "a/../../secrets/*"] {
        assert_eq!(bench.decide("glob", json!({ "pattern": pattern, "path": "docs" })), Deny, "{pattern}");
    }
}

#[test]
fn every_path_of_a_call_counts() {
    check(
        &["allow move(src/**)", "deny move(secrets/**)"],
        "move",
        &[
            (json!({ "source": "src/a", "destination": "src/b" }), Allow),
            (json!({ "source": "src/a", "destination": "docs/b" }), Ask),
            (json!({ "source": "src/a", "destination": "secrets/b" }), Deny),
            (json!({ "old": "src/a", "new": "src/b" }), Deny),
            (json!({ "source": "secrets/key", "destination": "src/b" }), Deny),
        ],
    );
}
