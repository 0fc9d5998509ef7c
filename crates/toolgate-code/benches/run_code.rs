//! What `run_code` costs through the whole pipeline, in both placements: starts, sub-calls, computing, results, and
//! programs side by side.
//!
//! `cargo bench -p toolgate-code --bench run_code`. The fastest of the samples is the figure to compare.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to say")]

mod support;

use std::time::Duration;

use divan::Bencher;
use futures_util::future::join_all;
use support::{Placement, executor, run, runtime, worker_or_go_on};

const PLACEMENTS: [Placement; 2] = [Placement::InProcess, Placement::Worker];

/// How long after a run the next worker is ready for sure.
const REFILLED: Duration = Duration::from_millis(20);

fn main() {
    worker_or_go_on();
    divan::main();
}

/// From nothing: the runtime, the pool with its first process, and the program.
#[divan::bench(args = PLACEMENTS, sample_count = 30, sample_size = 1)]
fn return_1_cold(bencher: Bencher<'_, '_>, placement: Placement) {
    let executor = executor();
    bencher.bench_local(|| executor.block_on(run(&runtime(placement), "return 1")));
}

#[divan::bench(args = PLACEMENTS, sample_count = 50, sample_size = 1)]
fn return_1_warm(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 1, "return 1");
}

#[divan::bench(args = PLACEMENTS, sample_count = 20, sample_size = 1)]
fn serial_100_calls(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 1, &serial(100));
}

#[divan::bench(args = PLACEMENTS, sample_count = 20, sample_size = 1)]
fn serial_1_000_calls(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 1, &serial(1_000));
}

#[divan::bench(args = PLACEMENTS, sample_count = 20, sample_size = 1)]
fn parallel_100_calls(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 1, &parallel(100));
}

#[divan::bench(args = PLACEMENTS, sample_count = 20, sample_size = 1)]
fn parallel_1_000_calls(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 1, &parallel(1_000));
}

#[divan::bench(args = PLACEMENTS, sample_count = 10, sample_size = 1)]
fn loop_of_5_000_000(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 1, "let s: number = 0; for (let i = 0; i < 5e6; i++) s += i; return s");
}

#[divan::bench(args = PLACEMENTS, sample_count = 10, sample_size = 1)]
fn result_of_1_mb(bencher: Bencher<'_, '_>, placement: Placement) {
    let code = "return Array.from({ length: 2_700 }, (_, id) => ({ id, text: 'x'.repeat(350) }))";
    programs(bencher, placement, 1, code);
}

#[divan::bench(args = PLACEMENTS, sample_count = 10, sample_size = 1)]
fn programs_8_at_once(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 8, &serial(1));
}

#[divan::bench(args = PLACEMENTS, sample_count = 5, sample_size = 1)]
fn programs_100_at_once(bencher: Bencher<'_, '_>, placement: Placement) {
    programs(bencher, placement, 100, &serial(1));
}

/// So many calls, one after the other.
fn serial(calls: usize) -> String {
    format!("for (let i = 0; i < {calls}; i++) await tools.noop({{ path: 'a', limit: i }})")
}

/// So many calls at once, of which as many overlap as Code Mode lets.
fn parallel(calls: usize) -> String {
    format!(
        "await Promise.all(Array.from({{ length: {calls} }}, (_, i) => tools.safe({{ path: 'a', limit: i }})))"
    )
}

/// Runs a program so many times side by side, once the workers wait.
fn programs(bencher: Bencher<'_, '_>, placement: Placement, together: usize, code: &str) {
    let executor = executor();
    let runtime = runtime(placement);
    bencher
        .with_inputs(|| std::thread::sleep(REFILLED))
        .bench_local_values(|()| executor.block_on(join_all((0..together).map(|_| run(&runtime, code)))));
}
