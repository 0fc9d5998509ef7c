//! Sub-agents: their own session and scope, fewer tools and never more, one call tree, an answer that matches its
//! schema, and an end that is told.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::{
    CancellationToken, HookResult, Next, PreExecute, PreToolDecision, PresentationMode, Registrar as _,
    RunContext, Tool, ToolEffect, ToolError, ToolExecution, ToolRestriction, ToolRuntimeBuilder, stage,
    tool_fn,
};
use toolgate_agent::model::script::{Script, ScriptedAnswer, ScriptedConversation, ScriptedUsage};
use toolgate_agent::{
    Agent, ScriptedModel, SessionRoutes, Subagent, SubagentLimits, TurnLimits, replay_offline,
};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_policy::person::{Answer, Answerer, Question};
use toolgate_policy::{Approvals, People};
use toolgate_sandbox::{InProcess, Language};
use toolgate_session::{Event, ToolResultRecorded, TurnOutcome, TurnStart};

use crate::support::{Nothing, Session, asks, hello, runtime, says, told, turn};
use crate::transcript::is_valid;

/// A family: the parent's session, and what its runtime shares.
struct Family {
    session: Session,
    routes: SessionRoutes,
    builder: ToolRuntimeBuilder,
    ran: Arc<AtomicU64>,
}

fn family(limits: SubagentLimits) -> Family {
    let (builder, ran) = runtime();
    let routes = SessionRoutes::new();
    let builder = builder.tool(Subagent::new(routes.clone(), limits));
    Family { session: Session::new(), routes, builder, ran }
}

fn model(answers: Vec<ScriptedAnswer>, conversations: Vec<(&str, Vec<ScriptedAnswer>)>) -> ScriptedModel {
    let conversations = conversations
        .into_iter()
        .map(|(task, answers)| ScriptedConversation { task: task.to_owned(), answers })
        .collect();
    ScriptedModel::new(Script { answers, conversations })
}

/// An answer that begins sub-agents with these arguments.
fn begins(calls: &[Value]) -> ScriptedAnswer {
    let texts: Vec<String> = calls.iter().map(Value::to_string).collect();
    asks(&texts.iter().map(|text| ("subagent", text.as_str())).collect::<Vec<_>>())
}

impl Family {
    async fn agent(self, model: ScriptedModel) -> (Agent, Session, Arc<AtomicU64>) {
        self.limited(model, TurnLimits::default()).await
    }

    async fn limited(self, model: ScriptedModel, limits: TurnLimits) -> (Agent, Session, Arc<AtomicU64>) {
        let scope = self.builder.build().unwrap().scope("agent");
        let builder = Agent::builder(scope, model).routes(self.routes).limits(limits);
        let agent = builder.start(Arc::clone(&self.session.backend), self.session.id).await.unwrap();
        (agent, self.session, self.ran)
    }
}

/// The sessions that a session began, in order, each with the call that did.
fn children(session: &Session) -> Vec<(String, Session)> {
    let started = session.events().into_iter().filter_map(|event| match event {
        Event::SubagentStarted(started) => Some(started),
        _ => None,
    });
    started
        .map(|started| {
            let child = Session { backend: Arc::clone(&session.backend), id: started.session };
            (started.call_id.to_string(), child)
        })
        .collect()
}

fn turn_starts(session: &Session) -> Vec<TurnStart> {
    let events = session.events().into_iter();
    events.filter_map(|event| if let Event::TurnStart(start) = event { Some(start) } else { None }).collect()
}

async fn replays(session: &Session) {
    let scope = toolgate::ToolRuntime::builder().build().unwrap().scope("agent");
    let entries = session.backend.read(session.id, 1, 10_000).unwrap();
    let records: Vec<_> = entries
        .into_iter()
        .filter_map(|entry| match entry {
            toolgate_session::Entry::Record(record) => Some(*record),
            toolgate_session::Entry::Damaged(_) => None,
        })
        .collect();
    let report = replay_offline(&records, session.id, scope, TurnLimits::default()).await.unwrap();
    assert_eq!(report.divergence, None);
    assert!(report.compared > 2, "{report:?}");
}

#[tokio::test]
async fn a_task_is_done_in_a_session_of_its_own_and_both_logs_know_each_other() {
    let family = family(SubagentLimits::default());
    let work = vec![asks(&[("number", r#"{"n":7}"#), ("nothing", "")]), says("seven")];
    let parent = vec![begins(&[json!({ "task": "find the number" })]), says("it is seven")];
    let (mut agent, session, ran) = family.agent(model(parent, vec![("find the number", work)])).await;
    let report = turn(&mut agent).await;
    assert_eq!((report.outcome, report.text.as_str()), (TurnOutcome::Completed, "it is seven"));
    assert_eq!(ran.load(Ordering::SeqCst), 2);
    let [(call, child)] = &children(&session)[..] else { panic!("one child") };
    let results = session.results();
    assert_eq!(told(&results[0]).0, "seven", "only its answer comes back");
    assert_eq!(call, results[0].call_id.as_str());
    assert_eq!(results[0].meta.as_ref().unwrap().get("session").unwrap(), child.id.to_string().as_str());
    let starts = turn_starts(child);
    assert_eq!(starts[0].parent.as_deref(), Some(&*format!("{}/{call}", session.id)));
    assert_eq!(starts[0].scope, format!("subagent-{}", child.id));
    let kinds = session.kinds();
    let order = ["tool/call", "tool/body-start", "tool/subagent-start", "tool/body-end", "tool/result"];
    assert_eq!(kinds[3..8], order);
    for session in [&session, child] {
        is_valid(&session.events());
        replays(session).await;
    }
    assert_eq!(child.results().len(), 2);
    // Nobody holds the child's session any more, and its scope is gone.
    assert!(session.backend.open(child.id).is_ok());
}

/// What the call asks for, what the parent may use, and the tools that the child has, or what is said instead.
type Row = (Value, Option<ToolRestriction>, Result<&'static [&'static str], &'static str>);

#[tokio::test]
async fn a_sub_agent_never_has_more_than_its_parent() {
    let table: [Row; 7] = [
        (json!({}), None, Ok(&["number", "nothing"])),
        (json!({ "tools": ["number"] }), None, Ok(&["number"])),
        (json!({ "tools": [] }), None, Ok(&[])),
        (json!({}), Some(ToolRestriction::deny(["number"])), Ok(&["nothing"])),
        (json!({ "tools": ["number"] }), Some(ToolRestriction::deny(["number"])), Err("number")),
        (json!({ "tools": ["number", "run_code"] }), None, Err("run_code")),
        (json!({ "tools": ["number", "absent"] }), None, Err("absent")),
    ];
    for (mut arguments, restriction, expected) in table {
        let family = family(SubagentLimits::default());
        let calls = [("number", r#"{"n":1}"#), ("nothing", "{}"), ("subagent", r#"{"task":"x"}"#)];
        arguments["task"] = "try".into();
        let parent = vec![begins(&[arguments.clone()]), says("done")];
        let (mut agent, session, ran) =
            family.agent(model(parent, vec![("try", vec![asks(&calls), says("tried")])])).await;
        if let Some(restriction) = restriction {
            agent.scope().restrict(restriction).unwrap();
        }
        turn(&mut agent).await;
        let result = &session.results()[0];
        match expected {
            Ok(tools) => {
                assert_eq!(told(result).0, "tried", "{arguments}");
                let child = &children(&session)[0].1;
                let worked: Vec<bool> = child.results().iter().map(|result| result.error.is_none()).collect();
                let expected = ["number", "nothing", "subagent"].map(|name| tools.contains(&name));
                assert_eq!(worked, expected, "{arguments}");
                assert_eq!(ran.load(Ordering::SeqCst), tools.len() as u64, "{arguments}");
                assert_eq!(told(&child.results()[2]).1, Some("UNKNOWN_TOOL"), "its depth is bounded");
            }
            Err(named) => {
                let (said, code) = told(result);
                assert!(said.contains(named) && said.contains("hint: the tools that it can have"), "{said}");
                assert_eq!(code, Some("INVALID_ARGS"));
                assert!(children(&session).is_empty());
            }
        }
        is_valid(&session.events());
    }
}

#[tokio::test]
async fn depth_is_bounded_and_a_grandchild_has_its_place() {
    let family = family(SubagentLimits { depth: 2, ..SubagentLimits::default() });
    let begin = |task: &str| begins(&[json!({ "task": task })]);
    let conversations = vec![
        ("middle", vec![begin("lowest"), says("middle done")]),
        ("lowest", vec![begin("never"), says("lowest done")]),
    ];
    let (mut agent, session, _) =
        family.agent(model(vec![begin("middle"), says("done")], conversations)).await;
    assert_eq!(turn(&mut agent).await.text, "done");
    let (_, middle) = &children(&session)[0];
    let (call, lowest) = &children(middle)[0];
    assert_eq!(turn_starts(lowest)[0].parent.as_deref(), Some(&*format!("{}/{call}", middle.id)));
    assert_eq!(told(&lowest.results()[0]).1, Some("UNKNOWN_TOOL"), "the third is one too deep");
    assert_eq!(told(&middle.results()[0]).0, "lowest done");
}

fn number_schema() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"], "additionalProperties": false })
}

#[tokio::test]
async fn an_answer_matches_its_schema_or_there_is_none() {
    let good = || asks(&[("submit_answer", r#"{"n":3}"#)]);
    let bad = || asks(&[("submit_answer", r#"{"n":"three"}"#)]);
    let limits = SubagentLimits { attempts: 2, ..SubagentLimits::default() };
    // What the child does, and its answer or what is said instead.
    let table = [
        (vec![good()], Ok(r#"{"n":3}"#)),
        (vec![bad(), good()], Ok(r#"{"n":3}"#)),
        (vec![says("three"), good()], Ok(r#"{"n":3}"#)),
        (vec![asks(&[("submit_answer", r#"{"n":3}"#), ("submit_answer", r#"{"n":4}"#)])], Ok(r#"{"n":3}"#)),
        (vec![bad(), bad(), good()], Err("2 answers that do not match the schema; the last one: ")),
        (vec![says("three"), says("3"), good()], Err("it ended without calling `submit_answer`")),
        (vec![bad(), says("three"), good()], Err("2 answers that do not match")),
        (vec![asks(&[("submit_answer", "[3")]), good()], Ok(r#"{"n":3}"#)),
    ];
    for (place, (work, expected)) in table.into_iter().enumerate() {
        let family = family(limits);
        let parent = vec![begins(&[json!({ "task": "count", "schema": number_schema() })]), says("done")];
        let (mut agent, session, _) = family.agent(model(parent, vec![("count", work)])).await;
        assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
        let (said, _) = told(&session.results()[0]);
        match expected {
            Ok(answer) => assert_eq!(said, answer, "row {place}"),
            Err(why) => {
                assert!(said.starts_with("Error: the sub-agent gave") && said.contains(why), "{said}")
            }
        }
        let child = &children(&session)[0].1;
        is_valid(&child.events());
        is_valid(&session.events());
        replays(child).await;
    }
    // A schema that is none, or whose root is no object, is the parent's to correct.
    for (schema, why) in
        [(json!({ "type": "string" }), "object"), (json!({ "type": "object", "anyOf": [] }), "anyOf")]
    {
        let parent = vec![begins(&[json!({ "task": "count", "schema": schema })]), says("done")];
        let (mut agent, session, _) = family(limits).agent(model(parent, vec![])).await;
        turn(&mut agent).await;
        let result = &session.results()[0];
        let (said, code) = told(result);
        assert!(said.contains("the schema of the answer cannot be used") && said.contains(why), "{said}");
        assert_eq!(code, Some("INVALID_ARGS"));
        assert!(children(&session).is_empty());
    }
}

#[tokio::test]
async fn an_answer_can_come_out_of_a_program() {
    let Family { session, routes, builder, ran } = family(SubagentLimits::default());
    let code = CodeMode::new(InProcess::default(), CodeModeConfig::new(Language::TypeScript));
    let runtime = builder.code_transport(code.with_sink(routes.clone()));
    let runtime = runtime.presentation_mode(PresentationMode::Code).build().unwrap();
    let program =
        |code: &str| asks(&[("run_code", &json!({ "code": code, "description": "d" }).to_string())]);
    let begin = format!(
        "return (await tools.subagent({{ task: 'count', schema: {} }})).result.n + 1;",
        number_schema()
    );
    let work = program("await tools.submit_answer({ n: await tools.number({ n: 41 }) });");
    let model = model(vec![program(&begin), says("done")], vec![("count", vec![work])]);
    let builder = Agent::builder(runtime.scope("agent"), model).routes(routes);
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    turn(&mut agent).await;
    assert!(told(&session.results()[0]).0.contains("42"), "{:?}", session.results());
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let (call, child) = &children(&session)[0];
    assert!(call.ends_with(":code:1"), "{call}");
    is_valid(&child.events());
}

#[tokio::test]
async fn steps_and_tokens_of_a_sub_agent_are_bounded_and_count_for_its_parent() {
    let costs = |mut answer: ScriptedAnswer, input| {
        answer.usage = Some(ScriptedUsage { input, output: 0 });
        answer
    };
    let step = || costs(asks(&[("nothing", "{}")]), 100);
    let work = || vec![step(), step(), step(), costs(says("worked"), 100)];
    let limits = |steps, tokens| SubagentLimits { steps, tokens, ..SubagentLimits::default() };
    // The child's limits, its parent's, what the child's result says, and what the parent's turn says.
    let table = [
        (limits(9, 1_000), 1_000, "worked", None),
        (limits(2, 1_000), 1_000, "its limit of 2 steps", None),
        (limits(0, 1_000), 1_000, "its limit of 0 steps", None),
        (limits(9, 250), 1_000, "has used about 300 tokens, and its limit is 250", None),
        // The parent has used 10 of its 160: 150 are left for the child.
        (limits(9, 1_000), 160, "its limit is 150", Some("has used about 210 tokens, and its limit is 160")),
    ];
    for (limits, turn_tokens, said, ended) in table {
        let parent = vec![costs(begins(&[json!({ "task": "work" })]), 10), costs(says("done"), 10)];
        let turn_limits = TurnLimits { turn_tokens, ..TurnLimits::default() };
        let (mut agent, session, _) =
            family(limits).limited(model(parent, vec![("work", work())]), turn_limits).await;
        let report = turn(&mut agent).await;
        let result = told(&session.results()[0]).0;
        assert!(result.contains(said), "{result}");
        match ended {
            None => assert_eq!(report.outcome, TurnOutcome::Completed, "{report:?}"),
            Some(ended) => {
                assert_eq!(report.outcome, TurnOutcome::LimitReached);
                assert!(report.reason.unwrap().contains(ended));
            }
        }
        is_valid(&session.events());
        is_valid(&children(&session)[0].1.events());
    }
}

#[tokio::test]
async fn an_interrupt_reaches_a_sub_agent_and_both_sessions_go_on() {
    let Family { session, routes, builder, .. } = family(SubagentLimits::default());
    let (begun, stop) = (CancellationToken::new(), CancellationToken::new());
    let tell = begun.clone();
    let waits = tool_fn("waits", "Waits.", move |_: Nothing, cx: RunContext| {
        let begun = tell.clone();
        async move {
            begun.cancel();
            cx.cancellation().cancelled().await;
            Ok::<_, ToolError>("stopped".to_owned())
        }
    });
    let runtime = builder.tool(waits).build().unwrap();
    let parent = vec![begins(&[json!({ "task": "wait" })]), says("done")];
    let model = model(parent, vec![("wait", vec![asks(&[("waits", "{}")]), says("never")])]);
    let builder = Agent::builder(runtime.scope("agent"), model).routes(routes);
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    let (report, ()) = tokio::join!(agent.turn(hello(), stop.clone()), async {
        begun.cancelled().await;
        stop.cancel();
    });
    assert_eq!(report.unwrap().outcome, TurnOutcome::Interrupted);
    let child = &children(&session)[0].1;
    for (session, kinds) in [(&session, "turn/end"), (child, "turn/end")] {
        is_valid(&session.events());
        assert_eq!(session.kinds().last(), Some(&kinds));
        assert_eq!(told(&session.results()[0]).1, Some("ABORTED"));
    }
    assert_eq!(turn(&mut agent).await.text, "done");
}

/// A person who allows everything and notes for whom.
#[derive(Clone, Default)]
struct Person(Arc<Mutex<Vec<String>>>);

impl Answerer for Person {
    fn name(&self) -> &str {
        "person"
    }

    async fn answer(&self, question: &Question) -> HookResult<Option<Answer>> {
        self.0.lock().unwrap().push(question.tool.clone());
        Ok(Some(Answer::Allow { remember: None }))
    }
}

struct AsksAboutNumbers;

impl PreExecute for AsksAboutNumbers {
    async fn pre_execute(
        &self,
        call: &ToolExecution,
        next: Next<'_, stage::Pre>,
    ) -> HookResult<PreToolDecision> {
        if call.name() == "number" {
            return Ok(PreToolDecision::Ask { reason: None });
        }
        next.run().await
    }
}

#[tokio::test]
async fn the_person_of_the_parent_is_asked_and_the_guards_of_its_scope_hold() {
    let Family { session, routes, builder, ran } = family(SubagentLimits::default());
    let (people, person) = (People::new(), Person::default());
    people.join(person.clone());
    let approver = Approvals::new(people).with_log(routes.clone());
    let runtime = builder.approver(approver).on_pre_execute(AsksAboutNumbers).build().unwrap();
    let scope = runtime.scope("agent");
    scope.guard(|call| (call.name() == "nothing").then(|| "not here".to_owned()));
    let roots = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&roots);
    scope.on_result(move |call: &ToolExecution, _: &toolgate::ToolExecutionResult| {
        seen.lock().unwrap().push(call.root_call_id().to_string());
    });
    let work = vec![asks(&[("number", r#"{"n":1}"#), ("nothing", "{}")]), says("worked")];
    let model = model(vec![begins(&[json!({ "task": "work" })]), says("done")], vec![("work", work)]);
    let builder = Agent::builder(scope, model).routes(routes);
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    turn(&mut agent).await;
    assert_eq!(*person.0.lock().unwrap(), ["number"]);
    let child = &children(&session)[0].1;
    let results = child.results();
    assert_eq!((told(&results[0]).0.as_str(), told(&results[1]).0.as_str()), ("1", "Error: not here"));
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let approvals =
        |session: &Session| session.kinds().iter().filter(|kind| kind.starts_with("approval")).count();
    assert_eq!((approvals(child), approvals(&session)), (2, 0), "they are in the log of who asked");
    // One tree, so that no deadline passes above while a person is asked below.
    let call = session.results()[0].call_id.to_string();
    assert_eq!(*roots.lock().unwrap(), vec![call; 3]);
}

/// A tool that says how many of it ran side by side.
struct Meets {
    effect: ToolEffect,
    /// How many are waited for; longer where they must come than where they must not.
    expected: usize,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Tool for Meets {
    type Args = Nothing;
    type Output = String;

    fn name(&self) -> Cow<'static, str> {
        "meets".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Waits a little for others.".into()
    }

    fn effect(&self) -> ToolEffect {
        self.effect
    }

    async fn run(&self, _args: Nothing, _cx: RunContext) -> Result<String, ToolError> {
        self.now.fetch_add(1, Ordering::SeqCst);
        for _ in 0..if self.expected > 1 { 20_000 } else { 50 } {
            self.most.fetch_max(self.now.load(Ordering::SeqCst), Ordering::SeqCst);
            if self.most.load(Ordering::SeqCst) > 1 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok("met".to_owned())
    }
}

#[tokio::test]
async fn sub_agents_run_side_by_side_only_where_none_can_change_anything() {
    let only = json!(["meets"]);
    let table = [
        (ToolEffect::Pure, json!({ "task": "meet", "tools": only }), 2),
        (ToolEffect::Idempotent, json!({ "task": "meet", "tools": only }), 1),
        (ToolEffect::Pure, json!({ "task": "meet" }), 1),
        (ToolEffect::Pure, json!({ "task": "meet", "tools": ["meets", "nothing"] }), 1),
    ];
    for (effect, arguments, expected) in table {
        let Family { session, routes, builder, .. } = family(SubagentLimits::default());
        let most = Arc::new(AtomicUsize::new(0));
        let meets = Meets { effect, expected, now: Arc::default(), most: Arc::clone(&most) };
        let scope = builder.tool(meets).build().unwrap().scope("agent");
        let parent = vec![begins(&[arguments.clone(), arguments.clone()]), says("done")];
        let model = model(parent, vec![("meet", vec![asks(&[("meets", "{}")]), says("met")])]);
        let limits = TurnLimits { parallel: NonZeroUsize::new(2).unwrap(), ..TurnLimits::default() };
        let builder = Agent::builder(scope, model).routes(routes).limits(limits);
        let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
        turn(&mut agent).await;
        let results: Vec<ToolResultRecorded> = session.results();
        assert!(results.iter().all(|result| told(result).0 == "met"), "{results:?}");
        assert_eq!(most.load(Ordering::SeqCst), expected, "{effect:?} {arguments}");
        is_valid(&session.events());
        children(&session).iter().for_each(|(_, child)| is_valid(&child.events()));
    }
}

#[tokio::test]
async fn without_a_session_there_are_no_sub_agents() {
    let Family { builder, .. } = family(SubagentLimits::default());
    let runtime = builder.build().unwrap();
    let arguments = toolgate::JsonValue::parse(r#"{"task":"x"}"#).unwrap();
    let call = toolgate::ToolCall::new("subagent", arguments, CancellationToken::new());
    let result = runtime.scope("agent").execute(call).await;
    assert_eq!(result.text(), "Error: only an agent with a session can begin a sub-agent");
}
