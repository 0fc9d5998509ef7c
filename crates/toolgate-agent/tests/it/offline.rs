//! A session run again from its log alone: no model is asked, no tool runs, and every difference is found.

use std::sync::atomic::Ordering;

use toolgate::{CancellationToken, JsonValue, ToolRuntime};
use toolgate_agent::model::script::Fault;
use toolgate_agent::{Agent, ReplayReport, TurnLimits, replay_offline};
use toolgate_session::{Entry, Event, Record};

use crate::support::{Session, asks, hello, runtime, says, turn};

fn records(session: &Session) -> Vec<Record> {
    let entries = session.backend.read(session.id, 1, 10_000).unwrap();
    let records = entries.into_iter().map(|entry| match entry {
        Entry::Record(record) => *record,
        Entry::Damaged(damage) => panic!("{damage:?}"),
    });
    records.collect()
}

async fn replayed(session: &Session, records: &[Record]) -> ReplayReport {
    let scope = ToolRuntime::builder().build().unwrap().scope("agent");
    replay_offline(records, session.id, scope, TurnLimits::default()).await.unwrap()
}

/// Several turns: calls of every kind, a failing model, an interrupted turn.
async fn session() -> Session {
    let (builder, ran) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    let calls = [
        ("number", r#""{\"n\":2}""#),
        ("number", "[1]"),
        ("absent", ""),
        ("number", r#"{"n":9007199254740993}"#),
    ];
    let mut cut = asks(&[("number", r#"{"n":"#)]);
    cut.stop = Some("length".to_owned());
    let mut fails = says("half of it");
    fails.fault = Some(Fault::Refuse);
    let answers = vec![asks(&calls), cut, says("one"), fails, asks(&[("nothing", "{}")]), says("three")];
    let mut agent: Agent = session.start(scope, answers).await;
    turn(&mut agent).await;
    turn(&mut agent).await;
    turn(&mut agent).await;
    let stopped = CancellationToken::new();
    stopped.cancel();
    agent.turn(hello(), stopped).await.unwrap();
    turn(&mut agent).await;
    assert_eq!(ran.load(Ordering::SeqCst), 3);
    session
}

#[tokio::test]
async fn a_session_that_is_run_again_writes_the_same() {
    let session = session().await;
    let report = replayed(&session, &records(&session)).await;
    assert_eq!(report.divergence, None);
    assert_eq!(report.turns, 5);
    assert!(report.compared > 20, "{report:?}");
}

#[tokio::test]
async fn whatever_is_different_is_found_at_its_place() {
    let session = session().await;
    let whole = records(&session);
    for change in 0..4 {
        let mut records = whole.clone();
        let place = records
            .iter_mut()
            .position(|record| match (&mut record.event, change) {
                (Event::ToolCall(call), 0) => {
                    call.arguments = JsonValue::from("another");
                    true
                }
                (Event::ToolCall(call), 1) => {
                    call.normalized.clear();
                    true
                }
                (Event::ToolResult(result), 2) => {
                    result.call_id = toolgate::CallId::from("another");
                    true
                }
                (Event::AssistantMessage(message), 3) => {
                    message.calls[0].call_id = toolgate::CallId::from("another");
                    true
                }
                _ => false,
            })
            .unwrap();
        let report = replayed(&session, &records).await;
        let divergence = report.divergence.unwrap_or_else(|| panic!("change {change} is not found"));
        assert_eq!(divergence.seq, Some(records[place].seq), "change {change}: {divergence:?}");
    }
}
