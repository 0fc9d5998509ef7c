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

#[tokio::test]
async fn an_ignore_file_that_is_too_long_ends_after_a_whole_line_and_is_counted() {
    let limit = 64 * 1024;
    for (rules, left, skipped) in [
        // The limit falls into `*.tmp`: half of it would leave everything out.
        (format!("{}\n*.tmp\n", "#".repeat(limit - 2)), &["a.txt", "b.tmp", "c.log"][..], 1),
        (format!("*.log\n{}\n*.tmp\n", "#".repeat(limit - 8)), &["a.txt", "b.tmp"], 1),
        (format!("*.log\n{}", "*".repeat(limit)), &["a.txt", "b.tmp"], 1),
        ("*".repeat(limit + 1), &["a.txt", "b.tmp", "c.log"], 1),
        (format!("{}\n*.tmp\n", "#".repeat(limit - 7)), &["a.txt", "c.log"], 0),
        (format!("{}*.tmp\n", "nothing\n".repeat(1000)), &["a.txt", "b.tmp", "c.log"], 1),
        (format!("# one\n\n{}*.tmp\n", "nothing\n".repeat(999)), &["a.txt", "c.log"], 0),
    ] {
        for name in [".gitignore", ".ignore"] {
            let bench = Bench::with(&[(name, &rules), ("a.txt", "x"), ("b.tmp", "x"), ("c.log", "x")]);
            let value = bench.value("glob", json!({ "pattern": "**/*" })).await;
            assert_eq!((paths(&value), &value["skipped"]), (left.to_vec(), &json!(skipped)), "{name}");
            let value = bench.value("grep", json!({ "pattern": "x" })).await;
            assert_eq!((&value["total"], &value["skipped"]), (&json!(left.len()), &json!(skipped)), "{name}");
        }
    }
}

#[tokio::test]
async fn the_rules_in_force_at_one_place_are_bounded_in_all() {
    let bench = Bench::new();
    let mut place = String::new();
    for _ in 0..4 {
        bench.write(&format!("{place}.gitignore"), format!("{}*.tmp\n", "nothing\n".repeat(899)));
        bench.write(&format!("{place}x.tmp"), "");
        place.push_str("d/");
    }
    bench.write("e/.gitignore", "*.txt\n");
    bench.write("e/x.txt", "");
    let value = bench.value("glob", json!({ "pattern": "**/*" })).await;
    // The third and fourth file are cut, and the rules of the first two hold below; what was left makes room.
    assert_eq!((paths(&value), &value["skipped"]), (vec![], &json!(2)));
}

#[cfg(unix)]
#[tokio::test]
async fn an_ignore_file_that_may_not_be_read_is_counted() {
    use std::os::unix::fs::PermissionsExt as _;
    if crate::bench::is_privileged() {
        return;
    }
    let bench = Bench::with(&[(".gitignore", "*.tmp\n"), ("a.txt", "")]);
    std::fs::set_permissions(bench.path(".gitignore"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let value = bench.value("glob", json!({ "pattern": "**/*" })).await;
    assert_eq!((paths(&value), &value["skipped"]), (vec!["a.txt"], &json!(1)));
}
