//! The cards: what is pending, what is complete, and that a replay shows the same.

use serde_json::{Value, json};
use toolgate::{ContentBlock, JsonValue, ToolResult};

use crate::bench::Bench;

pub(crate) async fn pending(bench: &Bench, tool: &str, args: &Value) -> Value {
    let args = JsonValue::new(args.clone()).unwrap();
    serde_json::to_value(bench.runtime.get(tool).unwrap().present_call(&args)).unwrap()
}

/// The completed card, made from nothing but arguments, content and metadata.
pub(crate) async fn completed(bench: &Bench, tool: &str, args: &Value) -> Value {
    let result = bench.call(tool, args.clone()).await;
    let content: Vec<ContentBlock> =
        serde_json::from_str(&serde_json::to_string(result.content()).unwrap()).unwrap();
    let meta = result.meta().map(|meta| JsonValue::parse(&meta.to_text()).unwrap());
    let durable = ToolResult { content: &content, error: result.error(), meta: meta.as_ref() };
    let args = JsonValue::new(args.clone()).unwrap();
    serde_json::to_value(bench.runtime.get(tool).unwrap().present_result(&args, &durable)).unwrap()
}

#[tokio::test]
async fn read_cards() {
    let bench = Bench::with(&[("src/a.rs", "one\n\ttwo\n\nfour\n"), ("empty.txt", "")]);
    let args = json!({ "file_path": "src/a.rs", "offset": 2, "limit": 2 });
    assert_eq!(
        pending(&bench, "read", &args).await,
        json!({
            "card": "generic", "title": "Read src/a.rs from line 2", "kind": "read", "rawInput": args,
            "locations": [{ "path": "src/a.rs", "line": 2 }],
        })
    );
    assert_eq!(
        completed(&bench, "read", &args).await,
        json!({
            "card": "read", "path": "src/a.rs", "offset": 2, "totalLines": 4, "lang": "rust", "content": "\ttwo\n",
            "lines": [{ "number": 2, "text": "\ttwo" }, { "number": 3, "text": "" }],
        })
    );
    assert_eq!(
        completed(&bench, "read", &json!({ "file_path": "src/a.rs", "offset": 9 })).await,
        json!({ "card": "read", "path": "src/a.rs", "offset": 9, "totalLines": 4, "lang": "rust", "lines": [] })
    );
    assert_eq!(
        completed(&bench, "read", &json!({ "file_path": "empty.txt" })).await,
        json!({ "card": "read", "path": "empty.txt", "offset": 1, "totalLines": 0, "lines": [] })
    );
}

#[tokio::test]
async fn search_cards() {
    let bench = Bench::with(&[("a.txt", "x 1\ny\nx: 2\n"), ("b/c d.txt", "x\n")]);
    let args = json!({ "pattern": "**/*.txt" });
    assert_eq!(
        pending(&bench, "glob", &args).await,
        json!({ "card": "generic", "title": "Find **/*.txt", "kind": "search", "rawInput": args })
    );
    assert_eq!(
        completed(&bench, "glob", &args).await,
        json!({ "card": "search", "shape": "paths", "paths": ["a.txt", "b/c d.txt"], "truncated": false, "total": 2 })
    );
    let args = json!({ "pattern": "x", "path": ".", "include": "*.txt" });
    assert_eq!(
        pending(&bench, "grep", &args).await,
        json!({ "card": "generic", "title": "Search for x in . (*.txt)", "kind": "search", "rawInput": args })
    );
    assert_eq!(
        completed(&bench, "grep", &args).await,
        json!({
            "card": "search", "shape": "matches", "truncated": false, "total": 3,
            "matches": [
                { "path": "a.txt", "lines": [{ "line": 1, "text": "x 1" }, { "line": 3, "text": "x: 2" }] },
                { "path": "b/c d.txt", "lines": [{ "line": 1, "text": "x" }] },
            ],
        })
    );
    for (tool, shape) in [("glob", "paths"), ("grep", "matches")] {
        assert_eq!(
            completed(&bench, tool, &json!({ "pattern": "zzz" })).await,
            json!({ "card": "search", "shape": shape, shape: [], "truncated": false, "total": 0 })
        );
    }
}

#[tokio::test]
async fn a_cut_result_is_a_cut_card() {
    let bench = Bench::with(&[("many.txt", &"x\n".repeat(600))]);
    for number in 0..1100 {
        bench.write(&format!("f{number}"), "");
    }
    let card = completed(&bench, "grep", &json!({ "pattern": "x" })).await;
    assert_eq!((&card["truncated"], &card["total"]), (&json!(true), &json!(600)));
    assert_eq!(card["matches"][0]["lines"].as_array().unwrap().len(), 100);
    let card = completed(&bench, "glob", &json!({ "pattern": "f*" })).await;
    assert_eq!((&card["truncated"], &card["total"]), (&json!(true), &json!(1100)));
    assert_eq!(card["paths"].as_array().unwrap().len(), 1000);
}

/// Both search cards of a workspace must say that so many entries are missing, and nothing may be found.
#[cfg(unix)]
async fn assert_incomplete(bench: &Bench, skipped: u64, found: u64) {
    let entries = if skipped == 1 { "1 entry".to_owned() } else { format!("{skipped} entries") };
    for (tool, title) in [("glob", "Find **/x*"), ("grep", "Search for **/x*")] {
        let pattern = if tool == "glob" { "**/x*" } else { "needle" };
        let args = json!({ "pattern": pattern });
        let card = completed(bench, tool, &args).await;
        let title = title.replace("**/x*", pattern);
        assert_eq!(card["title"], format!("{title} (incomplete: {entries} could not be searched in full)"));
        assert_eq!((&card["total"], &card["truncated"]), (&json!(found), &json!(false)), "{tool}");
        let text = bench.text(tool, args).await;
        assert!(text.contains(&format!("Incomplete: {entries} could not be ")), "{text}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn names_that_are_not_utf8_are_in_the_title() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    std::fs::create_dir(bench.path("only")).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff");
    if std::fs::write(bench.path("only").join(name), "needle").is_ok() {
        assert_incomplete(&bench, 1, 0).await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_may_not_be_read_is_in_the_title() {
    use std::os::unix::fs::PermissionsExt as _;
    if crate::bench::is_privileged() {
        return;
    }
    let bench = Bench::with(&[("closed/x", "needle"), ("other/x", "needle")]);
    std::fs::set_permissions(bench.path("closed"), std::fs::Permissions::from_mode(0o000)).unwrap();
    assert_incomplete(&bench, 1, 1).await;
    std::fs::set_permissions(bench.path("closed"), std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::set_permissions(bench.path("other/x"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let card = completed(&bench, "grep", &json!({ "pattern": "needle" })).await;
    assert_eq!(card["title"], "Search for needle (incomplete: 1 entry could not be searched in full)");
}

#[cfg(unix)]
#[tokio::test]
async fn directories_too_deep_for_the_system_are_in_the_title() {
    let bench = Bench::new();
    // No path may be longer than 4096 bytes, so the deep tree is put together from two.
    let names = vec!["d".repeat(200); 12].join("/");
    bench.write(&format!("lower/{names}/x"), "needle");
    bench.write(&format!("{names}/x"), "needle");
    std::fs::rename(bench.path("lower"), bench.path(&names).join("lower")).unwrap();
    assert_incomplete(&bench, 1, 1).await;
}

#[cfg(unix)]
#[tokio::test]
async fn ignore_files_that_are_cut_are_in_the_title() {
    let bench = Bench::with(&[(".gitignore", &"nothing\n".repeat(1001)), ("x", "needle")]);
    assert_incomplete(&bench, 1, 1).await;
    bench.write("deeper/.ignore", "nothing\n".repeat(1001));
    assert_incomplete(&bench, 2, 1).await;
}

#[tokio::test]
async fn a_line_that_is_too_long_is_in_the_title() {
    let bench = Bench::new();
    bench.write("a.txt", format!("needle\n{}\nneedle\n", "x".repeat(200_000)));
    for (path, place) in [(json!(null), ""), (json!("a.txt"), " in a.txt")] {
        let mut args = json!({ "pattern": "needle" });
        if !path.is_null() {
            args["path"] = path;
        }
        let card = completed(&bench, "grep", &args).await;
        let title = format!("Search for needle{place} (incomplete: 1 entry could not be searched in full)");
        assert_eq!(
            (&card["title"], &card["total"], &card["truncated"]),
            (&json!(title), &json!(1), &json!(false))
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn odd_names_survive() {
    let bench = Bench::with(&[("line\nbreak.txt", "x\n"), ("\"quoted\".txt", "x\n")]);
    let card = completed(&bench, "glob", &json!({ "pattern": "*" })).await;
    assert_eq!(card["paths"], json!(["\"quoted\".txt", "line\nbreak.txt"]));
    let card = completed(&bench, "grep", &json!({ "pattern": "x" })).await;
    assert_eq!(card["matches"][1]["path"], "line\nbreak.txt");
}

#[tokio::test]
async fn failures_and_replaced_content_are_shown_as_they_are() {
    let bench = Bench::with(&[("a.txt", "x\n")]);
    let failed = bench.call("read", json!({ "file_path": "nothing" })).await;
    let card = completed(&bench, "read", &json!({ "file_path": "nothing" })).await;
    assert_eq!(card["card"], "generic");
    assert!(card["content"][0]["text"].as_str().unwrap().starts_with("Error: "), "{card}");
    for (tool, args) in [
        ("read", json!({ "file_path": "a.txt" })),
        ("glob", json!({ "pattern": "*" })),
        ("grep", json!({ "pattern": "x" })),
    ] {
        let result = bench.call(tool, args.clone()).await;
        let replaced = [ContentBlock::text("kept elsewhere:\nsee there")];
        let definition = bench.runtime.get(tool).unwrap();
        let args = JsonValue::new(args).unwrap();
        for durable in [
            ToolResult { content: &replaced, error: None, meta: result.meta() },
            ToolResult { content: &[], error: None, meta: result.meta() },
            ToolResult { content: result.content(), error: None, meta: None },
            ToolResult { content: result.content(), error: failed.error(), meta: result.meta() },
        ] {
            let card = serde_json::to_value(definition.present_result(&args, &durable)).unwrap();
            assert_eq!(card["card"], "generic", "{tool}");
        }
    }
}
