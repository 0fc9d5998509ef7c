//! The rules of the house that a compiler does not check: dependency edges, file sizes, headers, names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What each crate may build on. Edges point downwards only; a new one is a decision, made here.
const EDGES: &[(&str, &[&str])] = &[
    ("toolgate-schema", &[]),
    ("toolgate-macros", &[]),
    ("toolgate", &["toolgate-macros", "toolgate-schema"]),
    ("toolgate-policy", &["toolgate"]),
    ("toolgate-session", &["toolgate"]),
    ("toolgate-kit", &["toolgate", "toolgate-policy"]),
    ("toolgate-sandbox", &["toolgate-schema"]),
    ("toolgate-sdk", &["toolgate"]),
    ("toolgate-code", &["toolgate", "toolgate-sandbox", "toolgate-sdk"]),
    (
        "toolgate-agent",
        &[
            "toolgate",
            "toolgate-code",
            "toolgate-policy",
            "toolgate-schema",
            "toolgate-sdk",
            "toolgate-session",
        ],
    ),
    ("toolgate-acp", &["toolgate", "toolgate-agent", "toolgate-policy", "toolgate-session"]),
    ("toolgate-mcp", &["toolgate", "toolgate-kit", "toolgate-policy", "toolgate-sdk"]),
    ("toolgate-web", &["toolgate", "toolgate-agent", "toolgate-policy", "toolgate-session"]),
    (
        "toolgate-testing",
        &[
            "toolgate",
            "toolgate-agent",
            "toolgate-code",
            "toolgate-policy",
            "toolgate-sandbox",
            "toolgate-schema",
        ],
    ),
    (
        "toolgate-cli",
        &[
            "toolgate",
            "toolgate-acp",
            "toolgate-agent",
            "toolgate-code",
            "toolgate-kit",
            "toolgate-mcp",
            "toolgate-policy",
            "toolgate-sandbox",
            "toolgate-sdk",
            "toolgate-session",
            "toolgate-web",
        ],
    ),
];

/// A file of this many lines is split by concept.
const MOST_LINES: usize = 500;

/// A test file may be longer, because its rows belong together.
const MOST_TEST_LINES: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

#[test]
fn crates_depend_only_on_what_is_below_them() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let found: BTreeMap<String, BTreeSet<String>> = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| {
            let edges = package["dependencies"].as_array().expect("dependencies").iter();
            let edges = edges.filter(|edge| edge["kind"].is_null() && !edge["path"].is_null());
            (text(&package["name"]), edges.map(|edge| text(&edge["name"])).collect())
        })
        .collect();
    let allowed: BTreeMap<String, BTreeSet<String>> = EDGES
        .iter()
        .map(|(name, edges)| ((*name).to_owned(), edges.iter().map(|edge| (*edge).to_owned()).collect()))
        .collect();
    assert_eq!(found, allowed);
}

#[test]
fn files_are_short_begin_with_what_they_are_for_and_are_named_after_it() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for file in sources(&root().join("crates")).into_iter().chain(sources(&root().join("examples"))) {
        let source = std::fs::read_to_string(&file).expect("a source file");
        let shown = file.strip_prefix(root()).expect("inside").display().to_string();
        seen += 1;
        // The inputs of compile-fail tests are pictures of mistakes, not code.
        if shown.contains("/tests/ui/") {
            continue;
        }
        let is_test = shown.contains("/tests/") || shown.contains("/benches/");
        let lines = source.lines().count();
        let most = if is_test { MOST_TEST_LINES } else { MOST_LINES };
        if lines > most {
            faults.push(format!("{shown} has {lines} lines, more than {most}: split it by concept"));
        }
        if !source.starts_with("//!") {
            faults.push(format!("{shown} does not begin with a header that says what it is for"));
        }
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if ["utils", "util", "helpers", "helper", "common", "misc"].contains(&name) {
            faults.push(format!("{shown} is not named after a concept"));
        }
    }
    assert!(seen > 100, "only {seen} files were looked at");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_crate_shares_the_lint_table_and_the_licence() {
    for (name, _) in EDGES {
        let manifest =
            std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect(name);
        for part in ["[lints]\nworkspace = true", "license.workspace = true", "edition.workspace = true"] {
            assert!(manifest.contains(part), "{name} lacks {part:?}");
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}
