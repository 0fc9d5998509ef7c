//! A cancelled call ends soon, with `ABORTED`, and only after its blocking work has ended.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use toolgate::{CancellationToken, ToolCall};

use crate::bench::Bench;

/// How soon a cancelled call must have ended.
const SOON: Duration = Duration::from_millis(400);

/// A runtime with one thread for blocking work: while that works, no other blocking work can start.
fn narrow() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).enable_all().build().unwrap()
}

/// Cancels the call while it works, and checks how it ends.
fn assert_stops(bench: &Bench, tool: &str, args: Value) {
    narrow().block_on(async {
        let cancellation = CancellationToken::new();
        let call = ToolCall::new(tool, args, cancellation.clone());
        let working = bench.runtime.execute(call);
        let mut cancelled_at = None;
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            cancellation.cancel();
            cancelled_at = Some(Instant::now());
        };
        let (result, ()) = tokio::join!(working, cancel);
        let took = cancelled_at.unwrap().elapsed();
        assert_eq!(result.code(), Some("ABORTED"), "{}", result.text());
        assert!(took < SOON, "it took {took:?}");
        // The only thread for blocking work is free again, so the work has ended, not merely been left behind.
        let free = tokio::task::spawn_blocking(|| ());
        tokio::time::timeout(Duration::from_millis(50), free)
            .await
            .expect("the thread is still busy")
            .unwrap();
    });
}

#[test]
fn counting_the_lines_of_an_endless_file_stops() {
    let bench = Bench::with(&[("long.txt", &"text\n".repeat(20_000))]);
    let file = OpenOptions::new().write(true).open(bench.path("long.txt")).unwrap();
    file.set_len(1 << 40).unwrap();
    assert_stops(&bench, "read", json!({ "file_path": "long.txt", "limit": 1 }));
}

#[test]
fn a_search_in_a_long_file_stops() {
    let bench = Bench::new();
    let mut file = fs::File::create(bench.path("long.txt")).unwrap();
    let block = "some words that never end in the right way 123\n".repeat(20_000);
    for _ in 0..200 {
        file.write_all(block.as_bytes()).unwrap();
    }
    drop(file);
    let slow = r"(\w+\s+)*[a-z]*\d+[x-z]+$";
    assert_stops(&bench, "grep", json!({ "pattern": slow }));
    assert_stops(&bench, "grep", json!({ "pattern": slow, "path": "long.txt" }));
}

#[test]
fn a_long_walk_stops() {
    let bench = Bench::new();
    for outer in 0..150 {
        for inner in 0..150 {
            fs::create_dir_all(bench.path(&format!("{outer}/{inner}"))).unwrap();
        }
    }
    assert_stops(&bench, "glob", json!({ "pattern": "**/*.rs" }));
    assert_stops(&bench, "grep", json!({ "pattern": "x" }));
}

#[test]
fn a_call_cancelled_before_it_began_does_nothing() {
    let bench = Bench::with(&[("a.txt", "x\n")]);
    narrow().block_on(async {
        let cancellation = CancellationToken::new();
        cancellation.cancel();
        let call = ToolCall::new("read", json!({ "file_path": "a.txt" }), cancellation);
        assert_eq!(bench.runtime.execute(call).await.code(), Some("ABORTED_BEFORE_DISPATCH"));
    });
}

#[test]
fn an_abandoned_call_lets_its_thread_go() {
    let bench = Bench::with(&[("long.txt", &"text\n".repeat(20_000))]);
    let file = OpenOptions::new().write(true).open(bench.path("long.txt")).unwrap();
    file.set_len(1 << 40).unwrap();
    narrow().block_on(async {
        let call =
            ToolCall::new("read", json!({ "file_path": "long.txt", "limit": 1 }), CancellationToken::new());
        let abandoned = tokio::time::timeout(Duration::from_millis(150), bench.runtime.execute(call)).await;
        assert!(abandoned.is_err());
        let free = tokio::task::spawn_blocking(|| ());
        tokio::time::timeout(SOON, free).await.expect("the thread is still busy").unwrap();
    });
}
