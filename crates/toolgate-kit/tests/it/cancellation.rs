//! A cancelled call ends soon, with `ABORTED`, and only after its blocking work has ended.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use toolgate::{CancellationToken, ToolCall};

use crate::bench::Bench;

/// How soon a cancelled call must have ended, in time of its processor, because other programs may want that too. Left
/// alone, the calls here work for a multiple of it.
const SOON: Duration = Duration::from_secs(2);

/// How soon where one step takes half a second on a processor of its own, of which there are sixty.
const SLOWLY: Duration = Duration::from_secs(5);

/// How long nothing here takes, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// An expression that has to look at every character, and finds nothing here.
const SLOW: &str = r"(\w+\s+)*[a-z]*\d+[x-z]+$";

/// A size that takes many seconds to read; nothing of it is on the disk.
const LONG: u64 = 16 * 1024 * 1024 * 1024;

/// A runtime with one thread for blocking work: while that works, no other blocking work can start.
fn narrow() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).enable_all().build().unwrap()
}

/// Cancels the call while it works, and checks how it ends.
fn assert_stops(bench: &Bench, tool: &str, args: Value) {
    assert_stops_within(SOON, bench, tool, args);
}

fn assert_stops_within(patience: Duration, bench: &Bench, tool: &str, args: Value) {
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
        // The only thread for blocking work is free again, so the work has ended, not merely been left behind.
        let free = tokio::task::spawn_blocking(worked);
        let free = tokio::time::timeout(PATIENCE, free).await.expect("the thread is still busy");
        let took = free.unwrap().unwrap_or(took);
        assert!(took < patience, "it took {took:?}");
    });
}

/// The processor time that this thread has had, where the system tells.
fn worked() -> Option<Duration> {
    let times = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[test]
fn counting_the_lines_of_a_long_file_stops() {
    let bench = Bench::with(&[("long.txt", &"text\n".repeat(20_000))]);
    let file = OpenOptions::new().write(true).open(bench.path("long.txt")).unwrap();
    file.set_len(LONG).unwrap();
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
    assert_stops(&bench, "grep", json!({ "pattern": SLOW }));
    assert_stops(&bench, "grep", json!({ "pattern": SLOW, "path": "long.txt" }));
}

#[test]
fn the_heaviest_expressions_stop_in_the_longest_lines() {
    let bench = Bench::new();
    let mut state = 1_u64;
    let line = (1..128 * 1024).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if state >> 63 == 0 { 'a' } else { 'b' }
    });
    let line = line.chain(['\n']).collect::<String>();
    bench.write("long.txt", line.repeat(60));
    for pattern in [
        "[ab]*a[ab]{295}[c-z0-9]",
        "[ab]*a[ab]{295}c$",
        "(?:[ab]{0,28}a){10}[c-z0-9]",
        "(?:.{0,28}a){10}[c-z0-9]",
        r"(?:\w{0,5}a){10}[c-z0-9]",
        "(?-u:[acegikmoqsuwyACEGIKMOQSUWY02468!#%&b]{0,9}a){9}[c-z0-9]",
        "[ab]*a[ab]{295}|a",
    ] {
        assert_stops_within(SLOWLY, &bench, "grep", json!({ "pattern": pattern }));
    }
}

#[test]
fn adding_many_ignore_rules_stops() {
    let bench = Bench::new();
    let rule = format!("{}\n", "*a?b[!c]".repeat(8));
    for number in 0..200 {
        bench.write(&format!("{number}/.gitignore"), rule.repeat(1000));
    }
    assert_stops(&bench, "glob", json!({ "pattern": "**/*" }));
}

#[test]
fn a_long_walk_stops() {
    let bench = Bench::new();
    let block = "some words that never end in the right way 123\n".repeat(200);
    bench.write("0/0", block);
    for number in 1..20_000 {
        let directory = bench.path(&format!("{}", number % 100));
        fs::create_dir_all(&directory).unwrap();
        fs::hard_link(bench.path("0/0"), directory.join(number.to_string())).unwrap();
    }
    assert_stops(&bench, "grep", json!({ "pattern": SLOW }));
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
    file.set_len(LONG).unwrap();
    narrow().block_on(async {
        let call =
            ToolCall::new("read", json!({ "file_path": "long.txt", "limit": 1 }), CancellationToken::new());
        let abandoned = tokio::time::timeout(Duration::from_millis(150), bench.runtime.execute(call)).await;
        assert!(abandoned.is_err());
        let free = tokio::task::spawn_blocking(worked);
        let free = tokio::time::timeout(PATIENCE, free).await.expect("the thread is still busy");
        assert!(free.unwrap().is_none_or(|worked| worked < SOON));
    });
}
