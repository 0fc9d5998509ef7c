//! The lane by itself: failures of the scheduling, streams, cancellation (rules Q1–Q5).

use std::future::pending;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use toolgate::ToolDefinition;
use toolgate::prelude::*;
use toolgate::schedule::{Lane, LaneWork};

use crate::support::{Counter, Journal, json_value};

/// Work whose calls are numbers: even ones may overlap; each sleeps for its milliseconds.
struct Numbers {
    journal: Journal,
    fail_start_of: Option<u64>,
    fail_commit_of: Option<u64>,
}

impl Numbers {
    fn new(journal: &Journal) -> Self {
        Self { journal: journal.clone(), fail_start_of: None, fail_commit_of: None }
    }
}

impl LaneWork for Numbers {
    type Call = u64;
    type Running = Pin<Box<dyn Future<Output = u64> + Send>>;
    type Done = u64;
    type Error = String;

    fn mode(&mut self, call: &u64) -> ToolExecutionMode {
        if call.is_multiple_of(2) { ToolExecutionMode::Parallel } else { ToolExecutionMode::Exclusive }
    }

    async fn start(&mut self, call: u64) -> Result<Self::Running, String> {
        if self.fail_start_of == Some(call) {
            return Err(format!("start of {call}"));
        }
        self.journal.note(format!("start {call}"));
        let journal = self.journal.clone();
        Ok(Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(call)).await;
            journal.note(format!("done {call}"));
            call
        }))
    }

    async fn commit(&mut self, done: u64) -> Result<(), String> {
        if self.fail_commit_of == Some(done) {
            return Err(format!("commit of {done}"));
        }
        self.journal.note(format!("commit {done}"));
        Ok(())
    }

    async fn skip(&mut self, call: u64) -> Result<(), String> {
        self.journal.note(format!("skip {call}"));
        Ok(())
    }
}

fn lane(cap: usize) -> Lane {
    Lane::new(NonZeroUsize::new(cap).expect("not zero"), CancellationToken::new())
}

#[tokio::test(start_paused = true)]
async fn a_failing_start_or_commit_starts_nothing_more_and_awaits_what_runs() {
    let journal = Journal::default();
    let mut work = Numbers { fail_start_of: Some(4), ..Numbers::new(&journal) };
    let outcome = lane(9).run(stream::iter([20, 10, 4, 6]), &mut work).await;
    assert_eq!(outcome, Err("start of 4".to_owned()), "Q4");
    assert_eq!(journal.lines(), ["start 20", "start 10", "done 10", "done 20"]);

    let journal = Journal::default();
    let mut work = Numbers { fail_commit_of: Some(10), ..Numbers::new(&journal) };
    let outcome = lane(2).run(stream::iter([10, 20, 6]), &mut work).await;
    assert_eq!(outcome, Err("commit of 10".to_owned()), "Q4: the first failure");
    assert_eq!(journal.lines(), ["start 10", "start 20", "done 10", "done 20"]);
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_is_served_as_it_comes() {
    let journal = Journal::default();
    let mut work = Numbers::new(&journal);
    let (send, receive) = tokio::sync::mpsc::unbounded_channel();
    let calls =
        stream::unfold(receive, |mut receive| async { receive.recv().await.map(|call| (call, receive)) });
    let feed = async {
        send.send(2).expect("open");
        // The lane must commit the first call although the stream stays open.
        while !journal.lines().contains(&"commit 2".to_owned()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        send.send(3).expect("open");
        drop(send);
    };
    let lane = lane(9);
    let (outcome, ()) = tokio::join!(lane.run(calls, &mut work), feed);
    assert_eq!(outcome, Ok(()));
    assert_eq!(journal.lines(), ["start 2", "done 2", "commit 2", "start 3", "done 3", "commit 3"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_lane_commits_what_it_started_before_it_skips_the_rest() {
    let journal = Journal::default();
    let mut work = Numbers::new(&journal);
    let cancel = CancellationToken::new();
    let lane = Lane::new(NonZeroUsize::new(2).expect("not zero"), cancel.clone());
    let stop = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(lane.run(stream::iter([20, 10, 6, 7]), &mut work), stop);
    assert_eq!(outcome, Ok(()));
    assert_eq!(
        journal.lines(),
        ["start 20", "start 10", "done 10", "done 20", "commit 20", "commit 10", "skip 6", "skip 7"],
        "Q3"
    );
}

#[tokio::test(start_paused = true)]
async fn a_full_pool_never_exceeds_its_cap_and_never_waits_for_the_oldest() {
    let journal = Journal::default();
    let mut work = Numbers::new(&journal);
    lane(3).run(stream::iter([100, 2, 4, 6, 8, 10]), &mut work).await.expect("no failure");
    let (mut running, mut peak) = (0_i32, 0);
    for line in journal.lines() {
        running += match line.split(' ').next() {
            Some("start") => 1,
            Some("done") => -1,
            _ => 0,
        };
        peak = peak.max(running);
    }
    assert_eq!(peak, 3, "Q1");
    let lines = journal.lines();
    let at = |line: &str| lines.iter().position(|l| l == line).expect(line);
    assert!(at("done 10") < at("done 100") && at("commit 100") < at("commit 2"));
}

#[tokio::test]
async fn a_batch_that_hangs_until_it_is_cancelled_has_a_result_for_every_call() {
    let hang = ToolDefinition::raw("hang", "waits for its cancellation")
        .output_schema(JsonValue::empty_object())
        .concurrency_safe_when(|_| true)
        .body(|_, cx: RunContext| async move {
            cx.cancellation().cancelled().await;
            Ok(JsonValue::null())
        });
    let never = ToolDefinition::raw("never", "would never end")
        .output_schema(JsonValue::empty_object())
        .body(|_, _| pending::<Result<JsonValue, ToolError>>());
    let runtime = ToolRuntime::builder().tool(hang).tool(never).build().expect("valid");
    let cancel = CancellationToken::new();
    let calls = ["hang", "hang", "never", "hang"]
        .iter()
        .enumerate()
        .map(|(n, name)| {
            ToolCall::new(*name, json_value(serde_json::json!({})), cancel.clone()).with_id(format!("c{n}"))
        })
        .collect();
    let committed = Counter::default();
    let counting = committed.clone();
    let batch = runtime.batch(calls, cancel.clone()).run(move |_| counting.add());
    let stop = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (results, ()) = tokio::join!(batch, stop);
    let outcomes: Vec<_> =
        results.iter().map(|r| (r.call.as_str(), r.result.code(), r.was_started)).collect();
    assert_eq!(
        outcomes,
        [
            ("c0", Some("ABORTED"), true),
            ("c1", Some("ABORTED"), true),
            ("c2", Some("ABORTED_BEFORE_DISPATCH"), false),
            ("c3", Some("ABORTED_BEFORE_DISPATCH"), false)
        ]
    );
    assert_eq!(committed.get(), 4);
}

#[tokio::test]
async fn an_empty_stream_ends_at_once() {
    let journal = Journal::default();
    let outcome = lane(1).run(stream::empty().boxed(), &mut Numbers::new(&journal)).await;
    assert_eq!((outcome, journal.lines()), (Ok(()), vec![]));
}
