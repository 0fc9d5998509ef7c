//! What a program costs besides what it computes: cold and warm starts, and host calls, in both placements.
//!
//! `cargo bench -p toolgate-sandbox --bench programs`. Prints the minimum and the median of each.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, or has nothing to say")]

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{
    Globals, HostReply, InProcess, Limits, Program, Sandbox, WorkerCommand, WorkerPool, worker_main,
};

const PROGRAMS: &[(&str, &str, usize)] = &[
    ("return 1", "return 1", 200),
    (
        "1,000 calls, one after the other",
        "let s = 0; for (let i = 0; i < 1000; i++) s += (await tools.echo({ i })).i; return s",
        10,
    ),
    (
        "1,000 calls at once",
        "return (await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.echo({ i })))).length",
        10,
    ),
    ("a loop of 1,000,000", "let s = 0; for (let i = 0; i < 1e6; i++) s += i; return s", 5),
    ("a result of 1 MB", "return Array.from({ length: 2700 }, (_, i) => ({ i, text: 'x'.repeat(350) }))", 5),
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
        let sandbox = InProcess::new();
        one(&sandbox, "return 1").await;
        show("in process: cold return 1", &mut [started.elapsed()]);
        measure("in process", &sandbox).await;

        let started = Instant::now();
        let sandbox = WorkerPool::new(WorkerCommand::default(), 4).expect("a thread");
        one(&sandbox, "return 1").await;
        show("worker: cold return 1", &mut [started.elapsed()]);
        measure("worker", &sandbox).await;
    });
}

async fn measure(placement: &str, sandbox: &impl Sandbox) {
    for (name, source, times) in PROGRAMS {
        let mut took = Vec::new();
        for _ in 0..*times {
            let started = Instant::now();
            one(sandbox, source).await;
            took.push(started.elapsed());
            // The next worker is started meanwhile.
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
        show(&format!("{placement}: {name}"), &mut took);
    }
    for together in [8, 100] {
        let started = Instant::now();
        let runs = (0..together).map(|_| one(sandbox, "return (await tools.echo({ i: 1 })).i"));
        futures_join(runs).await;
        show(&format!("{placement}: {together} programs at once"), &mut [started.elapsed()]);
    }
}

/// Runs futures together, on this task.
async fn futures_join<F: Future<Output = ()>>(futures: impl Iterator<Item = F>) {
    let mut open: Vec<_> = futures.map(|future| Some(Box::pin(future))).collect();
    std::future::poll_fn(|context| {
        for slot in &mut open {
            if slot.as_mut().is_some_and(|future| future.as_mut().poll(context).is_ready()) {
                *slot = None;
            }
        }
        if open.iter().all(Option::is_none) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

async fn one(sandbox: &impl Sandbox, source: &str) {
    let (sender, mut receiver) = mpsc::channel(64);
    let globals = Globals { names: vec!["echo".to_owned()] };
    let limits = Limits { output: 4 << 20, ..Limits::in_process() };
    let run = sandbox.run(Program::typescript(source), globals, limits, sender, CancellationToken::new());
    tokio::pin!(run);
    loop {
        tokio::select! {
            Some(call) = receiver.recv() => call.reply.send(HostReply::Ok(call.arguments)),
            outcome = &mut run => {
                assert!(outcome.failure.is_none(), "{source}: {outcome:?}");
                return;
            }
        }
    }
}

fn show(name: &str, took: &mut [Duration]) {
    took.sort_unstable();
    let (Some(least), Some(median)) = (took.first(), took.get(took.len() / 2)) else { return };
    println!("{name:<45} min {least:>10.2?}  median {median:>10.2?}");
}
