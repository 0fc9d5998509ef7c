//! Code Mode as a whole, in worker processes of this binary: runs that are cancelled or whose worker dies, and what is
//! left of them.

#![expect(clippy::expect_used, reason = "a helper that fails fails its test")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{ToolDefinition, ToolExecutionResult};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_sandbox::{Language, Limits, WorkerCommand, WorkerPool};

/// What one test starts at one time; processes are told apart by their parent, which is this process.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// How long anything may take on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many bodies run, and how many have ever begun.
#[derive(Clone, Default)]
struct Bodies {
    running: Arc<AtomicUsize>,
    begun: Arc<AtomicUsize>,
}

impl Bodies {
    fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }
}

fn tool(name: &str) -> toolgate::tool::RawToolBuilder {
    ToolDefinition::raw(name, "a tool of a test").output_schema(json!({})).concurrency_safe_when(|_| true)
}

fn pool() -> WorkerPool {
    let command = WorkerCommand {
        program: env!("CARGO_BIN_EXE_toolgate").into(),
        arguments: vec!["sandbox-worker".into()],
    };
    WorkerPool::new(command, 1).expect("a thread")
}

/// A runtime whose programs run in workers: `hang` ends when it is cancelled and takes a moment for that, `fail`
/// fails, `echo` gives back, `kill` kills the workers.
fn runtime(bodies: &Bodies) -> ToolRuntime {
    let counted = bodies.clone();
    let hang = tool("hang").body(move |_, cx: RunContext| {
        let bodies = counted.clone();
        async move {
            bodies.begun.fetch_add(1, Ordering::SeqCst);
            bodies.running.fetch_add(1, Ordering::SeqCst);
            cx.cancellation().cancelled().await;
            tokio::time::sleep(Duration::from_millis(5)).await;
            bodies.running.fetch_sub(1, Ordering::SeqCst);
            Err::<JsonValue, _>(ToolError::aborted())
        }
    });
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Code)
        .code_transport(CodeMode::new(pool(), CodeModeConfig::new(Language::TypeScript)))
        .build()
        .expect("valid");
    let counted = bodies.clone();
    let mark = tool("mark").body(move |_, _| {
        counted.begun.fetch_add(1, Ordering::SeqCst);
        async { Ok(json!(null)) }
    });
    let kill = tool("kill").body(|_, _| async {
        for id in workers(true) {
            let killed = std::process::Command::new("kill").args(["-KILL", &id.to_string()]).status();
            assert!(killed.expect("kill").success());
        }
        // The answer comes when nobody is there to take it.
        until("the worker is gone", || workers(true).is_empty()).await;
        Ok(json!(null))
    });
    let fail = tool("fail").body(|_, _| async { Err::<JsonValue, _>(ToolError::new("it failed")) });
    let echo = tool("echo").body(|args, _| async move { Ok(args) });
    for tool in [hang, mark, kill, fail, echo] {
        runtime.register(tool).expect("valid");
    }
    runtime
}

/// The workers of this process; only those that have a program, if so asked.
fn workers(only_busy: bool) -> Vec<u32> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        let mut fields = rest.split_whitespace();
        let (state, parent) = (fields.next(), fields.next());
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_worker = parent == Some(&own)
            && state != Some("Z")
            && String::from_utf8_lossy(&arguments).split('\0').any(|one| one == "sandbox-worker");
        if is_worker && (!only_busy || has_program(&entry.path())) {
            found.push(id);
        }
    }
    found
}

/// A worker limits its processor time when it gets its program.
fn has_program(process: &Path) -> bool {
    let limits = std::fs::read_to_string(process.join("limits")).unwrap_or_default();
    limits.lines().any(|line| line.starts_with("Max cpu time") && !line.contains("unlimited"))
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn program(code: &str, cancel: &CancellationToken) -> ToolCall {
    ToolCall::new("run_code", json!({ "code": code, "description": "a test" }), cancel.clone()).with_id("p")
}

async fn run(runtime: &ToolRuntime, code: &str) -> ToolExecutionResult {
    let call = runtime.scope("agent").execute(program(code, &CancellationToken::new()));
    tokio::time::timeout(PATIENCE, call).await.expect(code)
}

/// Programs that would go on for long, and how many bodies have begun when they do.
const LONG: &[(&str, usize)] = &[
    ("await tools.mark({}); for (;;) {}", 1),
    ("await tools.mark({}); const b = 3n ** 500000n; for (;;) b.toString()", 1),
    ("await tools.mark({}); const s = 'é'.repeat(1 << 20); for (;;) s.normalize('NFKD')", 1),
    ("await tools.mark({}); await new Promise(r => setTimeout(r, 60000))", 1),
    ("await tools.hang({})", 1),
    ("await Promise.all(Array.from({ length: 50 }, () => tools.hang({})))", 10),
    ("tools.hang({}).catch(() => {}); for (;;) {}", 1),
    ("for (;;) await tools.mark({})", 100),
    ("for (;;) { try { await tools.hang({}) } catch {} }", 1),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_run_stops_its_worker_and_returns_when_all_is_at_rest() {
    let _alone = ALONE.lock().await;
    let mut slowest = Duration::ZERO;
    for (code, begun) in LONG {
        let bodies = Bodies::default();
        let runtime = runtime(&bodies);
        let cancel = CancellationToken::new();
        let running = tokio::spawn(runtime.scope("agent").execute(program(code, &cancel)));
        until(code, || bodies.begun() >= *begun).await;
        let asked = Instant::now();
        cancel.cancel();
        let result = tokio::time::timeout(PATIENCE, running).await.expect(code).expect("no panic");
        slowest = slowest.max(asked.elapsed());
        assert_eq!(bodies.running(), 0, "C6: {code} returned before its calls were at rest");
        assert!(workers(true).is_empty(), "C6: {code} returned before its worker was gone");
        assert!(result.text().contains("(abort)"), "{code}: {}", result.text());
        let begun = bodies.begun();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(bodies.begun(), begun, "{code}: something began after the end");
    }
    println!("the slowest stop took {slowest:?}");
    // 100 ms where the machine is not busy with other tests.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_at_any_moment_leaves_nothing() {
    let _alone = ALONE.lock().await;
    let bodies = Bodies::default();
    let runtime = runtime(&bodies);
    let code =
        "await Promise.all([tools.echo({}), tools.fail({}).catch(() => {}), tools.hang({}).catch(() => {})]);
                for (let i = 0; i < 1e6; i++) await tools.echo({ i })";
    for microseconds in [0, 50, 200, 500, 1_000, 2_000, 3_000, 4_000, 6_000, 10_000, 20_000, 40_000] {
        let cancel = CancellationToken::new();
        let running = tokio::spawn(runtime.scope("agent").execute(program(code, &cancel)));
        tokio::time::sleep(Duration::from_micros(microseconds)).await;
        cancel.cancel();
        let result = tokio::time::timeout(PATIENCE, running).await.expect("C6").expect("no panic");
        assert!(result.is_error(), "after {microseconds} µs: {}", result.text());
        assert_eq!(bodies.running(), 0, "C6: after {microseconds} µs");
        assert!(workers(true).is_empty(), "after {microseconds} µs");
    }
    // Dropping the call of a program is no way to keep it.
    let dropped = tokio::time::timeout(Duration::from_millis(50), run(&runtime, "for (;;) {}")).await;
    assert!(dropped.is_err());
    until("the dropped program's worker is gone", || workers(true).is_empty()).await;
    let result = run(&runtime, "return (await tools.echo({ a: 1 })).a").await;
    assert_eq!(result.value().expect("a success")["result"], json!(1), "the next program runs");
    drop(runtime);
    until("no process is left", || workers(false).is_empty()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_dies_among_calls_is_told_with_what_was_done() {
    let _alone = ALONE.lock().await;
    let bodies = Bodies::default();
    let runtime = runtime(&bodies);
    let code = "console.log('before'); await tools.echo({}); await tools.fail({}).catch(() => {});
                tools.hang({}).catch(() => {}); await tools.kill({}); console.log('never printed')";
    let result = run(&runtime, code).await;
    let text = result.text();
    assert_eq!(result.code(), Some("CODE_RUN_FAILED"), "K74: {text}");
    assert!(text.contains("(crash)") && !text.contains("never printed"), "K74: {text}");
    for line in
        ["p:code:1 echo: succeeded", "p:code:2 fail: failed: it failed", "p:code:3 hang: failed", "before"]
    {
        assert!(text.contains(line), "K74: {line}: {text}");
    }
    assert_eq!(bodies.running(), 0, "C6");
    let again = run(&runtime, "return 1").await;
    assert!(!again.is_error(), "{}", again.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_at_the_edge_of_what_they_may() {
    let _alone = ALONE.lock().await;
    let runtime = runtime(&Bodies::default());
    // Program, and the beginning of its result or what its failure holds.
    for (code, expected) in [
        // Arguments of megabytes there and back; those in flight may take half of the program's memory.
        ("const s = 'x'.repeat(8e6); return (await tools.echo({ s })).s.length", "8000000"),
        ("const s = 'é\\u0000\"'.repeat(1e6); return (await tools.echo({ s })).s === s", "true"),
        (
            "return await tools.echo({ s: 'x'.repeat(17e6) }).catch(e => e.message.slice(0, 13))",
            "\"the arguments",
        ),
        (
            "const a = 'x'.repeat(12e6); return (await Promise.all([1, 2, 3, 4].map(() => tools.echo({ a })))).length",
            "(limit)",
        ),
        // The result's last byte: two quotes, and one byte for the line.
        ("return 'x'.repeat((1 << 20) - 2)", "\"xxx"),
        ("return 'x'.repeat((1 << 20) - 1)", "(output-limit)"),
        ("console.log('x'.repeat((1 << 20) - 1))", "absent"),
        ("console.log('x'.repeat(1 << 20))", "(output-limit)"),
        // Nobody awaits these.
        ("tools.fail({}); return 1", "1"),
        ("tools.fail({}).then(() => {}); await tools.echo({}); return 2", "2"),
        (
            "tools.fail({}).finally(() => { throw new Error('mine') }); await tools.echo({}); return 3",
            "Error: mine",
        ),
        // Calls after the end of the program are calls of nobody.
        ("setTimeout(() => tools.echo({}), 0); return 4", "4"),
        ("Promise.resolve().then(() => tools.echo({})).then(() => tools.echo({})); return 5", "5"),
        ("try { return 6 } finally { tools.echo({}) }", "6"),
        // What looks like a frame is a line of output.
        ("console.log('\\u0005\\u0000\\u0000\\u0000{\"Done\":{}}\\n{\"Ready\"'); return 7", "7"),
    ] {
        let result = run(&runtime, code).await;
        let shown = match result.value() {
            Some(value) => value.get("result").map_or("absent".to_owned(), ToString::to_string),
            None => result.text(),
        };
        let fits = if result.is_error() { shown.contains(expected) } else { shown.starts_with(expected) };
        let shown: String = shown.chars().take(300).collect();
        assert!(fits, "{code}: expected {expected}, got {shown}");
    }
}

/// What keeps time for a program that waits, and for one that computes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_of_the_host_ends_programs_in_workers_and_no_other_does() {
    let _alone = ALONE.lock().await;
    let runtime = |ends: bool| {
        let limits = Limits { wall: Duration::from_nanos(1), ..Limits::default() };
        let config = CodeModeConfig { limits, ..CodeModeConfig::new(Language::TypeScript) };
        let mode = CodeMode::new(pool(), config).with_clock(move |_, _| async move {
            let time = if ends { Duration::from_millis(300) } else { PATIENCE * 2 };
            tokio::time::sleep(time).await;
        });
        let builder = ToolRuntime::builder().presentation_mode(PresentationMode::Code);
        builder.code_transport(mode).build().expect("valid")
    };
    let result = run(&runtime(false), "await new Promise(r => setTimeout(r, 50)); return 1").await;
    assert_eq!(result.value().expect("a success")["result"], json!(1), "{}", result.text());
    for code in [
        "console.log('begun'); for (;;) {}",
        "console.log('begun'); await new Promise(r => setTimeout(r, 60000))",
    ] {
        let text = run(&runtime(true), code).await.text();
        assert!(text.contains("(timeout): the program ran for longer than 1ns"), "{code}: {text}");
        assert!(workers(true).is_empty(), "{code}");
    }
}
