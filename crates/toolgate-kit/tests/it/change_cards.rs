//! The cards of the tools that change something: pending, complete, and the same in a replay.

use serde_json::{Value, json};
use toolgate::{JsonValue, ToolResult, ToolRuntime};
use toolgate_kit::todo_tool;

use crate::bench::Bench;
use crate::cards::{completed, pending};

#[tokio::test]
async fn a_new_file_is_shown_whole() {
    let bench = Bench::changing();
    let args = json!({ "file_path": "./src/a.rs", "content": "one\n" });
    let diff = json!([{ "path": "./src/a.rs", "oldText": null, "newText": "one\n" }]);
    assert_eq!(
        pending(&bench, "write", &args).await,
        json!({
            "card": "diff", "title": "Write ./src/a.rs", "diffs": diff, "locations": [{ "path": "./src/a.rs" }],
        })
    );
    let diff = json!([{ "path": "src/a.rs", "oldText": null, "newText": "one\n" }]);
    assert_eq!(completed(&bench, "write", &args).await, json!({ "card": "diff", "diffs": diff }));
    // Again there is nothing to show but what the tool says.
    let card = completed(&bench, "write", &args).await;
    assert_eq!(card["card"], "generic", "{card}");
}

#[tokio::test]
async fn applied_changes_are_shown_as_hunks_with_context() {
    let lines = |from: u32, to: u32| (from..=to).map(|line| format!("{line}\n")).collect::<String>();
    let bench = Bench::changing().and(&[("f", &lines(1, 40))]);
    let args = json!({ "file_path": "f", "edits": [
        { "old_string": "\n10\n", "new_string": "\nten\n" },
        { "old_string": "30\n", "new_string": "" },
    ] });
    assert_eq!(
        pending(&bench, "edit", &args).await,
        json!({
            "card": "diff", "title": "Edit f", "locations": [{ "path": "f" }],
            "diffs": [
                { "path": "f", "oldText": "\n10\n", "newText": "\nten\n" },
                { "path": "f", "oldText": "30\n", "newText": "" },
            ],
        })
    );
    let hunks = json!([
        { "path": "f", "oldText": lines(7, 13), "newText": lines(7, 13).replace("10", "ten") },
        { "path": "f", "oldText": lines(27, 33), "newText": lines(27, 33).replace("30\n", "") },
    ]);
    assert_eq!(completed(&bench, "edit", &args).await, json!({ "card": "diff", "diffs": hunks }));
    let args = json!({ "file_path": "f", "content": bench.content("f").replace("ten", "10") });
    let card = completed(&bench, "write", &args).await;
    assert_eq!(card["diffs"][0]["oldText"], json!(lines(7, 13).replace("10", "ten")));
}

#[tokio::test]
async fn a_change_too_large_to_show_says_so() {
    let bench = Bench::changing().and(&[("f", &"old\n".repeat(100_000))]);
    let args = json!({ "file_path": "f", "old_string": "old", "new_string": "new", "replace_all": true });
    let card = completed(&bench, "edit", &args).await;
    assert_eq!(
        (&card["card"], &card["title"]),
        (&json!("generic"), &json!("Edit f (+100000 −100000)")),
        "{card}"
    );
    bench.write("g", (0..510).map(|line| format!("{line}\n\n\n\n\n\n\n\nx\n")).collect::<String>());
    let args = json!({ "file_path": "g", "old_string": "x", "new_string": "y", "replace_all": true });
    let card = completed(&bench, "edit", &args).await;
    assert_eq!(card["title"], "Edit g (+510 −510; 10 more changed places are not shown)");
    assert_eq!(card["diffs"].as_array().unwrap().len(), 500);
}

#[tokio::test]
async fn deletions_and_moves_name_their_places() {
    let bench = Bench::changing().and(&[("a", "x")]);
    let args = json!({ "source": "a", "destination": "b" });
    assert_eq!(
        pending(&bench, "move", &args).await,
        json!({
            "card": "generic", "title": "Move a to b", "kind": "move", "rawInput": args,
            "locations": [{ "path": "a" }, { "path": "b" }],
        })
    );
    let card = completed(&bench, "move", &args).await;
    assert_eq!(
        (&card["title"], &card["content"][0]["text"]),
        (&json!("Move a to b"), &json!("Moved `a` to `b`."))
    );
    let args = json!({ "file_path": "b", "recursive": true });
    assert_eq!(
        pending(&bench, "delete", &args).await,
        json!({
            "card": "generic", "title": "Delete b and all that is in it", "kind": "delete", "rawInput": args,
            "locations": [{ "path": "b" }],
        })
    );
    let card = completed(&bench, "delete", &args).await;
    assert_eq!(card["content"][0]["text"], "Deleted the file `b`.");
}

#[tokio::test]
async fn a_plan_is_shown_as_a_checklist() {
    let runtime = ToolRuntime::builder().plugin(todo_tool()).build().unwrap();
    let args = json!({ "todos": [{ "content": "Test it", "status": "in_progress" }] });
    let args = JsonValue::new(args).unwrap();
    let card = serde_json::to_value(runtime.get("todo_write").unwrap().present_call(&args)).unwrap();
    assert_eq!((&card["title"], &card["content"][0]["text"]), (&json!("Plan 1 step"), &json!("[>] Test it")));
}

#[tokio::test]
async fn what_cannot_be_shown_as_a_change_is_shown_as_it_is() {
    let bench = Bench::changing().and(&[("f", "old")]);
    let failed: Value =
        completed(&bench, "edit", &json!({ "file_path": "f", "old_string": "x", "new_string": "y" })).await;
    assert_eq!(failed["card"], "generic");
    assert!(failed["content"][0]["text"].as_str().unwrap().starts_with("Error: "), "{failed}");
    for (tool, args) in [
        ("edit", json!({ "file_path": "f", "old_string": "old", "new_string": "new" })),
        ("write", json!({ "file_path": "f", "content": "newer" })),
    ] {
        let result = bench.call(tool, args.clone()).await;
        let durable = ToolResult { content: result.content(), error: None, meta: None };
        let args = JsonValue::new(args).unwrap();
        let view = bench.runtime.get(tool).unwrap().present_result(&args, &durable);
        assert_eq!(serde_json::to_value(view).unwrap()["card"], "generic", "{tool}");
    }
}
