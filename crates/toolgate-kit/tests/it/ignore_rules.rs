//! Ignore files: which apply, and which win.

use serde_json::json;

use crate::bench::{Bench, matches, paths};

async fn listed(bench: &Bench) -> Vec<String> {
    let value = bench.value("glob", json!({ "pattern": "**/*" })).await;
    paths(&value).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn ignored_files_are_neither_listed_nor_searched() {
    let bench = Bench::with(&[
        (".gitignore", "target/\n*.log\n!keep.log\n/only-top.txt\nnested/*.tmp\n# comment\n[broken\n"),
        ("target/out.txt", "needle"),
        ("app.log", "needle"),
        ("keep.log", "needle"),
        ("only-top.txt", "needle"),
        ("nested/only-top.txt", "needle"),
        ("nested/x.tmp", "needle"),
        ("nested/deeper/x.tmp", "needle"),
        ("src/target/out.txt", "needle"),
    ]);
    let expected = ["keep.log", "nested/deeper/x.tmp", "nested/only-top.txt"];
    assert_eq!(listed(&bench).await, expected);
    let value = bench.value("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(matches(&value), expected.map(|path| format!("{path}:1:needle")));
    let value = bench.value("glob", json!({ "pattern": "*.log" })).await;
    assert_eq!(paths(&value), ["keep.log"]);
}

#[tokio::test]
async fn the_nearest_rule_wins_and_ignore_files_win_over_git() {
    let bench = Bench::with(&[
        (".gitignore", "*.gen\n*.log\n"),
        (".ignore", "!wanted.log\nsecret.txt\n"),
        ("a.gen", ""),
        ("wanted.log", ""),
        ("secret.txt", ""),
        ("sub/.gitignore", "!*.gen\n*.md\n"),
        ("sub/b.gen", ""),
        ("sub/c.md", ""),
        ("sub/secret.txt", ""),
        ("sub/d.log", ""),
        ("e.md", ""),
    ]);
    assert_eq!(listed(&bench).await, ["e.md", "sub/b.gen", "wanted.log"]);
}

#[tokio::test]
async fn rules_above_the_directory_to_search_apply() {
    let bench = Bench::with(&[
        (".gitignore", "*.log\nbuild/\n"),
        ("sub/.gitignore", "*.tmp\n"),
        ("sub/deep/a.log", "needle"),
        ("sub/deep/b.tmp", "needle"),
        ("sub/deep/c.txt", "needle"),
        ("build/d.txt", "needle"),
    ]);
    let value = bench.value("glob", json!({ "pattern": "*", "path": "sub/deep" })).await;
    assert_eq!(paths(&value), ["sub/deep/c.txt"]);
    // Whoever names an ignored place means it.
    let value = bench.value("glob", json!({ "pattern": "*", "path": "build" })).await;
    assert_eq!(paths(&value), ["build/d.txt"]);
    let value = bench.value("grep", json!({ "pattern": "needle", "path": "sub/deep/a.log" })).await;
    assert_eq!(value["total"], 1);
}

#[tokio::test]
async fn a_nested_repository_has_its_own_rules() {
    let bench = Bench::with(&[
        (".gitignore", "*.txt\n"),
        ("a.txt", ""),
        ("module/.git/HEAD", ""),
        ("module/b.txt", ""),
        ("module/.gitignore", "*.log\n"),
        ("module/c.log", ""),
        ("plain/d.txt", ""),
    ]);
    assert_eq!(listed(&bench).await, ["module/b.txt"]);
}

#[tokio::test]
async fn the_exclude_file_of_a_repository_applies() {
    let bench = Bench::with(&[(".git/info/exclude", "*.local\n"), ("a.local", ""), ("b.txt", "")]);
    assert_eq!(listed(&bench).await, ["b.txt"]);
}

#[cfg(unix)]
#[tokio::test]
async fn an_ignore_file_outside_is_not_read() {
    let bench = Bench::with(&[("a.txt", ""), ("sub/b.txt", "")]);
    std::fs::write(bench.outside(".gitignore"), "*\n").unwrap();
    bench.link(".gitignore", bench.outside(".gitignore"));
    assert_eq!(listed(&bench).await, ["a.txt", "sub/b.txt"]);
}
