//! `delete` and `move`: what they do, and what they refuse.

use std::fs;
use std::time::Duration;

use serde_json::json;
use toolgate::{CancellationToken, ToolCall};

use crate::bench::Bench;

#[tokio::test]
async fn files_and_empty_directories_are_deleted() {
    let bench = Bench::changing().and(&[("a.txt", "x"), ("full/b.txt", "x")]);
    fs::create_dir(bench.path("empty")).unwrap();
    let text = bench.text("delete", json!({ "file_path": "a.txt" })).await;
    assert_eq!(text, "Deleted the file `a.txt`.");
    assert_eq!(
        bench.text("delete", json!({ "file_path": "empty/" })).await,
        "Deleted the directory `empty`."
    );
    assert!(!bench.path("a.txt").exists() && !bench.path("empty").exists());
    for (path, code) in
        [("full", "DIRECTORY_NOT_EMPTY"), ("a.txt", "FILE_NOT_FOUND"), ("none/x", "FILE_NOT_FOUND")]
    {
        let (actual, message) = bench.failure("delete", json!({ "file_path": path })).await;
        assert_eq!(actual, code, "{message}");
    }
    assert_eq!(bench.content("full/b.txt"), "x");
    let text = bench.text("delete", json!({ "file_path": "full", "recursive": true })).await;
    assert_eq!(text, "Deleted the directory `full` and the 1 entry in it.");
    assert!(!bench.path("full").exists());
}

#[tokio::test]
async fn too_much_is_refused_before_anything_is_gone() {
    let bench = Bench::changing();
    let deep = vec!["d"; 130].join("/");
    bench.write(&format!("deep/{deep}/f"), "x");
    for directory in 0..101 {
        fs::create_dir_all(bench.path(&format!("wide/{directory}"))).unwrap();
        for file in 0..99 {
            fs::write(bench.path(&format!("wide/{directory}/{file}")), "").unwrap();
        }
    }
    for path in ["deep", "wide"] {
        let (code, message) = bench.failure("delete", json!({ "file_path": path, "recursive": true })).await;
        assert_eq!(code, "TREE_TOO_LARGE", "{message}");
    }
    assert!(bench.path(&format!("deep/{deep}/f")).exists());
    let count = |path: &str| walk(&bench.path(path));
    assert_eq!(count("wide"), 101 * 100);
    // With the directory itself these are exactly as many as can be deleted.
    fs::remove_dir_all(bench.path("wide/0")).unwrap();
    fs::remove_file(bench.path("wide/1/0")).unwrap();
    let value = bench.value("delete", json!({ "file_path": "wide", "recursive": true })).await;
    assert_eq!(value["contents"], 9_999);
}

fn walk(directory: &std::path::Path) -> usize {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| 1 + if path.is_dir() { walk(&path) } else { 0 }).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_deletion_says_how_far_it_came() {
    let bench = Bench::changing();
    for file in 0..9_000 {
        bench.write(&format!("tree/{file}"), "");
    }
    let token = CancellationToken::new();
    let args = json!({ "file_path": "tree", "recursive": true });
    let call = ToolCall::new("delete", args, token.clone());
    let cancel = async {
        let begun = || fs::read_dir(bench.path("tree")).map_or(0, Iterator::count) < 9_000;
        while !begun() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        token.cancel();
    };
    let (result, ()) = tokio::join!(bench.runtime.execute(call), cancel);
    let left = fs::read_dir(bench.path("tree")).map_or(0, Iterator::count);
    // A cancelled call is `ABORTED`, whatever its body says, also one that was just done.
    match result.code() {
        None => assert_eq!(left, 0),
        Some("PARTLY_DELETED") => assert!(left > 0),
        code => assert_eq!(code, Some("ABORTED"), "{}", result.text()),
    }
}

#[tokio::test]
async fn things_are_moved_and_renamed() {
    let bench = Bench::changing().and(&[("a.txt", "a"), ("dir/b.txt", "b"), ("other.txt", "old")]);
    let text = bench.text("move", json!({ "source": "a.txt", "destination": "new/place/c.txt" })).await;
    assert_eq!(text, "Moved `a.txt` to `new/place/c.txt`.");
    assert_eq!(bench.content("new/place/c.txt"), "a");
    assert!(!bench.path("a.txt").exists());
    bench.value("move", json!({ "source": "dir", "destination": "renamed" })).await;
    assert_eq!(bench.content("renamed/b.txt"), "b");
    let args = json!({ "source": "renamed/b.txt", "destination": "other.txt" });
    assert_eq!(bench.failure("move", args).await.0, "ALREADY_EXISTS");
    assert_eq!(bench.content("other.txt"), "old");
    let args = json!({ "source": "renamed/b.txt", "destination": "other.txt", "overwrite": true });
    assert_eq!(
        bench.text("move", args).await,
        "Moved `renamed/b.txt` to `other.txt`, replacing what was there."
    );
    assert_eq!(bench.content("other.txt"), "b");
}

#[tokio::test]
async fn moves_that_make_no_sense_change_nothing() {
    let bench = Bench::changing().and(&[("a.txt", "a"), ("dir/b.txt", "b"), ("full/c.txt", "c")]);
    fs::create_dir(bench.path("empty")).unwrap();
    let before = bench.world();
    for overwrite in [false, true] {
        for (source, destination, code) in [
            ("none", "x", "FILE_NOT_FOUND"),
            ("none", "deep/x", "FILE_NOT_FOUND"),
            ("a.txt", "dir", "ALREADY_EXISTS"),
            ("a.txt", "empty", "ALREADY_EXISTS"),
            ("dir", "empty", "ALREADY_EXISTS"),
            ("dir", "full", "ALREADY_EXISTS"),
            ("dir", "a.txt", "ALREADY_EXISTS"),
            ("dir", "dir/inside", "MOVE_INTO_ITSELF"),
            ("dir", "dir/new/inside", "MOVE_INTO_ITSELF"),
            ("a.txt", "a.txt", "MOVE_INTO_ITSELF"),
            ("a.txt", "dir/b.txt/x", "NOT_A_DIRECTORY"),
            ("a.txt", ".", "WORKSPACE_ROOT"),
            (".", "x", "WORKSPACE_ROOT"),
        ] {
            let args = json!({ "source": source, "destination": destination, "overwrite": overwrite });
            let (actual, message) = bench.failure("move", args).await;
            assert_eq!(actual, code, "{source} {destination}: {message}");
            assert_eq!(bench.world(), before, "{source} {destination}");
        }
    }
}
