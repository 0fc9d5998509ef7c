//! The host of the tests: answers calls of a few names and remembers them.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{
    Globals, HostCall, HostReply, InProcess, Limits, Outcome, Program, Sandbox, WorkerCommand, WorkerPool,
};
use toolgate_schema::JsonValue;

/// The names that exist for the programs of the tests.
pub(crate) const NAMES: &[&str] = &[
    "echo",
    "fail",
    "slow",
    "never",
    "drop",
    "my-tool",
    "__proto__",
    "constructor",
    "then",
    "toString",
    "prototype",
];

/// What a run left, and the calls that the host saw, as `name(arguments)`.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) outcome: Outcome,
    pub(crate) calls: Vec<String>,
}

impl Seen {
    /// The result as text, or the kind and message of the failure.
    pub(crate) fn text(&self) -> String {
        match (&self.outcome.result, &self.outcome.failure) {
            (Some(value), None) => value.to_text(),
            (None, None) => "nothing".to_owned(),
            (_, Some(failure)) => format!("{}: {failure}", failure.kind),
        }
    }
}

/// Limits that end a hostile program soon.
pub(crate) fn tight() -> Limits {
    Limits { wall: Duration::from_secs(20), cpu: Duration::from_millis(800), ..Limits::in_process() }
}

pub(crate) async fn run_in(sandbox: &impl Sandbox, source: &str, limits: Limits) -> Seen {
    run_cancelled(sandbox, source, limits, CancellationToken::new()).await
}

pub(crate) async fn run_cancelled(
    sandbox: &impl Sandbox,
    source: &str,
    limits: Limits,
    cancel: CancellationToken,
) -> Seen {
    run_program(sandbox, Program::typescript(source), limits, cancel).await
}

pub(crate) async fn run_program(
    sandbox: &impl Sandbox,
    program: Program,
    limits: Limits,
    cancel: CancellationToken,
) -> Seen {
    let (sender, mut receiver) = mpsc::channel(8);
    let globals = Globals { names: NAMES.iter().map(|name| (*name).to_owned()).collect() };
    let run = sandbox.run(program, globals, limits, sender, cancel);
    tokio::pin!(run);
    let mut calls = Vec::new();
    let mut kept = Vec::new();
    let outcome = loop {
        tokio::select! {
            biased;
            Some(call) = receiver.recv() => answer(call, &mut calls, &mut kept),
            outcome = &mut run => break outcome,
        }
    };
    while let Ok(call) = receiver.try_recv() {
        answer(call, &mut calls, &mut kept);
    }
    Seen { outcome, calls }
}

fn answer(call: HostCall, calls: &mut Vec<String>, kept: &mut Vec<HostCall>) {
    assert_eq!(call.number, calls.len() as u64 + 1, "numbers follow the order of submission");
    calls.push(format!("{}({})", call.name, call.arguments));
    match call.name.as_str() {
        "fail" => call.reply.send(HostReply::Err("deliberate".to_owned())),
        "slow" => {
            tokio::spawn(async move {
                let milliseconds = call.arguments.as_value()["ms"].as_u64().unwrap_or(20);
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                call.reply.send(HostReply::Ok(JsonValue::from("late")));
            });
        }
        "never" => kept.push(call),
        "drop" => drop(call),
        _ => call.reply.send(HostReply::Ok(call.arguments)),
    }
}

/// A run in this process.
pub(crate) async fn run(source: &str) -> Seen {
    run_in(&InProcess::new(), source, Limits::in_process()).await
}

/// Workers of this crate's own binary.
pub(crate) fn pool() -> WorkerPool {
    tagged_pool("untagged")
}

/// The same; the word is in the arguments of its processes, so that a test finds its own.
pub(crate) fn tagged_pool(word: &str) -> WorkerPool {
    let command =
        WorkerCommand { program: env!("CARGO_BIN_EXE_sandbox_worker").into(), arguments: vec![word.into()] };
    WorkerPool::new(command, 2).expect("a thread")
}
