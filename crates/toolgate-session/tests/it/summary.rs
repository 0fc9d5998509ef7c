//! What is said of a session to somebody who looks for one.

use tempfile::TempDir;
use toolgate_session::{
    AssistantMessage, Event, SessionId, Summary, TurnEnd, TurnOutcome, TurnStart, Usage, summarize,
};

use crate::support::{all, every_event, lines, text};

fn start(turn: u64, model: &str) -> Event {
    Event::TurnStart(TurnStart {
        turn,
        scope: "agent".to_owned(),
        workspace: Some("/w".to_owned()),
        model: Some(model.to_owned()),
        parent: None,
    })
}

fn cost(input: u64, output: u64) -> Event {
    let usage = Some(Usage { input, output });
    Event::AssistantMessage(AssistantMessage { usage, ..AssistantMessage::default() })
}

fn end(turn: u64, outcome: TurnOutcome) -> Event {
    Event::TurnEnd(TurnEnd { turn, outcome, reason: None })
}

#[test]
fn a_session_is_summed_up() {
    let folder = TempDir::new().unwrap();
    let turns = [start(1, "a"), text(&"long ".repeat(200)), cost(5, 1), end(1, TurnOutcome::Failed)];
    let more = [start(2, "b"), text("again"), cost(u64::MAX, 2)];
    let last = [end(2, TurnOutcome::Completed)];
    let time = Some("2026-03-04T05:06:07.890+01:00".to_owned());
    let task = format!("{}… (+600 bytes)", "long ".repeat(80));
    let first = Summary {
        began: time.clone(),
        changed: time,
        records: 4,
        turns: 1,
        outcome: Some(TurnOutcome::Failed),
        model: Some("a".to_owned()),
        workspace: Some("/w".to_owned()),
        task: Some(task),
        usage: Usage { input: 5, output: 1 },
        ..Summary::default()
    };
    let usage = Usage { input: u64::MAX, output: 3 };
    let model = Some("b".to_owned());
    let second = Summary { records: 7, turns: 2, outcome: None, model, usage, ..first.clone() };
    let third = Summary { records: 8, outcome: Some(TurnOutcome::Completed), ..second.clone() };
    for (name, backend) in all(&folder) {
        let id = SessionId::generate();
        let mut journal = backend.create(id).unwrap();
        assert_eq!(summarize(&*backend, id).unwrap(), Summary::default(), "{name}");
        for (events, expected) in [(&turns[..], &first), (&more, &second), (&last, &third)] {
            let next = journal.last() + 1;
            journal.append(&lines(next, events)).unwrap();
            assert_eq!(summarize(&*backend, id).unwrap(), *expected, "{name}");
        }
    }
}

#[test]
fn every_event_has_its_place_in_a_summary() {
    let folder = TempDir::new().unwrap();
    let events = every_event();
    let calls = events.iter().filter(|event| matches!(event, Event::ToolCall(_))).count() as u64;
    for (name, backend) in all(&folder) {
        let id = SessionId::generate();
        backend.create(id).unwrap().append(&lines(1, &events)).unwrap();
        let summary = summarize(&*backend, id).unwrap();
        assert_eq!((summary.records, summary.calls), (events.len() as u64, calls), "{name}");
        assert_eq!(summary.parent.as_deref(), Some("session/call"), "{name}");
        // The first word of a person, not of a plugin.
        assert_eq!(summary.task.as_deref(), Some("hello"), "{name}");
    }
}
