//! K71: a process that is killed anywhere, and killed again while it recovers. What was acknowledged is there, every call
//! has one result that tells the truth about the world, and the session goes on.
//!
//! The child is this test binary: `crash::child` runs a turn and ends itself with SIGKILL at the n-th point of the
//! turn. There is a point before and after each append, before and after each effect, and in each stage of policy.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolgate::{
    CancellationToken, HookResult, Next, PostExecute, PostToolDecision, PreExecute, PreToolDecision,
    RunContext, Schema, Tool, ToolError, ToolExecution, ToolExecutionResult, ToolRuntime, stage,
};
use toolgate_agent::{Agent, Answer, Model, ModelError, ModelRequest, ScriptedModel};
use toolgate_session::{
    Backend, Durability, Entry, Event, Journal, JsonlBackend, Record, SessionId, Settlement, SqliteBackend,
    StoreError, TurnOutcome,
};

use crate::support::{asks, hello, says, script};
use crate::transcript::is_valid;

const AT: &str = "TOOLGATE_TEST_CRASH_AT";
const FOLDER: &str = "TOOLGATE_TEST_CRASH_FOLDER";
const BACKEND: &str = "TOOLGATE_TEST_CRASH_BACKEND";

/// Points that were passed.
static PASSED: AtomicU64 = AtomicU64::new(0);

/// Ends the process if this is its last point.
fn point() {
    let passed = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
    if std::env::var(AT).ok().and_then(|at| at.parse().ok()) == Some(passed) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        loop {
            std::thread::park();
        }
    }
}

fn append_line(path: &Path, line: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Passes points around each append, and notes what was acknowledged.
struct Watched {
    inner: Box<dyn Backend>,
    acknowledged: PathBuf,
}

struct WatchedJournal {
    inner: Box<dyn Journal>,
    acknowledged: PathBuf,
}

impl Backend for Watched {
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let inner = self.inner.create(id)?;
        Ok(Box::new(WatchedJournal { inner, acknowledged: self.acknowledged.clone() }))
    }

    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        let inner = self.inner.open(id)?;
        Ok(Box::new(WatchedJournal { inner, acknowledged: self.acknowledged.clone() }))
    }

    fn read(&self, id: SessionId, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.inner.read(id, from, most)
    }

    fn torn_tail(&self, id: SessionId) -> Result<Option<Range<u64>>, StoreError> {
        self.inner.torn_tail(id)
    }

    fn acknowledged(&self, id: SessionId) -> Result<u64, StoreError> {
        self.inner.acknowledged(id)
    }

    fn list(&self) -> Result<Vec<SessionId>, StoreError> {
        self.inner.list()
    }
}

impl Journal for WatchedJournal {
    fn last(&self) -> u64 {
        self.inner.last()
    }

    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        point();
        self.inner.append(lines)?;
        for line in lines {
            append_line(&self.acknowledged, std::str::from_utf8(line).unwrap());
        }
        point();
        Ok(())
    }
}

#[derive(serde::Deserialize, Schema)]
struct NoArguments {}

/// Notes its call in a file: an effect that can be counted. May overlap where it says so.
struct Note {
    name: &'static str,
    effects: PathBuf,
    may_overlap: bool,
}

impl Tool for Note {
    type Args = NoArguments;
    type Output = String;

    fn name(&self) -> Cow<'static, str> {
        self.name.into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Notes its call.".into()
    }

    fn is_concurrency_safe(&self, _args: &NoArguments) -> bool {
        self.may_overlap
    }

    async fn run(&self, _args: NoArguments, cx: RunContext) -> Result<String, ToolError> {
        point();
        tokio::task::yield_now().await;
        append_line(&self.effects, cx.call().call_id().as_str());
        point();
        Ok("noted".to_owned())
    }
}

struct Policy;

impl PreExecute for Policy {
    async fn pre_execute(
        &self,
        _call: &ToolExecution,
        next: Next<'_, stage::Pre>,
    ) -> HookResult<PreToolDecision> {
        point();
        next.run().await
    }
}

impl PostExecute for Policy {
    async fn post_execute(
        &self,
        _call: &ToolExecution,
        _result: &ToolExecutionResult,
        next: Next<'_, stage::Post>,
    ) -> HookResult<PostToolDecision> {
        point();
        next.run().await
    }
}

/// The script, with points around each answer.
struct Asked(ScriptedModel);

impl Model for Asked {
    fn name(&self) -> &str {
        "asked"
    }

    async fn answer(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        point();
        self.0.answer(request, answer).await?;
        point();
        Ok(())
    }
}

fn model() -> Asked {
    let calls = [("note", "{}"), ("overlap", "{}"), ("overlap", ""), ("note", "[1]"), ("note", "{}")];
    Asked(script(vec![asks(&calls), asks(&[("overlap", "{}")]), says("one"), says("two"), says("three")]))
}

fn backend(folder: &Path, kind: &str) -> Arc<dyn Backend> {
    let inner: Box<dyn Backend> = match kind {
        "jsonl" => Box::new(JsonlBackend::new(folder, Durability::Process).unwrap()),
        _ => Box::new(SqliteBackend::new(folder, Durability::Process).unwrap()),
    };
    Arc::new(Watched { inner, acknowledged: folder.join("acknowledged") })
}

async fn agent(folder: &Path, kind: &str) -> Agent {
    let effects = folder.join("effects");
    let note = |name, may_overlap| Note { name, effects: effects.clone(), may_overlap };
    let runtime = ToolRuntime::builder()
        .tool(note("note", false))
        .tool(note("overlap", true))
        .on_pre_execute(Policy)
        .on_post_execute(Policy)
        .build()
        .unwrap();
    let backend = backend(folder, kind);
    let builder = Agent::builder(runtime.scope("agent"), model());
    match backend.list().unwrap().first() {
        Some(id) => builder.resume(Arc::clone(&backend), *id).await.unwrap(),
        None => builder.start(backend, SessionId::generate()).await.unwrap(),
    }
}

/// The child. Does nothing unless a parent has started it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let (Ok(folder), Ok(kind)) = (std::env::var(FOLDER), std::env::var(BACKEND)) else { return };
    let mut agent = agent(Path::new(&folder), &kind).await;
    agent.turn(hello(), CancellationToken::new()).await.unwrap();
    agent.close().await;
}

/// Runs a child that ends at a point; whether it was killed.
fn killed(folder: &Path, kind: &str, at: u64) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::child", "--test-threads=1"]).env(AT, at.to_string());
    let output = command.env(FOLDER, folder).env(BACKEND, kind).output().unwrap();
    let signal = output.status.signal();
    assert!(output.status.success() || signal == Some(9), "{}", String::from_utf8_lossy(&output.stdout));
    signal.is_some()
}

fn events(folder: &Path, kind: &str) -> Vec<Event> {
    let backend = backend(folder, kind);
    let Some(id) = backend.list().unwrap().first().copied() else { return Vec::new() };
    let entries = backend.read(id, 1, 10_000).unwrap();
    // Nothing that was acknowledged is lost. What was kept may never have been acknowledged, when a kill came between.
    let acknowledged = fs::read_to_string(folder.join("acknowledged")).unwrap_or_default();
    for line in acknowledged.lines() {
        let seq = Record::from_line(line.as_bytes()).unwrap().seq;
        let kept = entries.get(usize::try_from(seq).unwrap() - 1);
        let Some(Entry::Record(record)) = kept else { panic!("{kind}: {line} became {kept:?}") };
        assert_eq!(String::from_utf8(record.to_line()).unwrap(), line, "{kind}");
    }
    let records = entries.into_iter().map(|entry| match entry {
        Entry::Record(record) => record.event,
        Entry::Damaged(damage) => panic!("{kind}: {damage:?}"),
    });
    records.collect()
}

/// What each result says of the world is so.
fn tells_the_truth(events: &[Event], effects: &str) -> usize {
    let mut settled = 0;
    for event in events {
        let Event::ToolResult(result) = event else { continue };
        let done = effects.lines().filter(|line| *line == result.call_id.as_str()).count();
        match (&result.settlement, &result.error) {
            (Some(Settlement::NotStarted), _) => assert_eq!(done, 0, "{result:?}"),
            (Some(Settlement::Done), _) | (None, None) => assert_eq!(done, 1, "{result:?}"),
            (Some(Settlement::Unknown), _) => assert!(done <= 1, "{result:?}"),
            (None, Some(_)) => assert_eq!(done, 0, "{result:?}"),
        }
        settled += usize::from(result.settlement.is_some());
    }
    settled
}

/// Kills a child at a point, kills a second one while it recovers, and goes on. False once the turn ends first.
async fn survives(kind: &str, at: u64, kills: &AtomicU64) -> bool {
    let folder = tempfile::TempDir::new().unwrap();
    if !killed(folder.path(), kind, at) {
        return false;
    }
    kills.fetch_add(1, Ordering::SeqCst);
    // The second child may come to its end, where there is little to recover.
    if killed(folder.path(), kind, 1 + at % 7) {
        kills.fetch_add(1, Ordering::SeqCst);
    }
    events(folder.path(), kind);
    let mut agent = agent(folder.path(), kind).await;
    let report = agent.turn(hello(), CancellationToken::new()).await.unwrap();
    assert_eq!(report.outcome, TurnOutcome::Completed, "{kind} {at}: {report:?}");
    agent.close().await;
    let events = events(folder.path(), kind);
    is_valid(&events);
    tells_the_truth(&events, &fs::read_to_string(folder.path().join("effects")).unwrap_or_default());
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_session_is_whole_wherever_it_was_killed() {
    let kills = Arc::new(AtomicU64::new(0));
    let runs = ["jsonl", "sqlite"].map(|kind| {
        let kills = Arc::clone(&kills);
        tokio::spawn(async move {
            let mut at = 1;
            while survives(kind, at, &kills).await {
                at += 1;
            }
            at
        })
    });
    for run in runs {
        let points = run.await.unwrap();
        assert!(points > 50, "the turn has only {points} points");
    }
    let kills = kills.load(Ordering::SeqCst);
    assert!(kills > 200, "only {kills} processes were killed");
}
