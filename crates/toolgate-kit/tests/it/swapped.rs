//! Somebody swaps files, directories and links while they are read: nothing outside is ever shown.

#![cfg(unix)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::json;

use crate::bench::Bench;

const ROUND: Duration = Duration::from_millis(700);

/// Swaps `place` between two things by atomic renames until told to stop.
fn swapping(place: PathBuf, one: PathBuf, other: PathBuf) -> (Arc<AtomicBool>, thread::JoinHandle<u64>) {
    let done = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&done);
    let thread = thread::spawn(move || {
        let mut swaps = 0;
        while !stop.load(Ordering::Relaxed) {
            fs::rename(&one, &place).unwrap();
            fs::rename(&place, &one).unwrap();
            fs::rename(&other, &place).unwrap();
            fs::rename(&place, &other).unwrap();
            swaps += 1;
        }
        swaps
    });
    (done, thread)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_swapped_for_a_link_never_shows_what_is_outside() {
    let bench = Bench::with(&[("one.txt", "inside\n")]);
    fs::write(bench.outside("secret.txt"), "SECRET\n").unwrap();
    bench.link("other.txt", bench.outside("secret.txt"));
    let (done, thread) = swapping(bench.path("place.txt"), bench.path("one.txt"), bench.path("other.txt"));
    let start = Instant::now();
    let mut read = 0;
    while start.elapsed() < ROUND {
        let result = bench.call("read", json!({ "file_path": "place.txt" })).await;
        assert!(!result.text().contains("SECRET"), "{}", result.text());
        read += u64::from(!result.is_error());
        if let Some(code) = result.code() {
            assert!(
                ["FILE_NOT_FOUND", "OUTSIDE_WORKSPACE", "DANGLING_SYMLINK"].contains(&code),
                "{}",
                result.text()
            );
        }
    }
    done.store(true, Ordering::Relaxed);
    assert!(thread.join().unwrap() > 10 && read > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_swapped_for_a_link_never_shows_what_is_outside() {
    let bench = Bench::with(&[("one/file.txt", "inside\n"), ("one/sub/file.txt", "inside\n")]);
    fs::create_dir_all(bench.outside("elsewhere/sub")).unwrap();
    for name in ["file.txt", "sub/file.txt", "only-outside.txt"] {
        fs::write(bench.outside("elsewhere").join(name), "SECRET\n").unwrap();
    }
    bench.link("other", bench.outside("elsewhere"));
    let (done, thread) = swapping(bench.path("place"), bench.path("one"), bench.path("other"));
    let start = Instant::now();
    while start.elapsed() < ROUND {
        for (tool, args) in [
            ("read", json!({ "file_path": "place/file.txt" })),
            ("glob", json!({ "pattern": "**/*.txt" })),
            ("glob", json!({ "pattern": "*.txt", "path": "place" })),
            ("grep", json!({ "pattern": "." })),
            ("grep", json!({ "pattern": ".", "path": "place/sub" })),
        ] {
            let text = bench.call(tool, args).await.text();
            assert!(!text.contains("SECRET") && !text.contains("only-outside"), "{tool}: {text}");
        }
    }
    done.store(true, Ordering::Relaxed);
    assert!(thread.join().unwrap() > 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_swapped_for_a_pipe_never_blocks() {
    let bench = Bench::with(&[("one", "inside\n")]);
    let made = std::process::Command::new("mkfifo").arg(bench.path("other")).status().unwrap();
    assert!(made.success());
    let (done, thread) = swapping(bench.path("place"), bench.path("one"), bench.path("other"));
    let start = Instant::now();
    while start.elapsed() < ROUND {
        let calls = async {
            let result = bench.call("read", json!({ "file_path": "place" })).await;
            // A pipe that was opened for a moment would look like an empty file.
            assert!(result.is_error() || result.text().contains("inside"), "{}", result.text());
            bench.call("grep", json!({ "pattern": "inside" })).await;
        };
        tokio::time::timeout(Duration::from_secs(5), calls).await.expect("a call hangs");
    }
    done.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_while_it_is_read_does_no_harm() {
    let bench = Bench::new();
    let path = bench.path("changing.txt");
    fs::write(&path, "start\n").unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&done);
    let thread = thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            fs::write(&path, "line\n".repeat(200_000)).unwrap();
            fs::File::create(&path).unwrap();
            fs::write(&path, "short").unwrap();
        }
    });
    let start = Instant::now();
    while start.elapsed() < ROUND {
        let result = bench.call("read", json!({ "file_path": "changing.txt", "limit": 3 })).await;
        assert!(!result.is_error(), "{}", result.text());
        let result = bench.call("grep", json!({ "pattern": "line" })).await;
        assert!(!result.is_error(), "{}", result.text());
    }
    done.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}
