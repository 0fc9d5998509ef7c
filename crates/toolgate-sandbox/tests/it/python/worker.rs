//! The worker of a program: it can be ended at any time, and it opens nothing.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{FailureKind, Limits, Program};

use super::run_in;
use crate::host::{pool, run_program, tagged_pool, tight};
use crate::worker::{kind, workers};

/// Loops that the interpreter does not look up from, and waits.
const ENDLESS: &[&str] = &[
    "while True:\n    pass",
    "a = 7 ** 1000000\nwhile True:\n    a * a",
    "s = 'ab' * 10 ** 7\nwhile True:\n    s.count('ba')",
    "a = pow(3, 10 ** 6000, 10 ** 6000 + 1)",
    "await tools.never({})",
    "import asyncio\nawait asyncio.sleep(60)",
];

#[tokio::test]
async fn cancelling_ends_loops_of_the_interpreter_itself_as_well() {
    let pool = pool();
    let mut slowest = Duration::ZERO;
    for source in ENDLESS {
        let cancel = CancellationToken::new();
        let asked = cancel.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(150)).await;
            asked.cancel();
            Instant::now()
        });
        let limits = Limits { cpu: Duration::from_secs(20), ..Limits::default() };
        let seen = run_program(&pool, Program::python(*source), limits, cancel).await;
        let took = task.await.expect("it runs to its end").elapsed();
        assert_eq!(kind(&seen.outcome), Some(FailureKind::Abort), "{source}");
        slowest = slowest.max(took);
    }
    // It takes some milliseconds; a busy machine may make more of them.
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}

#[tokio::test]
async fn a_loop_of_the_interpreter_itself_ends_at_the_wall() {
    let limits =
        Limits { wall: Duration::from_millis(400), cpu: Duration::from_secs(20), ..Limits::default() };
    let seen = run_in(&pool(), "a = 7 ** 3000000\nwhile True:\n    a * a", limits).await;
    assert_eq!(kind(&seen.outcome), Some(FailureKind::Timeout), "{:?}", seen.outcome);
}

/// Rule C9: what the interpreter does not count itself, the allocator ends with the process.
#[tokio::test]
async fn the_hard_limit_of_memory_ends_the_process_and_keeps_what_was_done() {
    let source = "print('one')\nawait tools.echo({})\na = []\nfor i in range(60):\n    a = [a, a]\nreturn a";
    let seen = run_in(&pool(), source, tight()).await;
    assert_eq!(seen.text(), "memory: the program used up its memory");
    assert_eq!(seen.outcome.logs, ["one"]);
    assert_eq!(seen.calls, ["echo({})"]);
}

#[tokio::test]
async fn the_memory_limit_is_the_one_that_was_given() {
    let source = "a = []\nfor i in range(200):\n    a.append('x' * 100_000 + str(i))\nreturn len(a)";
    let small = Limits { memory: 10 << 20, ..tight() };
    let pool = pool();
    assert_eq!(kind(&run_in(&pool, source, small).await.outcome), Some(FailureKind::Memory));
    assert_eq!(run_in(&pool, source, Limits { memory: 64 << 20, ..tight() }).await.text(), "200");
}

#[tokio::test]
async fn no_process_is_left() {
    let pool = tagged_pool("left-python");
    for source in ["return 1", "while True:\n    pass", "1 / 0", "x = [0] * 10 ** 12"] {
        run_in(&pool, source, tight()).await;
    }
    drop(pool);
    let end = Instant::now() + Duration::from_secs(10);
    while !workers("left-python").is_empty() {
        assert!(Instant::now() < end, "{:?} are left", workers("left-python"));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Needs `strace`; where there is none, the filter that another test finds has to do.
#[tokio::test]
async fn a_ready_worker_opens_nothing() {
    let source = "import re, json, math, os, sys
from datetime import datetime, date
from pathlib import Path
def f():
    return f() + 1
for attempt in [f, lambda: open('/etc/passwd'), lambda: Path('/').exists(), lambda: os.getenv('HOME')]:
    try:
        attempt()
    except Exception as e:
        print(e)
await tools.echo({})
return [datetime.now().year > 1, date.today().year > 1, re.findall('a+', 'aab'), json.dumps([1]), math.sin(1) < 1]";
    let Some((seen, ready)) = crate::worker::traced(Program::python(source)).await else { return };
    assert!(seen.outcome.failure.is_none(), "{:?}", seen.outcome);
    assert_eq!(seen.outcome.logs.len(), 4);
    crate::worker::assert_opens_nothing(&ready);
}
