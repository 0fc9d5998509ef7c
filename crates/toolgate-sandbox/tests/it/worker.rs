//! Workers that die, fall silent or lie, and what is left of them.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{
    FailureKind, Globals, HostReply, Limits, Outcome, Program, Sandbox, WorkerCommand, WorkerPool,
};
use toolgate_schema::JsonValue;

use crate::attacks::soonest_end;
use crate::host::{Seen, pool, run_in, run_program, tagged_pool, tight};

/// A pool whose workers are a shell script.
fn script(text: &str) -> WorkerPool {
    let command = WorkerCommand { program: "/bin/sh".into(), arguments: vec!["-c".into(), text.into()] };
    WorkerPool::new(command, 1).expect("a thread")
}

/// A frame as a shell prints it.
fn frame(head: &str, payload: &str) -> String {
    let length = head.len() + 1 + payload.len();
    let bytes: String = (length as u32).to_le_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '{bytes}'; printf '%s\\n%s' '{head}' '{payload}'; ")
}

const READY: &str = r#""Ready""#;

pub(crate) fn kind(outcome: &Outcome) -> Option<FailureKind> {
    outcome.failure.as_ref().map(|failure| failure.kind)
}

#[tokio::test]
async fn a_worker_that_lies_is_a_crash() {
    let call = |number: u64, name: &str| format!(r#"{{"Call":{{"number":{number},"name":"{name}"}}}}"#);
    let ready = frame(READY, "");
    for (what, text) in [
        ("nothing", String::new()),
        ("not ready", "sleep 0.05; exit 3".to_owned()),
        ("garbage at once", "printf 'garbage garbage garbage'; sleep 5".to_owned()),
        ("garbage later", format!("{ready} printf 'garbage garbage garbage'; sleep 5")),
        ("a frame without end", format!("{ready} printf '\\377\\377\\377\\177'; sleep 5")),
        ("no head", format!("{ready} {}", frame("nonsense", ""))),
        ("ready twice", format!("{ready} {ready} sleep 5")),
        ("a call without arguments", format!("{ready} {} sleep 5", frame(&call(1, "echo"), ""))),
        ("a number that is not the next", format!("{ready} {} sleep 5", frame(&call(2, "echo"), "{}"))),
        ("a name that is not there", format!("{ready} {} sleep 5", frame(&call(1, "rm"), "{}"))),
        ("arguments that are not JSON", format!("{ready} {} sleep 5", frame(&call(1, "echo"), "{1}"))),
        (
            "a failure of no kind",
            format!(
                "{ready} {} sleep 5",
                frame(
                    r#"{"Done":{"lines":0,"bytes":0,"failure":{"kind":"x","message":"","line":null,"column":null},"unawaited":[]}}"#,
                    ""
                )
            ),
        ),
        ("it dies", format!("{ready} exit 0")),
    ] {
        let started = Instant::now();
        let seen = run_in(&script(&text), "return 1", tight()).await;
        assert_eq!(kind(&seen.outcome), Some(FailureKind::Crash), "{what}: {:?}", seen.outcome);
        assert!(seen.calls.is_empty(), "{what}");
        assert!(started.elapsed() < Duration::from_secs(4), "{what}");
    }
    let missing = WorkerCommand { program: "/nowhere/at/all".into(), arguments: Vec::new() };
    let seen = run_in(&WorkerPool::new(missing, 1).unwrap(), "return 1", tight()).await;
    assert_eq!(kind(&seen.outcome), Some(FailureKind::Crash));
}

#[tokio::test]
async fn a_worker_that_falls_silent_is_a_crash_with_what_it_had_said() {
    let text = format!("{} {} sleep 60", frame(READY, ""), frame(r#"{"Log":{"line":"before"}}"#, ""));
    let limits = Limits { wall: Duration::from_millis(200), ..tight() };
    let seen = run_in(&script(&text), "return 1", limits).await;
    assert_eq!(kind(&seen.outcome), Some(FailureKind::Crash), "{:?}", seen.outcome);
    assert_eq!(seen.outcome.logs, ["before"]);
}

#[tokio::test]
async fn a_worker_that_says_the_right_things_is_believed() {
    let done = r#"{"Done":{"lines":0,"bytes":0,"failure":null,"unawaited":[7]}}"#;
    let text = format!("{} {} sleep 60", frame(READY, ""), frame(done, "[1]"));
    let seen = run_in(&script(&text), "return 1", tight()).await;
    assert_eq!(seen.text(), "[1]");
    assert!(seen.outcome.unawaited.is_empty(), "calls that were never made are not believed");
}

#[tokio::test]
async fn a_worker_that_sends_more_than_a_program_may_hold_is_a_crash() {
    let list = r#"p="[$(yes 0, | head -n 100000 | tr -d '\n')0]"; "#;
    let length = 2 + 2 * 100_000 + 1;
    let calls: String = (1..=6)
        .map(|number| {
            let head = format!(r#"{{"Call":{{"number":{number},"name":"never"}}}}"#);
            let length = (head.len() + 1 + length) as u32;
            let bytes: String = length.to_le_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
            format!(r#"printf '{bytes}'; printf '%s\n%s' '{head}' "$p"; "#)
        })
        .collect();
    let text = format!("{list} {} {calls} sleep 60", frame(READY, ""));
    let seen = run_in(&script(&text), "return 1", tight()).await;
    assert_eq!(seen.text(), "crash: the worker of the program said what it must not say");
    assert!(seen.calls.len() < 6, "half of the program's memory holds five of them");
}

/// A program that makes calls and then computes reads no answers, which would all wait in this process.
#[tokio::test]
async fn a_program_that_reads_no_answers_is_given_no_more() {
    let source = "for (let i = 0; i < 1000; i++) tools.echo({}).catch(() => 0)\nfor (;;) {}";
    let (in_process, pool) = (toolgate_sandbox::InProcess::new(), pool());
    let limits = Limits { cpu: Duration::from_secs(2), ..tight() };
    for calls in [answered(&in_process, source, limits.clone()).await, answered(&pool, source, limits).await]
    {
        assert!((10..200).contains(&calls), "{calls} calls were handed over");
    }
}

/// Answers each call with 200 kB, and gives how many there were.
async fn answered(sandbox: &impl Sandbox, source: &str, limits: Limits) -> usize {
    let (sender, mut receiver) = mpsc::channel(8);
    let globals = Globals { names: vec!["echo".to_owned()] };
    let run = sandbox.run(Program::typescript(source), globals, limits, sender, CancellationToken::new());
    tokio::pin!(run);
    let mut calls = 0;
    let outcome = loop {
        tokio::select! {
            Some(call) = receiver.recv() => {
                calls += 1;
                call.reply.send(HostReply::Ok(JsonValue::from("x".repeat(200_000).as_str())));
            }
            outcome = &mut run => break outcome,
        }
    };
    assert_eq!(kind(&outcome), Some(FailureKind::Timeout), "{outcome:?}");
    calls
}

/// Processes below this one that are workers of this word.
pub(crate) fn workers(word: &str) -> Vec<u32> {
    let own = std::process::id();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((name, rest)) = stat.rsplit_once(')') else { continue };
        let parent = rest.split_whitespace().nth(1).and_then(|parent| parent.parse::<u32>().ok());
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&arguments);
        if parent == Some(own)
            && name.contains("sandbox_worker")
            && arguments.split('\0').any(|one| one == word)
        {
            found.push(id);
        }
    }
    found
}

/// Runs a program and gives the process that runs it, found by its first call.
async fn with_process(
    (pool, word): (&WorkerPool, &str),
    source: &str,
    limits: Limits,
    then: impl AsyncFnOnce(u32, &CancellationToken),
) -> (Outcome, Vec<String>) {
    let (sender, mut receiver) = mpsc::channel(8);
    let cancel = CancellationToken::new();
    let globals = Globals { names: vec!["mark".to_owned(), "echo".to_owned()] };
    let run = pool.run(Program::typescript(source), globals, limits, sender, cancel.clone());
    tokio::pin!(run);
    let mut then = Some(then);
    let mut calls = Vec::new();
    let outcome = loop {
        tokio::select! {
            Some(call) = receiver.recv() => {
                calls.push(call.name.clone());
                if call.name == "mark" {
                    call.reply.send(HostReply::Ok(JsonValue::null()));
                    if let Some(then) = then.take() {
                        for id in workers(word) {
                            // The one that has its limits is the one that runs.
                            let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap_or_default();
                            let cpu = limits.lines().find(|line| line.starts_with("Max cpu time")).unwrap_or("unlimited");
                            if !cpu.contains("unlimited") {
                                then(id, &cancel).await;
                                break;
                            }
                        }
                    }
                } else {
                    call.reply.send(HostReply::Ok(call.arguments));
                }
            }
            outcome = &mut run => break outcome,
        }
    };
    (outcome, calls)
}

fn signal(id: u32, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_raw(id as i32).expect("a process");
    rustix::process::kill_process(id, signal).expect("it lives");
}

#[tokio::test]
async fn a_worker_that_is_killed_or_stopped_is_a_crash_that_keeps_what_was_done() {
    let pool = tagged_pool("killed");
    let source =
        "console.log('one'); await tools.echo({}); console.log('two'); await tools.mark({}); for (;;) {}";
    let limits = Limits { cpu: Duration::from_secs(20), wall: Duration::from_secs(1), ..tight() };
    let (outcome, calls) = with_process((&pool, "killed"), source, limits.clone(), async |id, _: &_| {
        signal(id, rustix::process::Signal::KILL);
    })
    .await;
    assert_eq!(kind(&outcome), Some(FailureKind::Crash), "{outcome:?}");
    assert_eq!(outcome.logs, ["one", "two"]);
    assert_eq!(calls, ["echo", "mark"]);
    let (outcome, _) = with_process((&pool, "killed"), source, limits, async |id, _: &_| {
        signal(id, rustix::process::Signal::STOP);
    })
    .await;
    assert_eq!(kind(&outcome), Some(FailureKind::Crash), "{outcome:?}");
    assert_eq!(outcome.logs, ["one", "two"]);
    assert_eq!(run_in(&pool, "return 1", tight()).await.text(), "1");
}

#[tokio::test]
async fn a_ready_worker_has_three_pipes_and_no_powers() {
    let pool = tagged_pool("powers");
    let (outcome, _) =
        with_process((&pool, "powers"), "await tools.mark({}); return 1", tight(), async |id, _: &_| {
            let proc = std::path::PathBuf::from(format!("/proc/{id}"));
            let open: Vec<_> =
                std::fs::read_dir(proc.join("fd")).unwrap().flatten().map(|fd| fd.file_name()).collect();
            assert_eq!(open.len(), 3, "{open:?}");
            assert_eq!(std::fs::read_link(proc.join("cwd")).unwrap().to_str(), Some("/"));
            assert!(std::fs::read(proc.join("environ")).unwrap().is_empty());
            let status = std::fs::read_to_string(proc.join("status")).unwrap();
            let has =
                |line: &str| status.lines().any(|found| found.split_whitespace().eq(line.split_whitespace()));
            assert!(has("Seccomp: 2"), "{status}");
            assert!(has("NoNewPrivs: 1"), "{status}");
            for thread in std::fs::read_dir(proc.join("task")).unwrap().flatten() {
                let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
                assert!(status.contains("Seccomp:\t2"), "every thread is confined");
            }
            let limits = std::fs::read_to_string(proc.join("limits")).unwrap();
            for (name, most) in [("Max file size", "0"), ("Max open files", "3"), ("Max core file size", "0")]
            {
                let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
                assert_eq!(line.trim_start_matches(name).split_whitespace().next(), Some(most), "{line}");
            }
        })
        .await;
    assert_eq!(outcome.result, Some(JsonValue::from(1_i64)));
}

#[tokio::test]
async fn cancelling_ends_what_cannot_be_interrupted_as_well() {
    let pool = pool();
    let limits = Limits { cpu: Duration::from_secs(20), ..Limits::default() };
    for source in [
        "for (;;) {}",
        "const s = 'é'.repeat(1 << 20); for (;;) s.normalize('NFKD').replaceAll('x', 'y')",
        "const b = 3n ** 500000n; for (;;) b.toString()",
        "await tools.never({})",
        "await new Promise(r => setTimeout(r, 60000))",
    ] {
        let took = soonest_end(&pool, source, &limits).await;
        assert!(took < Duration::from_millis(100), "{source} went on for {took:?}");
    }
}

#[tokio::test]
async fn a_loop_that_cannot_be_interrupted_ends_at_the_wall_or_by_the_kernel() {
    let limits =
        Limits { wall: Duration::from_millis(400), cpu: Duration::from_secs(20), ..Limits::default() };
    let source = "const b = 3n ** 600000n; for (let i = 0; ; i++) b.toString()";
    let started = Instant::now();
    let seen = run_in(&pool(), source, limits).await;
    assert_eq!(kind(&seen.outcome), Some(FailureKind::Timeout), "{:?}", seen.outcome);
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_program_that_loops_does_not_hold_up_another() {
    let pool = pool();
    let other = pool.clone();
    let looping = tokio::spawn(async move { run_in(&other, "for (;;) {}", tight()).await });
    let started = Instant::now();
    assert_eq!(run_in(&pool, "return 1", tight()).await.text(), "1");
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(kind(&looping.await.unwrap().outcome), Some(FailureKind::Timeout));
}

/// Runs a program in a worker that is traced, and gives what the worker did when it was ready. Needs `strace`; where
/// there is none, the filter that the test above finds has to do.
pub(crate) async fn traced(program: Program) -> Option<(Seen, String)> {
    let strace = std::path::Path::new("/usr/bin/strace");
    if !strace.exists() {
        return None;
    }
    let name = format!("toolgate-worker-{}-{:?}.trace", std::process::id(), program.language);
    let trace = std::env::temp_dir().join(name);
    let command = WorkerCommand {
        program: strace.into(),
        arguments: vec![
            "-f".into(),
            "-o".into(),
            trace.clone().into(),
            env!("CARGO_BIN_EXE_sandbox_worker").into(),
        ],
    };
    let pool = WorkerPool::new(command, 0).expect("a thread");
    let limits = Limits { cpu: Duration::from_secs(10), ..tight() };
    let seen = run_program(&pool, program, limits, CancellationToken::new()).await;
    let text = std::fs::read_to_string(&trace).expect("a trace");
    let _ = std::fs::remove_file(&trace);
    let (_, ready) = text.split_once("Ready").expect("the worker was ready");
    Some((seen, ready.to_owned()))
}

pub(crate) fn assert_opens_nothing(ready: &str) {
    for call in ["open", "socket", "connect", "execve", "clone", "fork", "unlink", "EPERM"] {
        let found = ready.lines().find(|line| line.contains(call));
        assert_eq!(found, None, "{call}");
    }
    assert!(ready.contains("Done"), "the trace goes to the end");
}

#[tokio::test]
async fn a_ready_worker_opens_nothing() {
    let source = "const a = []; try { for (;;) a.push(new Array(1000).fill(1)) } catch {}
        const f = () => f() + 1; try { f() } catch {}
        await tools.echo({}); await new Promise(r => setTimeout(r, 5))
        return [new Date().getHours() < 24, Math.random() < 1, /a+b/.test('aab'), 'é'.normalize('NFD')]";
    let Some((seen, ready)) = traced(Program::typescript(source)).await else { return };
    assert!(seen.outcome.failure.is_none(), "{:?}", seen.outcome);
    assert_opens_nothing(&ready);
}

#[tokio::test]
async fn no_process_is_left() {
    let pool = tagged_pool("left");
    for source in ["return 1", "for (;;) {}", "throw 1"] {
        run_in(&pool, source, tight()).await;
    }
    let (sender, _receiver) = mpsc::channel(1);
    let run = pool.run(
        Program::typescript("for (;;) {}"),
        Globals::default(),
        Limits::default(),
        sender,
        CancellationToken::new(),
    );
    assert!(tokio::time::timeout(Duration::from_millis(100), run).await.is_err(), "it loops");
    drop(pool);
    let end = Instant::now() + Duration::from_secs(10);
    while !workers("left").is_empty() {
        assert!(Instant::now() < end, "{:?} are left", workers("left"));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
