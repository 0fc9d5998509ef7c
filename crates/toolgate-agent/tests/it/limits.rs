//! Where a turn ends: steps, tokens, a tool that concludes it, a model that says nothing.

use std::num::NonZeroUsize;
use std::sync::Arc;

use toolgate::{CancellationToken, RunContext, ToolError, tool_fn};
use toolgate_agent::model::script::ScriptedUsage;
use toolgate_agent::{Agent, TurnLimits};
use toolgate_session::{Event, TurnOutcome, Usage};

use crate::support::{Nothing, Session, asks, hello, runtime, says, script, turn};
use crate::transcript::is_valid;

fn limits(steps: u64, context_tokens: u64) -> TurnLimits {
    TurnLimits { steps, context_tokens, parallel: NonZeroUsize::MIN, ..TurnLimits::default() }
}

#[tokio::test]
async fn a_turn_ends_at_its_limit_of_steps_and_the_next_one_goes_on() {
    let (builder, _) = runtime();
    let session = Session::new();
    let step = || asks(&[("nothing", "{}")]);
    let model = script(vec![step(), step(), step(), says("done")]);
    let builder = Agent::builder(builder.build().unwrap().scope("agent"), model).limits(limits(2, 1_000_000));
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    let report = turn(&mut agent).await;
    assert_eq!((report.outcome, report.steps), (TurnOutcome::LimitReached, 2));
    assert_eq!(report.reason.as_deref(), Some("the turn reached its limit of 2 steps"));
    is_valid(&session.events());
    let report = turn(&mut agent).await;
    assert_eq!((report.outcome, report.turn, report.text.as_str()), (TurnOutcome::Completed, 2, "done"));
    is_valid(&session.events());
}

#[tokio::test]
async fn tokens_are_counted_and_a_full_context_stops_the_turn_before_the_request() {
    let (builder, _) = runtime();
    let session = Session::new();
    let mut first = asks(&[("nothing", "{}")]);
    first.usage = Some(ScriptedUsage { input: 900, output: 90 });
    let mut second = asks(&[("nothing", "{}")]);
    second.usage = Some(ScriptedUsage { input: 1_000, output: 10 });
    let model = script(vec![first, second, says("never")]);
    let builder = Agent::builder(builder.build().unwrap().scope("agent"), model).limits(limits(9, 1_000));
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    let report = turn(&mut agent).await;
    assert_eq!((report.outcome, report.steps), (TurnOutcome::LimitReached, 2));
    assert_eq!(report.usage, Usage { input: 1_900, output: 100 });
    let reason = report.reason.unwrap();
    assert!(reason.contains("about 1010 tokens, and its limit is 1000\nhint: "), "{reason}");
    is_valid(&session.events());

    // Without a count of the provider, the size of the request is estimated.
    let (builder, _) = runtime();
    let session = Session::new();
    let model = script(vec![says("never")]);
    let builder = Agent::builder(builder.build().unwrap().scope("agent"), model).limits(limits(9, 50));
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::LimitReached);
    assert_eq!(session.kinds(), ["turn/start", "user/message", "turn/end"]);
}

#[tokio::test]
async fn a_tool_concludes_the_turn_with_its_batch() {
    let (builder, _) = runtime();
    let session = Session::new();
    let ends = tool_fn("ends", "Ends the turn.", |_: Nothing, cx: RunContext| async move {
        cx.conclude_turn();
        Ok::<_, ToolError>("the end".to_owned())
    });
    let calls = [("ends", "{}"), ("number", r#"{"n":1}"#)];
    let scope = builder.tool(ends).build().unwrap().scope("agent");
    let mut agent = session.start(scope, vec![asks(&calls), says("next")]).await;
    let report = turn(&mut agent).await;
    assert_eq!((report.outcome, report.steps), (TurnOutcome::Completed, 1));
    assert_eq!(session.results().len(), 2, "its siblings run all the same");
    assert_eq!(turn(&mut agent).await.text, "next");
    is_valid(&session.events());
}

#[tokio::test]
async fn a_model_that_says_nothing_or_too_much_leaves_a_valid_history() {
    let (builder, _) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    let mut agent = session.start(scope.clone(), vec![says("")]).await;
    assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
    is_valid(&session.events());

    let session = Session::new();
    let mut cut = says("a beginning");
    cut.stop = Some("length".to_owned());
    let mut agent = session.start(scope, vec![cut]).await;
    let report = agent.turn(hello(), CancellationToken::new()).await.unwrap();
    assert_eq!(report.outcome, TurnOutcome::LimitReached);
    is_valid(&session.events());
}

#[tokio::test]
async fn an_agent_that_is_dropped_gives_its_session_back_while_its_scope_lives_on() {
    let scope = runtime().0.build().unwrap().scope("agent");
    let session = Session::new();
    let mut agent = session.start(scope.clone(), vec![asks(&[("nothing", "{}")]), says("done")]).await;
    turn(&mut agent).await;
    drop(agent);
    let mut tries = 0;
    while session.backend.open(session.id).is_err() {
        tries += 1;
        assert!(tries < 20_000, "the session is still held");
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_session_is_resumed_where_it_was() {
    let (builder, _) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    let answers = || vec![asks(&[("nothing", "{}")]), says("one"), asks(&[("nothing", "{}")]), says("two")];
    let mut agent = session.start(scope.clone(), answers()).await;
    assert_eq!(turn(&mut agent).await.text, "one");
    let busy = Agent::builder(scope.clone(), script(answers()))
        .resume(Arc::clone(&session.backend), session.id)
        .await;
    assert!(busy.is_err(), "one writer at a time");
    agent.close().await;
    let builder = Agent::builder(scope, script(answers()));
    let mut agent = builder.resume(Arc::clone(&session.backend), session.id).await.unwrap();
    let report = turn(&mut agent).await;
    assert_eq!((report.turn, report.text.as_str()), (2, "two"));
    is_valid(&session.events());
    let starts = session.events().into_iter().filter(|event| matches!(event, Event::TurnStart(_))).count();
    assert_eq!(starts, 2);
}
