//! K71: a process that is killed anywhere, and killed again while it recovers. What was acknowledged is there, every call
//! has one result that tells the truth about the world, and the session goes on with requests that a strict provider takes.
//!
//! The child is this test binary: `crash::child` runs a turn and ends itself with SIGKILL at the n-th point of the
//! turn. There is a point before and after each append, before and after each effect, in each stage of policy, and around
//! each question to a person. The turn has direct calls, a program with sub-calls, and a sub-agent.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
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
    PresentationMode, RunContext, Schema, Scope, Tool, ToolError, ToolExecution, ToolExecutionResult,
    ToolRuntime, stage,
};
use toolgate_agent::model::script::{Script, ScriptedConversation};
use toolgate_agent::model::{AnthropicModel, OpenAiModel, Protocol, Provider};
use toolgate_agent::{
    Agent, AgentBuilder, Answer, Model, ModelError, ModelRequest, ScriptedModel, SessionRoutes, Subagent,
    SubagentLimits,
};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_policy::person::{Answer as PersonsAnswer, Answerer, Question};
use toolgate_policy::{Approvals, People};
use toolgate_sandbox::{InProcess, Language};
use toolgate_session::{
    Backend, Durability, Entry, Event, Journal, JsonlBackend, Record, SessionId, Settlement, SqliteBackend,
    StoreError, ToolResultRecorded, TurnOutcome,
};

use toolgate_testing::ModelServer;
use toolgate_testing::provider_rules::{Dialect, check};

use crate::support::{asks, hello, says};
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
    folder: PathBuf,
}

struct WatchedJournal {
    inner: Box<dyn Journal>,
    acknowledged: PathBuf,
}

impl Watched {
    fn watch(&self, id: SessionId, inner: Box<dyn Journal>) -> Box<dyn Journal> {
        Box::new(WatchedJournal { inner, acknowledged: acknowledged(&self.folder, id) })
    }
}

/// Where it is noted what was acknowledged of a session.
fn acknowledged(folder: &Path, id: SessionId) -> PathBuf {
    folder.join(format!("acknowledged-{id}"))
}

impl Backend for Watched {
    fn create(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        Ok(self.watch(id, self.inner.create(id)?))
    }

    fn open(&self, id: SessionId) -> Result<Box<dyn Journal>, StoreError> {
        Ok(self.watch(id, self.inner.open(id)?))
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
        call: &ToolExecution,
        next: Next<'_, stage::Pre>,
    ) -> HookResult<PreToolDecision> {
        point();
        if call.name() == "note" {
            return Ok(PreToolDecision::Ask { reason: Some("it is noted".to_owned()) });
        }
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

/// A person who allows everything that is asked.
struct Person;

impl Answerer for Person {
    fn name(&self) -> &str {
        "person"
    }

    async fn answer(&self, _question: &Question) -> HookResult<Option<PersonsAnswer>> {
        point();
        tokio::task::yield_now().await;
        Ok(Some(PersonsAnswer::Allow { remember: None }))
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

fn the_script() -> Script {
    let calls = [("note", "{}"), ("overlap", "{}"), ("overlap", ""), ("note", "[1]")];
    let program = "await tools.note({}); \
        return (await Promise.all([tools.overlap({}), tools.overlap({})])).length;";
    let program = serde_json::json!({ "code": program, "description": "notes" }).to_string();
    let below = ScriptedConversation {
        task: "go below".to_owned(),
        answers: vec![asks(&[("note", "{}")]), says("below")],
    };
    Script {
        answers: vec![
            asks(&calls),
            asks(&[("run_code", &program), ("overlap", "{}")]),
            asks(&[("subagent", r#"{"task":"go below"}"#)]),
            says("one"),
            says("two"),
            says("three"),
        ],
        conversations: vec![below],
    }
}

fn backend(folder: &Path, kind: &str) -> Arc<dyn Backend> {
    let inner: Box<dyn Backend> = match kind {
        "jsonl" => Box::new(JsonlBackend::new(folder, Durability::Process).unwrap()),
        _ => Box::new(SqliteBackend::new(folder, Durability::Process).unwrap()),
    };
    Arc::new(Watched { inner, folder: folder.to_owned() })
}

/// The session of the agent that was begun first.
fn first_session(backend: &dyn Backend) -> Option<SessionId> {
    backend.list().unwrap().first().copied()
}

/// The agent, begun or resumed.
async fn agent(folder: &Path, kind: &str, model: impl FnOnce(Scope) -> AgentBuilder) -> Agent {
    let effects = folder.join("effects");
    let note = |name, may_overlap| Note { name, effects: effects.clone(), may_overlap };
    let (routes, people) = (SessionRoutes::new(), People::new());
    people.join(Person);
    let code = CodeMode::new(InProcess::default(), CodeModeConfig::new(Language::TypeScript));
    let runtime = ToolRuntime::builder()
        .tool(note("note", false))
        .tool(note("overlap", true))
        .tool(Subagent::new(routes.clone(), SubagentLimits::default()))
        .code_transport(code.with_sink(routes.clone()))
        .presentation_mode(PresentationMode::Both)
        .approver(Approvals::new(people).with_log(routes.clone()))
        .on_pre_execute(Policy)
        .on_post_execute(Policy)
        .build()
        .unwrap();
    let backend = backend(folder, kind);
    let builder = model(runtime.scope("agent")).routes(routes);
    match first_session(&*backend) {
        Some(id) => builder.resume(Arc::clone(&backend), id).await.unwrap(),
        None => builder.start(backend, SessionId::generate()).await.unwrap(),
    }
}

/// The child. Does nothing unless a parent has started it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let (Ok(folder), Ok(kind)) = (std::env::var(FOLDER), std::env::var(BACKEND)) else { return };
    let model = |scope| Agent::builder(scope, Asked(ScriptedModel::new(the_script())));
    let mut agent = agent(Path::new(&folder), &kind, model).await;
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

/// The events of every session, of which nothing that was acknowledged may be lost.
fn sessions(folder: &Path, kind: &str) -> Vec<Vec<Event>> {
    let backend = backend(folder, kind);
    let ids = backend.list().unwrap();
    ids.into_iter().map(|id| events(&*backend, folder, id)).collect()
}

fn events(backend: &dyn Backend, folder: &Path, id: SessionId) -> Vec<Event> {
    let entries = backend.read(id, 1, 10_000).unwrap();
    // What was kept may never have been acknowledged, when a kill came between.
    for line in fs::read_to_string(acknowledged(folder, id)).unwrap_or_default().lines() {
        let seq = Record::from_line(line.as_bytes()).unwrap().seq;
        let kept = entries.get(usize::try_from(seq).unwrap() - 1);
        let Some(Entry::Record(record)) = kept else { panic!("{line} became {kept:?}") };
        assert_eq!(String::from_utf8(record.to_line()).unwrap(), line);
    }
    let records = entries.into_iter().map(|entry| match entry {
        Entry::Record(record) => record.event,
        Entry::Damaged(damage) => panic!("{damage:?}"),
    });
    records.collect()
}

/// What each result says of the world is so, and nothing was done that the logs do not know.
fn tells_the_truth(sessions: &[Vec<Event>], effects: &str) {
    let done = |id: &str| effects.lines().filter(|line| *line == id).count();
    let (mut known, mut allowed) = (HashSet::new(), HashSet::new());
    for events in sessions {
        let mut names = BTreeMap::new();
        let (mut open, mut asked) = (HashSet::new(), HashSet::new());
        for event in events {
            match event {
                Event::ToolCall(call) => drop(names.insert(call.call_id.to_string(), call.name.clone())),
                Event::CodeDispatchStart(call) => {
                    names.insert(call.call_id.to_string(), call.name.clone());
                    assert!(open.insert(call.call_id.to_string()), "{call:?} was begun before");
                }
                Event::CodeDispatch(call) => {
                    let id = call.call_id.as_str();
                    assert!(open.remove(id), "{call:?} was not open");
                    assert!(done(id) <= 1 && (call.is_error || done(id) == 1), "{call:?}");
                }
                Event::ApprovalAsked(question) => assert!(asked.insert(question.question.clone())),
                Event::ApprovalDecided(decided) => {
                    assert!(asked.remove(&decided.question), "{decided:?} was not asked");
                    if decided.outcome == "allowed-once" {
                        allowed.insert(decided.call_id.to_string());
                    }
                }
                Event::ToolResult(result) => settles(result, &names, &done, effects),
                _ => {}
            }
        }
        assert!(open.is_empty() && asked.is_empty(), "{open:?} {asked:?} are open");
        for (id, name) in names {
            assert!(name != "note" || done(&id) == 0 || allowed.contains(&id), "{id} was not allowed");
            known.insert(id);
        }
    }
    for line in effects.lines() {
        assert!(known.contains(line), "{line} is in no log");
        assert_eq!(done(line), 1, "{line}");
    }
}

fn settles(
    result: &ToolResultRecorded,
    names: &BTreeMap<String, String>,
    done: &impl Fn(&str) -> usize,
    effects: &str,
) {
    let id = result.call_id.as_str();
    if names[id] == "note" || names[id] == "overlap" {
        match (&result.settlement, &result.error) {
            (Some(Settlement::NotStarted), _) => assert_eq!(done(id), 0, "{result:?}"),
            (Some(Settlement::Done), _) | (None, None) => assert_eq!(done(id), 1, "{result:?}"),
            (Some(Settlement::Unknown), _) => assert!(done(id) <= 1, "{result:?}"),
            (None, Some(_)) => assert_eq!(done(id), 0, "{result:?}"),
        }
        return;
    }
    // A program, or a sub-agent: what it did was done by calls of its own.
    let inner = effects.lines().filter(|line| line.starts_with(&format!("{id}:code:"))).count();
    match (&result.settlement, names[id].as_str()) {
        (Some(Settlement::NotStarted), _) => assert_eq!(inner, 0, "{result:?}"),
        (None, "run_code") => assert_eq!((inner, &result.error), (3, &None), "{result:?}"),
        (None, _) => assert_eq!(result.error, None),
        (Some(Settlement::Done | Settlement::Unknown), _) => assert!(inner <= 3, "{result:?}"),
    }
}

/// Kills a child at a point, kills a second one while it recovers, and goes on with a strict provider. False once the turn ends
/// first.
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
    sessions(folder.path(), kind);
    let (protocol, dialect) = match at / 2 % 2 {
        0 => (Protocol::OpenAi, Dialect::Chat),
        _ => (Protocol::Anthropic, Dialect::Messages),
    };
    let server = ModelServer::start(the_script(), Vec::new()).await.unwrap();
    let provider = Provider { base_url: server.base_url(), ..Provider::new(protocol, "asked") };
    let model = |scope| match protocol {
        Protocol::OpenAi => Agent::builder(scope, OpenAiModel::new(provider)),
        Protocol::Anthropic => Agent::builder(scope, AnthropicModel::new(provider)),
    };
    let mut agent = agent(folder.path(), kind, model).await;
    let report = agent.turn(hello(), CancellationToken::new()).await.unwrap();
    assert_eq!(report.outcome, TurnOutcome::Completed, "{kind} {at}: {report:?}");
    agent.close().await;
    for request in server.requests() {
        assert_eq!(check(dialect, &request), Ok(()), "{kind} {at}: {request}");
    }
    let sessions = sessions(folder.path(), kind);
    sessions.iter().for_each(|events| is_valid(events));
    tells_the_truth(&sessions, &fs::read_to_string(folder.path().join("effects")).unwrap_or_default());
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_session_is_whole_wherever_it_was_killed() {
    let kills = Arc::new(AtomicU64::new(0));
    let runs = ["jsonl", "sqlite"].map(|kind| {
        let kills = Arc::clone(&kills);
        tokio::spawn(async move {
            // Every point is one of a back end; what stands above them is the same.
            let mut at = if kind == "jsonl" { 1 } else { 2 };
            while survives(kind, at, &kills).await {
                at += 2;
            }
            at
        })
    });
    for run in runs {
        let points = run.await.unwrap();
        assert!(points > 100, "the turn has only {points} points");
    }
    let kills = kills.load(Ordering::SeqCst);
    assert!(kills > 200, "only {kills} processes were killed");
}
