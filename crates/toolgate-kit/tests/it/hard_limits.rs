//! Files and trees of any size: answers stay bounded, exact in their counts, and quick.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::bench::{Bench, matches, paths, texts};

/// What nobody reads in the time that the test has.
const ENDLESS: u64 = 256 * 1024 * 1024 * 1024;

#[tokio::test]
async fn a_sparse_file_is_binary_at_once() {
    let bench = Bench::new();
    File::create(bench.path("sparse")).unwrap().set_len(ENDLESS).unwrap();
    let start = Instant::now();
    let (code, message) = bench.failure("read", json!({ "file_path": "sparse" })).await;
    assert_eq!(code, "BINARY_FILE", "{message}");
    let (code, message) = bench.failure("grep", json!({ "pattern": "x", "path": "sparse" })).await;
    assert_eq!(code, "BINARY_FILE", "{message}");
    let value = bench.value("grep", json!({ "pattern": "x" })).await;
    assert_eq!((&value["total"], &value["skipped"]), (&json!(0), &json!(0)));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// Set for the process that runs one test alone.
const ALONE: &str = "TOOLGATE_KIT_TEST_ALONE";

#[test]
fn one_huge_line_is_read_and_searched_in_bounded_memory() {
    alone(40, read_and_search_one_huge_line);
}

#[test]
fn the_largest_ignore_files_take_bounded_memory() {
    alone(99, walk_below_large_ignore_files);
}

/// Does `work` in a process of its own, which may not hold more than so many megabytes.
fn alone(megabytes: u64, work: fn()) {
    if std::env::var_os(ALONE).is_some() {
        work();
        return assert_peak_below(megabytes);
    }
    // Memory belongs to a process, and here other tests run at the same time.
    let this = std::thread::current().name().unwrap().to_owned();
    let child =
        Command::new(std::env::current_exe().unwrap()).args(["--exact", &this]).env(ALONE, "1").output();
    let child = child.unwrap();
    let printed = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && printed.contains("1 passed"), "{printed}");
}

#[tokio::main(flavor = "current_thread")]
async fn walk_below_large_ignore_files() {
    let bench = Bench::new();
    let mut place = String::new();
    for number in 0..60 {
        let rules = (0..1000).map(|rule| format!("{number}x{rule}{}\n", "*a?b[!c]".repeat(7)));
        bench.write(&format!("{place}.gitignore"), rules.collect::<String>());
        bench.write(&format!("{place}file.txt"), "");
        place.push_str("d/");
    }
    let value = bench.value("glob", json!({ "pattern": "**/*.txt" })).await;
    assert_eq!((&value["total"], &value["skipped"]), (&json!(60), &json!(58)));
}

#[tokio::main(flavor = "current_thread")]
async fn read_and_search_one_huge_line() {
    let bench = Bench::new();
    let mut file = BufWriter::new(File::create(bench.path("line")).unwrap());
    let megabyte = vec![b'x'; 1024 * 1024];
    for _ in 0..128 {
        file.write_all(&megabyte).unwrap();
    }
    file.flush().unwrap();
    let value = bench.value("read", json!({ "file_path": "line" })).await;
    assert_eq!((&value["total_lines"], &value["truncated"]), (&json!(1), &json!(true)));
    let omitted = 128 * 1024 * 1024 - 2000;
    assert!(texts(&value)[0].ends_with(&format!("x [… {omitted} more bytes]")));
    let value = bench.value("grep", json!({ "pattern": "x" })).await;
    assert_eq!((&value["total"], &value["skipped"]), (&json!(0), &json!(1)));
    let text = bench.text("grep", json!({ "pattern": "x", "path": "line" })).await;
    assert!(text.contains("could not be searched to its end"), "{text}");
}

/// Fails when this process ever held more than so many megabytes, where the system tells.
fn assert_peak_below(megabytes: u64) {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
    assert!(kilobytes / 1024 < megabytes, "the process held {} MB", kilobytes / 1024);
}

#[tokio::test]
async fn a_window_holds_at_most_256_kib() {
    let bench = Bench::new();
    bench.write("wide.txt", format!("{}\n", "w".repeat(999)).repeat(5000));
    let value = bench.value("read", json!({ "file_path": "wide.txt", "limit": 5000 })).await;
    let shown = texts(&value).len();
    assert!((250..=262).contains(&shown), "{shown}");
    assert_eq!((&value["total_lines"], &value["truncated"]), (&json!(5000), &json!(true)));
    let text = bench.text("read", json!({ "file_path": "wide.txt" })).await;
    assert!(text.contains(&format!("Lines 1 to {shown} of 5000. Continue with offset {}.", shown + 1)));
}

#[tokio::test]
async fn two_thousand_lines_come_by_default() {
    let bench = Bench::new();
    bench.write("many.txt", "m\n".repeat(2001));
    let value = bench.value("read", json!({ "file_path": "many.txt" })).await;
    assert_eq!((texts(&value).len(), &value["total_lines"]), (2000, &json!(2001)));
}

#[tokio::test]
async fn a_thousand_paths_come_and_the_count_is_exact() {
    let bench = Bench::new();
    for number in 0..1234 {
        bench.write(&format!("d{}/f{number:04}.txt", number % 7), "");
    }
    let value = bench.value("glob", json!({ "pattern": "**/*.txt" })).await;
    assert_eq!((&value["total"], &value["truncated"]), (&json!(1234), &json!(true)));
    let shown = paths(&value);
    let mut expected =
        (0..1234).map(|number| format!("d{}/f{number:04}.txt", number % 7)).collect::<Vec<_>>();
    expected.sort();
    assert_eq!(shown, expected[..1000]);
    let text = bench.text("glob", json!({ "pattern": "**/*.txt" })).await;
    assert!(text.contains("The first 1000 of 1234 files."), "{text}");
}

#[tokio::test]
async fn matches_are_capped_by_file_and_in_all_and_the_count_is_exact() {
    let bench = Bench::new();
    for number in 0..8 {
        bench.write(&format!("f{number}.txt"), "match\nother\n".repeat(150));
    }
    let value = bench.value("grep", json!({ "pattern": "match" })).await;
    assert_eq!(
        (&value["total"], &value["total_files"], &value["truncated"]),
        (&json!(1200), &json!(8), &json!(true))
    );
    let files = value["files"].as_array().unwrap();
    assert_eq!(files.len(), 5);
    assert!(files.iter().all(|file| file["lines"].as_array().unwrap().len() == 100 && file["total"] == 150));
    let text = bench.text("grep", json!({ "pattern": "match" })).await;
    assert!(text.contains("… 50 more matching lines in this file"), "{text}");
    assert!(text.contains("Shown are 500 of 1200 matching lines, from 5 of 8 files."), "{text}");
}

#[tokio::test]
async fn matching_text_is_bounded() {
    let bench = Bench::new();
    for number in 0..9 {
        bench.write(&format!("f{number}.txt"), format!("{}\n", "wide ".repeat(200)).repeat(100));
    }
    bench.write("later.txt", "wide\n");
    let value = bench.value("grep", json!({ "pattern": "wide" })).await;
    assert_eq!((&value["total"], &value["truncated"]), (&json!(901), &json!(true)));
    // What is shown is the beginning: nothing later takes the place of a line that did not fit.
    assert!(matches(&value).iter().all(|line| line.starts_with('f')));
    let size = matches(&value).iter().map(String::len).sum::<usize>();
    assert!(size < 150 * 1024, "{size}");
    assert!(bench.text("grep", json!({ "pattern": "wide" })).await.len() < 200 * 1024);
}

#[tokio::test]
async fn a_deep_tree_is_walked_without_recursion() {
    let bench = Bench::new();
    let mut directory = bench.root();
    for _ in 0..600 {
        directory.push("d");
    }
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("leaf.txt"), "leaf\n").unwrap();
    let value = bench.value("glob", json!({ "pattern": "**/leaf.txt" })).await;
    assert_eq!(value["total"], 1);
    let value = bench.value("grep", json!({ "pattern": "leaf" })).await;
    assert_eq!(value["total"], 1);
}
