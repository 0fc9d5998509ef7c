//! A body that keeps its thread is told of while its call is open; nothing else can be done about it.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::prelude::*;
use toolgate_policy::{DeadlineConfig, DeadlineReport, Deadlines};

use crate::support::{Journal, build, call, ms, tool};

/// Far more than the machine that runs this needs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Blocks its thread until it is let go, and is called through another tool on the same thread.
fn blocking(release: mpsc::Receiver<()>) -> [toolgate::ToolDefinition; 2] {
    let release = std::sync::Mutex::new(release);
    let blocks = tool("blocks").body(move |_, _| {
        // Blocks where a well-behaved body would await.
        let _ = release.lock().expect("one at a time").recv_timeout(PATIENCE);
        async { Ok(json!("released")) }
    });
    let outer = tool("outer").body(|_, cx: RunContext| async move {
        let result = cx.runtime().execute(cx.nested_call("blocks", json!({}))).await;
        Ok(json!(result.text()))
    });
    [blocks, outer]
}

#[test]
fn a_body_that_blocks_its_thread_is_told_of_while_the_call_is_open() {
    let reports = Journal::default();
    let told = reports.clone();
    let config = DeadlineConfig { blocked: ms(20), ..DeadlineConfig::default() };
    let deadlines = Deadlines::reporting(config, move |report| match report {
        DeadlineReport::ThreadBlocked { call, length } => told.note((call.name().to_owned(), *length)),
        DeadlineReport::BodyDropped { .. } | DeadlineReport::StageDropped { .. } => {}
    });
    let (release, released) = mpsc::channel();
    let runtime = build(ToolRuntime::builder().plugin(deadlines.clone()), blocking(released));
    let running = thread::spawn(move || {
        let executor =
            tokio::runtime::Builder::new_current_thread().enable_time().build().expect("an executor");
        executor.block_on(runtime.execute(call("outer", json!({}))))
    });
    let begun = Instant::now();
    while reports.entries().len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "nobody noticed");
        thread::sleep(ms(1));
    }
    assert!(!running.is_finished(), "the call is open");
    release.send(()).expect("the body waits");
    let result = running.join().expect("no panic");
    assert_eq!(result.text(), "released", "nothing is done to the body");
    let entries = reports.entries();
    assert!(entries.iter().all(|(name, _)| name == "blocks"), "the innermost is to blame: {entries:?}");
    let lengths: Vec<_> = entries.iter().map(|(_, length)| *length).collect();
    assert!(
        lengths[0] >= ms(20) && lengths[1] >= lengths[0] * 2,
        "told again when it has doubled: {lengths:?}"
    );
    assert_eq!(deadlines.counts().threads_blocked, entries.len() as u64);
}

/// What a body does after a call of its own is its own.
#[test]
fn a_body_that_blocks_after_a_call_of_its_own_is_told_of() {
    let reports = Journal::default();
    let told = reports.clone();
    let config = DeadlineConfig { blocked: ms(20), ..DeadlineConfig::default() };
    let deadlines = Deadlines::reporting(config, move |report| told.note(report.to_string()));
    let (release, released) = mpsc::channel::<()>();
    let released = std::sync::Arc::new(std::sync::Mutex::new(released));
    let outer = tool("outer").body(move |_, cx: RunContext| {
        let released = std::sync::Arc::clone(&released);
        async move {
            let result = cx.runtime().execute(cx.nested_call("quick", json!({}))).await;
            let _ = released.lock().expect("one at a time").recv_timeout(PATIENCE);
            Ok(json!(result.text()))
        }
    });
    let quick = tool("quick").body(|_, _| async { Ok(json!("done")) });
    let runtime = build(ToolRuntime::builder().plugin(deadlines), [outer, quick]);
    let running = thread::spawn(move || {
        let executor =
            tokio::runtime::Builder::new_current_thread().enable_time().build().expect("an executor");
        executor.block_on(runtime.execute(call("outer", json!({}))))
    });
    let begun = Instant::now();
    while reports.entries().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "nobody noticed");
        thread::sleep(ms(1));
    }
    release.send(()).expect("the body waits");
    assert_eq!(running.join().expect("no panic").text(), "done");
    assert!(
        reports.entries()[0].starts_with("the body of `outer` (call c1) has kept"),
        "{:?}",
        reports.entries()
    );
}

#[test]
fn a_body_that_waits_is_not_told_of() {
    let reports = Journal::default();
    let told = reports.clone();
    let config = DeadlineConfig { blocked: ms(50), ..DeadlineConfig::default() };
    let deadlines = Deadlines::reporting(config, move |report| told.note(report.to_string()));
    let waits = tool("waits").body(|_, _| async {
        tokio::time::sleep(ms(300)).await;
        Ok(json!(null))
    });
    let runtime = build(ToolRuntime::builder().plugin(deadlines), [waits]);
    let executor = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("an executor");
    assert!(!executor.block_on(runtime.execute(call("waits", json!({})))).is_error());
    assert!(reports.entries().is_empty(), "{:?}", reports.entries());
}
