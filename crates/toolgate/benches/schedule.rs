//! The lane with real waiting: 1,000 calls of one millisecond, ten at a time.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to say")]

use std::time::Duration;

use divan::Bencher;
use futures_util::StreamExt as _;
use toolgate::prelude::*;

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

fn main() {
    divan::main();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn lane_1000_calls_of_1_ms_at_cap_10(bencher: Bencher<'_, '_>) {
    let waiting = tool_fn("wait", "Waits.", |_: Nothing, _: RunContext| async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(0_u64)
    });
    let tools = ToolRuntime::builder().tool(waiting.concurrency_safe()).build().expect("valid");
    let tokio = runtime();
    bencher.bench_local(|| {
        let cancel = CancellationToken::new();
        let calls =
            (0..1_000).map(|_| ToolCall::new("wait", JsonValue::empty_object(), cancel.clone())).collect();
        tokio.block_on(tools.batch(calls, cancel).run(|_| {}))
    });
}

/// What no scheduler can beat: the same sleeps, ten at a time, and nothing else.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn ideal_1000_sleeps_of_1_ms_at_cap_10(bencher: Bencher<'_, '_>) {
    let tokio = runtime();
    bencher.bench_local(|| {
        let sleeps = futures_util::stream::iter(0..1_000)
            .map(|_| tokio::time::sleep(Duration::from_millis(1)))
            .buffer_unordered(10);
        tokio.block_on(sleeps.for_each(|()| async {}))
    });
}
