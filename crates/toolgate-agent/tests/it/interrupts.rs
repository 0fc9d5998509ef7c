//! K14: wherever a turn is stopped, every call has exactly one result and the session goes on.

use std::sync::Arc;
use std::time::Duration;

use toolgate::{
    CancellationToken, Execute, HookResult, Next, RunContext, ToolError, ToolExecution, ToolExecutionResult,
    ToolRuntime, stage, tool_fn,
};
use toolgate_agent::model::script::Fault;
use toolgate_agent::{Agent, Answer, Delta, Live, Model, ModelError, ModelRequest};
use toolgate_session::{Event, TurnOutcome};

use crate::support::{Nothing, Session, asks, hello, runtime, says, script, told, turn};
use crate::transcript::is_valid;

/// A tool that ends when it is stopped, and says when it has begun.
fn waits(begun: CancellationToken) -> impl toolgate::Tool {
    tool_fn("waits", "Waits until it is stopped.", move |_: Nothing, cx: RunContext| {
        let begun = begun.clone();
        async move {
            begun.cancel();
            cx.cancellation().cancelled().await;
            Ok::<_, ToolError>("stopped".to_owned())
        }
    })
}

#[tokio::test]
async fn an_interrupt_while_calls_run_settles_all_of_them() {
    let (builder, _) = runtime();
    let (begun, stop) = (CancellationToken::new(), CancellationToken::new());
    let scope = builder.tool(waits(begun.clone())).build().unwrap().scope("agent");
    let session = Session::new();
    let calls = [("number", r#"{"n":1}"#), ("waits", "{}"), ("number", r#"{"n":3}"#), ("number", "nonsense")];
    let mut agent = session.start(scope, vec![asks(&calls), says("done")]).await;
    let (report, ()) = tokio::join!(agent.turn(hello(), stop.clone()), async {
        begun.cancelled().await;
        stop.cancel();
    });
    assert_eq!(report.unwrap().outcome, TurnOutcome::Interrupted);
    let results = session.results();
    let codes: Vec<_> = results.iter().map(|result| told(result).1).collect();
    assert_eq!(
        codes,
        [None, Some("ABORTED"), Some("ABORTED_BEFORE_DISPATCH"), Some("ABORTED_BEFORE_DISPATCH")]
    );
    is_valid(&session.events());
    // The session goes on.
    assert_eq!(turn(&mut agent).await.text, "done");
    is_valid(&session.events());
}

/// Stops the turn when policy has let a call through and its body has not begun.
struct StopsAtTheDoor(CancellationToken);

impl Execute for StopsAtTheDoor {
    async fn execute(
        &self,
        _call: &ToolExecution,
        mut next: Next<'_, stage::Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        self.0.cancel();
        next.run().await
    }
}

#[tokio::test]
async fn a_body_that_will_not_begin_is_not_said_to_begin() {
    let stop = CancellationToken::new();
    let (builder, ran) = runtime();
    let scope = builder.on_execute(StopsAtTheDoor(stop.clone())).build().unwrap().scope("agent");
    let session = Session::new();
    let mut agent = session.start(scope, vec![asks(&[("nothing", "{}")])]).await;
    agent.turn(hello(), stop).await.unwrap();
    assert_eq!(ran.load(std::sync::atomic::Ordering::SeqCst), 0);
    let kinds = ["turn/start", "user/message", "assistant/message", "tool/call", "tool/result", "turn/end"];
    assert_eq!(session.kinds(), kinds);
    assert_eq!(told(&session.results()[0]).1, Some("ABORTED_BEFORE_DISPATCH"));
}

/// A model that says a part of a sentence, asks for a part of a call, and no more.
struct Dreaming(CancellationToken, &'static str);

impl Model for Dreaming {
    fn name(&self) -> &str {
        "dreaming"
    }

    async fn answer(&self, _request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        answer.text(self.1)?;
        answer.call(0, "a", "number", "{\"n\":")?;
        self.0.cancel();
        std::future::pending().await
    }
}

#[tokio::test]
async fn an_interrupt_while_the_model_speaks_keeps_what_it_said() {
    for (said, kept) in [("I was going to", vec!["assistant/message"]), ("", Vec::new())] {
        let (builder, _) = runtime();
        let session = Session::new();
        let (speaking, stop) = (CancellationToken::new(), CancellationToken::new());
        let builder =
            Agent::builder(builder.build().unwrap().scope("agent"), Dreaming(speaking.clone(), said));
        let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
        let (report, ()) = tokio::join!(agent.turn(hello(), stop.clone()), async {
            speaking.cancelled().await;
            stop.cancel();
        });
        let report = report.unwrap();
        assert_eq!((report.outcome, report.text.as_str()), (TurnOutcome::Interrupted, said));
        let kinds = [vec!["turn/start", "user/message"], kept, vec!["turn/end"]].concat();
        assert_eq!(session.kinds(), kinds);
        is_valid(&session.events());
    }
}

#[tokio::test]
async fn a_model_that_breaks_off_ends_the_turn_with_a_reason() {
    let (builder, _) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    for fault in [Fault::Cut, Fault::Refuse] {
        let mut breaks = says("half of this is said");
        breaks.fault = Some(fault);
        let session = if fault == Fault::Cut { &session } else { &Session::new() };
        let mut agent = session.start(scope.clone(), vec![breaks]).await;
        let mut live = agent.watch();
        let report = turn(&mut agent).await;
        assert_eq!(report.outcome, TurnOutcome::Failed);
        assert!(report.reason.unwrap().contains("script"), "the reason names who failed");
        let deltas =
            std::iter::from_fn(|| live.try_recv().ok()).filter(|live| matches!(live, Live::Delta(_)));
        let deltas: Vec<_> = deltas.collect();
        let half = Live::Delta(Delta::Text("half of th".to_owned()));
        assert_eq!(deltas, if fault == Fault::Cut { vec![half] } else { Vec::new() });
        assert_eq!(session.kinds(), ["turn/start", "user/message", "turn/end"]);
        assert_eq!(turn(&mut agent).await.text, "half of this is said");
        is_valid(&session.events());
    }
}

/// A turn whose future is dropped at any of its await points is closed by the next turn.
#[tokio::test]
async fn a_dropped_turn_is_closed_by_the_next_one() {
    for polls in 0..60 {
        let (builder, _) = runtime();
        let slow = tool_fn("slow", "Yields a few times.", |_: Nothing, _cx: RunContext| async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            Ok::<_, ToolError>("slow".to_owned())
        });
        let scope = builder.tool(slow).build().unwrap().scope("agent");
        let session = Session::new();
        let calls = [("number", r#"{"n":1}"#), ("slow", "{}")];
        let mut agent =
            session.start(scope, vec![asks(&calls), says("one"), says("two"), says("three")]).await;
        let mut turn_future = Box::pin(agent.turn(hello(), CancellationToken::new()));
        for _ in 0..polls {
            let polled = futures_util::poll!(&mut turn_future);
            if polled.is_ready() {
                break;
            }
            // The writer's thread needs a moment, more or less.
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        drop(turn_future);
        let report = turn(&mut agent).await;
        assert_ne!(report.outcome, TurnOutcome::Failed, "{polls}: {report:?}");
        is_valid(&session.events());
        let starts = session.kinds().iter().filter(|kind| **kind == "turn/start").count();
        let ends = session.kinds().iter().filter(|kind| **kind == "turn/end").count();
        assert_eq!(starts, ends, "{polls}");
    }
}

/// A log that fails stops the turn: the body of a call that cannot be logged does not run.
#[tokio::test]
async fn nothing_runs_that_is_not_logged() {
    for good in 0..6 {
        let ran = CancellationToken::new();
        let runs = ran.clone();
        let tool = tool_fn("runs", "Says that it ran.", move |_: Nothing, _cx: RunContext| {
            runs.cancel();
            async { Ok::<_, ToolError>("ran".to_owned()) }
        });
        let scope = ToolRuntime::builder().tool(tool).build().unwrap().scope("agent");
        let session = Session::new();
        let backend = Arc::new(crate::transcript::FailingBackend::new(Arc::clone(&session.backend), good));
        let model = script(vec![asks(&[("runs", "{}")]), says("done")]);
        let mut agent = Agent::builder(scope, model).start(backend, session.id).await.unwrap();
        let outcome = agent.turn(hello(), CancellationToken::new()).await;
        let error = outcome.expect_err("the log failed");
        assert!(error.to_string().contains("nothing may run that is not logged"), "{error}");
        let began = session.events().iter().any(|event| matches!(event, Event::BodyStarted(_)));
        assert_eq!(ran.is_cancelled(), began, "after {good} appends");
    }
}
