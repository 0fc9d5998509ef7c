//! Many change the same files at once: no update is lost, and nothing outside is touched.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::{CancellationToken, ToolCall, ToolExecutionMode, ToolRuntime};
use toolgate_kit::{FileToolsConfig, Workspace, file_tools};

use crate::bench::Bench;

/// How many counters increment, and how often each.
const WRITERS: usize = 4;
const ROUNDS: usize = 25;

/// Adds one to the number in `counter` by read and edit, again and again until it was not disturbed.
async fn increment(runtime: &ToolRuntime, scope: &str) {
    let agent = runtime.scope(scope);
    let call = |tool, args| agent.execute(ToolCall::new(tool, args, CancellationToken::new()));
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_secs(60), "it never gets through");
        let value = call("read", json!({ "file_path": "counter" })).await;
        let read: serde_json::Value = serde_json::from_str(&value.value().unwrap().to_text()).unwrap();
        let old = read["lines"][0]["text"].as_str().unwrap().to_owned();
        let new = (old.parse::<u64>().unwrap() + 1).to_string();
        let args = json!({ "file_path": "counter", "old_string": old, "new_string": new });
        let result = call("edit", args).await;
        match result.code() {
            None => return,
            // Somebody else was first, between the read and the edit or within the edit.
            Some("FILE_CHANGED") => {}
            Some(_) => panic!("{}", result.text()),
        }
    }
}

/// Counts with several agents at once, and returns what the file holds in the end.
async fn count(bench: &Bench, runtimes: [ToolRuntime; WRITERS]) -> String {
    let mut tasks = Vec::new();
    for (number, runtime) in runtimes.into_iter().enumerate() {
        tasks.push(tokio::spawn(async move {
            for _ in 0..ROUNDS {
                increment(&runtime, &format!("agent-{number}")).await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    bench.content("counter")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn agents_of_one_runtime_lose_no_update() {
    let bench = Bench::changing().and(&[("counter", "0\n")]);
    let runtimes = std::array::from_fn(|_| bench.runtime.clone());
    assert_eq!(count(&bench, runtimes).await, format!("{}\n", WRITERS * ROUNDS));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn runtimes_that_know_nothing_of_each_other_lose_no_update() {
    let bench = Bench::changing().and(&[("counter", "0\n")]);
    let runtimes = std::array::from_fn(|_| {
        let workspace = Workspace::open(bench.root()).unwrap();
        ToolRuntime::builder().plugin(file_tools(workspace, FileToolsConfig::default())).build().unwrap()
    });
    assert_eq!(count(&bench, runtimes).await, format!("{}\n", WRITERS * ROUNDS));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_who_create_a_file_or_take_a_name_one_succeeds() {
    let bench = Bench::changing();
    for round in 0..20 {
        let creations = (0..4).map(|number| {
            let runtime = bench.runtime.clone();
            let (path, content) = (format!("d{round}/new"), format!("{number}"));
            tokio::spawn(async move {
                let agent = runtime.scope(&format!("creator-{number}"));
                let args = json!({ "file_path": path, "content": content });
                let result = agent.execute(ToolCall::new("write", args, CancellationToken::new())).await;
                let outcome =
                    result.value().map(|value| value.as_value().get("outcome")?.as_str().map(str::to_owned));
                (result.code().map(str::to_owned), outcome.flatten())
            })
        });
        let mut created = 0;
        for creation in creations.collect::<Vec<_>>() {
            match creation.await.unwrap() {
                (None, Some(outcome)) => created += usize::from(outcome == "created"),
                (code, _) => assert_eq!(code.as_deref(), Some("FILE_CHANGED")),
            }
        }
        assert_eq!(created, 1, "round {round}");
        for number in 0..4 {
            bench.write(&format!("s{number}"), number.to_string());
        }
        let moves = (0..4).map(|number| {
            let runtime = bench.runtime.clone();
            let args = json!({ "source": format!("s{number}"), "destination": format!("d{round}/taken") });
            let call = ToolCall::new("move", args, CancellationToken::new());
            tokio::spawn(async move { runtime.execute(call).await.code().map(str::to_owned) })
        });
        let mut codes = Vec::new();
        for one in moves.collect::<Vec<_>>() {
            codes.push(one.await.unwrap());
        }
        assert_eq!(codes.iter().filter(|code| code.is_none()).count(), 1, "{codes:?}");
        assert!(codes.iter().flatten().all(|code| code == "ALREADY_EXISTS"), "{codes:?}");
    }
}

#[tokio::test]
async fn changes_run_alone() {
    let bench = Bench::changing();
    for (tool, args) in [
        ("write", json!({ "file_path": "a", "content": "" })),
        ("edit", json!({ "file_path": "a", "old_string": "a", "new_string": "b" })),
        ("delete", json!({ "file_path": "a" })),
        ("move", json!({ "source": "a", "destination": "b" })),
    ] {
        let call = ToolCall::new(tool, args, CancellationToken::new());
        assert_eq!(bench.runtime.execution_mode(&call), ToolExecutionMode::Exclusive, "{tool}");
    }
}

/// Somebody swaps a directory, or a file, for a link that leads out, as fast as can be.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_swapped_for_a_link_leads_no_change_outside() {
    let bench = Bench::changing().and(&[("real/f", "inside"), ("file", "inside"), ("source", "x")]);
    fs::create_dir(bench.outside("elsewhere")).unwrap();
    fs::write(bench.outside("elsewhere/f"), "SECRET").unwrap();
    bench.link("link-directory", bench.outside("elsewhere"));
    bench.link("link-file", bench.outside("elsewhere/f"));
    let done = Arc::new(AtomicBool::new(false));
    let swapper = |place: &str, one: &str, other: &str| {
        let (place, one, other) = (bench.path(place), bench.path(one), bench.path(other));
        let done = Arc::clone(&done);
        std::thread::spawn(move || {
            let mut swaps = 0_u64;
            while !done.load(Ordering::Relaxed) {
                // What the tools made, moved or deleted may be in the way; that is their right.
                for thing in [&one, &other] {
                    let swapped = fs::rename(thing, &place).and_then(|()| fs::rename(&place, thing));
                    swaps += u64::from(swapped.is_ok());
                }
            }
            swaps
        })
    };
    let threads = [swapper("place", "real", "link-directory"), swapper("spot", "file", "link-file")];
    let start = Instant::now();
    let mut succeeded = 0;
    while start.elapsed() < Duration::from_millis(1500) {
        for (tool, args) in [
            ("write", json!({ "file_path": "place/f", "content": format!("{:?}", start.elapsed()) })),
            ("write", json!({ "file_path": "place/new/g", "content": "PWNED" })),
            ("edit", json!({ "file_path": "place/f", "old_string": "SECRET", "new_string": "PWNED" })),
            ("edit", json!({ "file_path": "spot", "old_string": "SECRET", "new_string": "PWNED" })),
            ("move", json!({ "source": "source", "destination": "place/moved" })),
            ("move", json!({ "source": "place/moved", "destination": "source" })),
            ("delete", json!({ "file_path": "place/f" })),
            ("delete", json!({ "file_path": "place/new", "recursive": true })),
        ] {
            succeeded += u64::from(!bench.call(tool, args).await.is_error());
        }
    }
    done.store(true, Ordering::Relaxed);
    let swaps: Vec<_> = threads.map(|thread| thread.join().unwrap()).into();
    assert!(swaps.iter().all(|swaps| *swaps > 100), "{swaps:?}");
    assert!(succeeded > 0, "nothing ever got through, so nothing was tried");
    let outside = fs::read_dir(bench.outside("elsewhere")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(outside.collect::<Vec<_>>(), ["f"]);
    assert_eq!(fs::read_to_string(bench.outside("elsewhere/f")).unwrap(), "SECRET");
}
