//! Agents with small tools, and what their logs hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolgate::{
    CancellationToken, ContentBlock, RunContext, Schema, Scope, ToolEffect, ToolError, ToolRuntime,
    ToolRuntimeBuilder, tool_fn,
};
use toolgate_agent::model::script::{Script, ScriptedAnswer, ScriptedCall};
use toolgate_agent::{Agent, ScriptedModel, TurnReport};
use toolgate_session::{
    Backend, Entry, Event, MemoryBackend, SessionId, ToolCallRecorded, ToolResultRecorded,
};

/// Arguments of a tool that repeats a number.
#[derive(serde::Deserialize, Schema)]
pub(crate) struct Number {
    /// The number.
    n: u64,
}

/// No arguments.
#[derive(serde::Deserialize, Schema)]
pub(crate) struct Nothing {}

/// A runtime with `number` (required `n`), `nothing`, and a counter of the bodies that ran.
pub(crate) fn runtime() -> (ToolRuntimeBuilder, Arc<AtomicU64>) {
    let ran = Arc::new(AtomicU64::new(0));
    let (numbers, nothings) = (Arc::clone(&ran), Arc::clone(&ran));
    let number = tool_fn("number", "Gives a number back.", move |args: Number, _cx: RunContext| {
        numbers.fetch_add(1, Ordering::SeqCst);
        async move { Ok(args.n) }
    })
    .effect(ToolEffect::Pure);
    let nothing = tool_fn("nothing", "Does nothing.", move |_: Nothing, _cx: RunContext| {
        nothings.fetch_add(1, Ordering::SeqCst);
        async move { Ok::<_, ToolError>("nothing".to_owned()) }
    });
    (ToolRuntime::builder().tool(number).tool(nothing), ran)
}

/// An answer that asks for calls of `(name, arguments)`.
pub(crate) fn asks(calls: &[(&str, &str)]) -> ScriptedAnswer {
    let calls = calls.iter().map(|(name, arguments)| ScriptedCall {
        id: "same".to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    });
    ScriptedAnswer { calls: calls.collect(), ..ScriptedAnswer::default() }
}

/// An answer without calls.
pub(crate) fn says(text: &str) -> ScriptedAnswer {
    ScriptedAnswer { text: text.to_owned(), ..ScriptedAnswer::default() }
}

pub(crate) fn script(answers: Vec<ScriptedAnswer>) -> ScriptedModel {
    ScriptedModel::new(Script { answers, ..Script::default() })
}

/// A session in memory.
pub(crate) struct Session {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) id: SessionId,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self { backend: Arc::new(MemoryBackend::new()), id: SessionId::generate() }
    }

    pub(crate) async fn start(&self, scope: Scope, answers: Vec<ScriptedAnswer>) -> Agent {
        Agent::builder(scope, script(answers)).start(Arc::clone(&self.backend), self.id).await.unwrap()
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        let entries = self.backend.read(self.id, 1, 100_000).unwrap();
        entries
            .into_iter()
            .map(|entry| match entry {
                Entry::Record(record) => record.event,
                Entry::Damaged(damage) => panic!("{damage:?}"),
            })
            .collect()
    }

    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        self.events().iter().map(Event::kind).collect()
    }

    pub(crate) fn calls(&self) -> Vec<ToolCallRecorded> {
        let events = self.events().into_iter();
        events.filter_map(|event| if let Event::ToolCall(call) = event { Some(call) } else { None }).collect()
    }

    pub(crate) fn results(&self) -> Vec<ToolResultRecorded> {
        let events = self.events().into_iter();
        events
            .filter_map(|event| if let Event::ToolResult(result) = event { Some(result) } else { None })
            .collect()
    }
}

pub(crate) fn hello() -> Vec<ContentBlock> {
    vec![ContentBlock::text("hello")]
}

/// One turn that nobody interrupts.
pub(crate) async fn turn(agent: &mut Agent) -> TurnReport {
    agent.turn(hello(), CancellationToken::new()).await.unwrap()
}

/// The text of a result, and its code.
pub(crate) fn told(result: &ToolResultRecorded) -> (String, Option<&str>) {
    let text = result.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n");
    (text, result.error.as_ref().and_then(|error| error.code.as_deref()))
}
