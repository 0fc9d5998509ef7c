//! What several tests need: tools that count, listeners that never end, people who answer.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{ToolDefinition, ToolRuntimeBuilder};
use toolgate_policy::person::{Answer, ApprovalEvent, Closed, Question};
use toolgate_policy::{Answerer, Approvals, DeadlineConfig, Deadlines, People};

pub(crate) const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(name, arguments, CancellationToken::new()).with_id("c1")
}

pub(crate) fn tool(name: &str) -> toolgate::tool::RawToolBuilder {
    ToolDefinition::raw(name, "a tool of a test").output_schema(json!({}))
}

/// A number that several hold.
#[derive(Clone, Default)]
pub(crate) struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Counts when it is dropped.
pub(crate) struct CountsDrop(pub(crate) Counter);

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.add();
    }
}

/// A list that several hold.
pub(crate) struct Journal<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Journal<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Journal<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone> Journal<T> {
    pub(crate) fn note(&self, entry: T) {
        self.0.lock().expect("no panic under the lock").push(entry);
    }

    pub(crate) fn entries(&self) -> Vec<T> {
        self.0.lock().expect("no panic under the lock").clone()
    }
}

/// A tool that counts its runs and returns at once.
pub(crate) fn counting(name: &str, runs: &Counter) -> ToolDefinition {
    let runs = runs.clone();
    tool(name).body(move |_, _| {
        runs.add();
        async { Ok(json!("done")) }
    })
}

/// A listener that asks before everything.
pub(crate) struct AskAlways;

impl PreExecute for AskAlways {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        Ok(PreToolDecision::ask("it is a test"))
    }
}

/// A listener on every stage that never decides, and counts where it was dropped.
#[derive(Clone, Default)]
pub(crate) struct Never {
    pub(crate) dropped: Counter,
}

impl Never {
    async fn decide<T>(&self) -> HookResult<T> {
        let _counts = CountsDrop(self.dropped.clone());
        pending().await
    }
}

impl PreExecute for Never {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        self.decide().await
    }
}

impl PostExecute for Never {
    async fn post_execute(
        &self,
        _: &ToolExecution,
        _: &ToolExecutionResult,
        _: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        self.decide().await
    }
}

impl Approver for Never {
    async fn approve(&self, _: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        self.decide().await
    }
}

/// A person at a keyboard, who answers after a time of thinking, or never.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) thinks: Duration,
    pub(crate) says: Option<Answer>,
    pub(crate) saw: Journal<Question>,
    pub(crate) closed: Journal<Closed>,
}

impl Person {
    pub(crate) fn who_says(answer: Answer) -> Self {
        Self {
            name: "person",
            thinks: Duration::ZERO,
            says: Some(answer),
            saw: Journal::default(),
            closed: Journal::default(),
        }
    }

    pub(crate) fn who_never_answers() -> Self {
        Self { says: None, ..Self::who_says(Answer::Reject) }
    }

    pub(crate) fn after(mut self, thinks: Duration) -> Self {
        self.thinks = thinks;
        self
    }

    pub(crate) fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }
}

impl Answerer for Person {
    fn name(&self) -> &str {
        self.name
    }

    async fn answer(&self, question: &Question) -> HookResult<Option<Answer>> {
        self.saw.note(question.clone());
        match &self.says {
            None => pending().await,
            Some(answer) => {
                tokio::time::sleep(self.thinks).await;
                Ok(Some(answer.clone()))
            }
        }
    }

    fn closed(&self, _: &Question, how: &Closed) {
        self.closed.note(how.clone());
    }
}

/// People who are one person.
pub(crate) fn people(person: &Person) -> People {
    let people = People::new();
    people.join(person.clone());
    people
}

/// Approvals that note their events.
pub(crate) fn approvals(people: &People) -> (Approvals, Journal<ApprovalEvent>) {
    let events = Journal::default();
    let log = events.clone();
    let approvals = Approvals::new(people.clone()).with_log(move |event: &ApprovalEvent| {
        log.note(event.clone());
        Ok(())
    });
    (approvals, events)
}

/// Deadlines with these limits for every tool and every other stage.
pub(crate) fn deadlines(body: Duration, stage: Duration) -> Deadlines {
    Deadlines::new(DeadlineConfig { default: Some(body), stage, ..DeadlineConfig::default() })
}

pub(crate) fn build(
    builder: ToolRuntimeBuilder,
    tools: impl IntoIterator<Item = ToolDefinition>,
) -> ToolRuntime {
    let runtime = builder.build().expect("valid");
    for tool in tools {
        runtime.register(tool).expect("valid");
    }
    runtime
}

/// Lets everything that can go on go on, until something is true.
pub(crate) async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if is_true() {
            return;
        }
        tokio::task::yield_now().await;
    }
    assert!(is_true(), "it never came true: {what}");
}
