//! The cards: what is pending, what is complete, and that a replay shows the same.

use serde_json::{Value, json};
use toolgate::{ContentBlock, JsonValue, ToolResult};

use crate::bench::Bench;

async fn pending(bench: &Bench, tool: &str, args: &Value) -> Value {
    let args = JsonValue::new(args.clone()).unwrap();
    serde_json::to_value(bench.runtime.get(tool).unwrap().present_call(&args)).unwrap()
}

/// The completed card, made from nothing but arguments, content and metadata.
async fn completed(bench: &Bench, tool: &str, args: &Value) -> Value {
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

#[cfg(unix)]
#[tokio::test]
async fn a_search_that_left_something_out_says_so_in_its_title() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff");
    if std::fs::write(bench.root().join(name), "x").is_err() {
        return;
    }
    let card = completed(&bench, "glob", &json!({ "pattern": "*" })).await;
    assert_eq!(card["title"], "Find * (incomplete: 1 entry could not be searched)");
    let card = completed(&bench, "grep", &json!({ "pattern": "x" })).await;
    assert_eq!(card["title"], "Search for x (incomplete: 1 entry could not be searched)");
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
