//! What a program in Python costs besides what it computes: cold and warm starts, and host calls.
//!
//! `cargo bench -p toolgate-sandbox --features python --bench python`. Prints the minimum and the median of each.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, or has nothing to say")]

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{
    Globals, HostReply, Limits, Program, ProgramAllocator, Sandbox, WorkerCommand, WorkerPool, worker_main,
};

/// This binary is its own worker.
#[global_allocator]
static ALLOCATOR: ProgramAllocator = ProgramAllocator;

/// What it is, the program, and how often it runs.
const PROGRAMS: &[(&str, &str, usize)] = &[
    ("return 1", "return 1", 200),
    ("100 calls, one after the other", "for i in range(100):\n    await tools.echo({'i': i})", 20),
    ("1,000 calls, one after the other", "for i in range(1000):\n    await tools.echo({'i': i})", 10),
    (
        "100 calls at once",
        "import asyncio\nreturn len(await asyncio.gather(*[tools.echo({'i': i}) for i in range(100)]))",
        20,
    ),
    (
        "1,000 calls at once",
        "import asyncio\nreturn len(await asyncio.gather(*[tools.echo({'i': i}) for i in range(1000)]))",
        10,
    ),
    (
        "100 coroutines of 10 calls",
        "import asyncio\nasync def f(n):\n    for i in range(10):\n        await tools.echo({'i': i})\nawait asyncio.gather(*[f(n) for n in range(100)])",
        10,
    ),
    ("a loop of 1,000,000", "s = 0\nfor i in range(1000000):\n    s += i\nreturn s", 5),
    ("a result of 1 MB", "return [{'i': i, 'text': 'x' * 350} for i in range(2700)]", 10),
];

fn main() {
    if std::env::args().nth(1).as_deref() == Some("sandbox-worker") {
        worker_main();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let started = Instant::now();
        let sandbox = WorkerPool::new(WorkerCommand::default(), 4).expect("a thread");
        one(&sandbox, Program::python("return 1")).await;
        show("cold return 1", &mut [started.elapsed()]);
        for (name, source, times) in PROGRAMS {
            measure(&sandbox, name, &Program::python(*source), *times).await;
        }
        measure(&sandbox, "return 1 in TypeScript", &Program::typescript("return 1"), 200).await;
    });
}

async fn measure(sandbox: &WorkerPool, name: &str, program: &Program, times: usize) {
    let mut took = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        one(sandbox, program.clone()).await;
        took.push(started.elapsed());
        // The next worker is started meanwhile.
        tokio::time::sleep(Duration::from_millis(15)).await;
    }
    show(name, &mut took);
}

async fn one(sandbox: &WorkerPool, program: Program) {
    let (sender, mut receiver) = mpsc::channel(64);
    let globals = Globals { names: vec!["echo".to_owned()] };
    let limits = Limits { output: 4 << 20, ..Limits::default() };
    let run = sandbox.run(program, globals, limits, sender, CancellationToken::new());
    tokio::pin!(run);
    loop {
        tokio::select! {
            Some(call) = receiver.recv() => call.reply.send(HostReply::Ok(call.arguments)),
            outcome = &mut run => {
                assert!(outcome.failure.is_none(), "{outcome:?}");
                return;
            }
        }
    }
}

fn show(name: &str, took: &mut [Duration]) {
    took.sort_unstable();
    let (Some(least), Some(median)) = (took.first(), took.get(took.len() / 2)) else { return };
    println!("{name:<40} min {least:>10.2?}  median {median:>10.2?}");
}
