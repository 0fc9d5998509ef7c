//! What the deadline policy adds to a call, in time and allocations: for a body that is done at once, with and without a
//! limit, and for one that waits and therefore has a timer.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to say")]

use std::time::Duration;

use divan::{AllocProfiler, Bencher};
use tokio::runtime::{Builder, Runtime};
use toolgate::prelude::*;
use toolgate_policy::{DeadlineConfig, Deadlines};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[derive(Clone, Copy, Debug)]
enum Policy {
    None,
    NoLimit,
    Limit,
}

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

fn executor() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("an executor")
}

fn runtime(policy: Policy) -> ToolRuntime {
    let builder = ToolRuntime::builder()
        .tool(tool_fn("noop", "Nothing.", |_: Nothing, _cx: RunContext| async { Ok(1_u64) }))
        .tool(tool_fn("waits", "Yields.", |_: Nothing, _cx: RunContext| async {
            tokio::task::yield_now().await;
            Ok(1_u64)
        }));
    let default = match policy {
        Policy::None => return builder.build().expect("valid"),
        Policy::NoLimit => None,
        Policy::Limit => Some(Duration::from_secs(60)),
    };
    let deadlines = Deadlines::new(DeadlineConfig { default, ..DeadlineConfig::default() });
    builder.plugin(deadlines).build().expect("valid")
}

fn bench(bencher: Bencher<'_, '_>, policy: Policy, name: &'static str) {
    let (executor, runtime) = (executor(), runtime(policy));
    let arguments = JsonValue::empty_object();
    bencher.bench_local(|| {
        executor.block_on(runtime.execute(ToolCall::new(name, arguments.clone(), CancellationToken::new())))
    });
}

#[divan::bench(args = [Policy::None, Policy::NoLimit, Policy::Limit])]
fn done_at_once(bencher: Bencher<'_, '_>, policy: Policy) {
    bench(bencher, policy, "noop");
}

#[divan::bench(args = [Policy::None, Policy::NoLimit, Policy::Limit])]
fn waits_once(bencher: Bencher<'_, '_>, policy: Policy) {
    bench(bencher, policy, "waits");
}
