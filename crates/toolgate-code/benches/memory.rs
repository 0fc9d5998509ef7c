//! The most memory that a process ever had resident: of the host, and of a worker that runs a program.
//!
//! `cargo bench -p toolgate-code --bench memory`. Linux only: the kernel counts.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, or has nothing to say")]

mod support;

use std::fs;

use support::{Placement, executor, run, runtime, worker_or_go_on};
use toolgate::prelude::*;

const PROGRAMS: [(&str, &str); 3] = [
    ("return 1", "await tools.weigh({})"),
    (
        "1,000 calls at once",
        "await Promise.all(Array.from({ length: 1_000 }, (_, i) => tools.safe({ path: 'a', limit: i }))); \
         await tools.weigh({})",
    ),
    (
        "a result of 1 MB",
        "const result = Array.from({ length: 2_700 }, (_, id) => ({ id, text: 'x'.repeat(350) })); \
         await tools.weigh({}); return result",
    ),
];

fn main() {
    worker_or_go_on();
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let Some(number) = numbers.next() else {
        // What a process had at most it never forgets, so each row has a process of its own.
        let own = std::env::current_exe().expect("this binary");
        for number in 0..2 * PROGRAMS.len() {
            let status = std::process::Command::new(&own).arg(number.to_string()).status().expect("it runs");
            assert!(status.success(), "{status}");
        }
        return;
    };
    let (name, code) = PROGRAMS.get(number / 2).expect("a program");
    let placement = if number % 2 == 0 { Placement::InProcess } else { Placement::Worker };
    let runtime = runtime(placement);
    runtime.register(tool_fn("weigh", "Prints.", weigh)).expect("valid");
    print!("{placement:?}, {name}: ");
    executor().block_on(run(&runtime, code));
    println!("the host {} KiB", most(std::process::id()));
}

/// Prints what the busiest worker has needed until now.
async fn weigh(_: Nothing, _: RunContext) -> Result<u64, ToolError> {
    let own = std::process::id();
    let workers = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let all = fs::read_dir(format!("/proc/{own}/task")).expect("Linux").flatten();
    let workers = all
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .fold(workers, |workers, more| workers + " " + &more);
    let most =
        workers.split_whitespace().filter_map(|id| id.parse().ok()).map(most).max().unwrap_or_default();
    if most > 0 {
        print!("the worker {most} KiB, ");
    }
    Ok(most)
}

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

/// The most that a process had resident, in KiB.
fn most(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}
