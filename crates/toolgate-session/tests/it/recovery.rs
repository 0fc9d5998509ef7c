//! K71: what a crash left open is closed by appending: one result for every call, which says what is known of it.

use tempfile::TempDir;
use toolgate::{CallId, JsonValue, ToolEffect};
use toolgate_session::recover::recover;
use toolgate_session::replay::{Message, messages};
use toolgate_session::{
    ApprovalAsked, AssistantMessage, Backend, BodyEnded, BodyStarted, CodeDispatchStart, Entry, Event,
    RequestedCall, SessionId, Settlement, ToolCallRecorded, ToolResultRecorded, TurnEnd, TurnOutcome,
    TurnStart,
};

use crate::support::{all, lines, text};

fn start() -> Event {
    Event::TurnStart(TurnStart {
        turn: 2,
        scope: "agent".to_owned(),
        workspace: None,
        model: None,
        parent: None,
    })
}

fn asks(ids: &[&str]) -> Event {
    let calls = ids.iter().map(|id| RequestedCall {
        call_id: CallId::from(*id),
        model_id: "same".to_owned(),
        name: "write".to_owned(),
        arguments: "{}".to_owned(),
    });
    Event::AssistantMessage(AssistantMessage { calls: calls.collect(), ..AssistantMessage::default() })
}

fn call(id: &str, effect: ToolEffect) -> Event {
    Event::ToolCall(ToolCallRecorded {
        call_id: CallId::from(id),
        name: "write".to_owned(),
        arguments: JsonValue::empty_object(),
        normalized: Vec::new(),
        effect: Some(effect),
    })
}

fn begins(id: &str) -> Event {
    Event::BodyStarted(BodyStarted { call_id: CallId::from(id), attempt: 1 })
}

fn ends(id: &str) -> Event {
    Event::BodyEnded(BodyEnded { call_id: CallId::from(id), attempt: 1, is_error: false })
}

fn result(id: &str) -> Event {
    Event::ToolResult(ToolResultRecorded {
        call_id: CallId::from(id),
        content: Vec::new(),
        error: None,
        meta: None,
        contexts: Vec::new(),
        concludes_turn: false,
        settlement: None,
    })
}

/// The session after its recovery, and what was appended.
fn recovered(backend: &dyn Backend, events: &[Event]) -> (SessionId, Vec<Event>) {
    let id = SessionId::generate();
    let mut journal = backend.create(id).unwrap();
    journal.append(&lines(1, events)).unwrap();
    let closing = recover(backend, id, journal.last()).unwrap();
    journal.append(&lines(journal.last() + 1, &closing)).unwrap();
    assert_eq!(recover(backend, id, journal.last()).unwrap(), [], "closed once, closed for good");
    (id, closing)
}

/// What happened, the events that say so, and how the open calls are settled.
type Row = (&'static str, Vec<Event>, &'static [(&'static str, Settlement)]);

#[test]
fn each_open_call_gets_one_result_that_says_what_is_known() {
    use Settlement::{Done, NotStarted, Unknown};
    let write = ToolEffect::NonIdempotent;
    let table: &[Row] = &[
        ("asked, not made", vec![start(), asks(&["a", "b"])], &[("a", NotStarted), ("b", NotStarted)]),
        ("made, not begun", vec![start(), asks(&["a"]), call("a", write)], &[("a", NotStarted)]),
        ("begun", vec![start(), asks(&["a"]), call("a", write), begins("a")], &[("a", Unknown)]),
        ("ended", vec![start(), asks(&["a"]), call("a", write), begins("a"), ends("a")], &[("a", Done)]),
        (
            "one settled, one begun, one not made",
            vec![
                start(),
                asks(&["a", "b", "c"]),
                call("a", write),
                call("b", write),
                begins("a"),
                begins("b"),
                ends("a"),
                result("a"),
            ],
            &[("b", Unknown), ("c", NotStarted)],
        ),
        (
            "a retry that began again",
            vec![start(), asks(&["a"]), call("a", write), begins("a"), ends("a"), begins("a")],
            &[("a", Unknown)],
        ),
    ];
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        for (what, events, expected) in table {
            let (id, closing) = recovered(&*backend, events);
            let settled: Vec<(String, Settlement)> = closing
                .iter()
                .filter_map(|event| match event {
                    Event::ToolResult(result) => Some((result.call_id.to_string(), result.settlement?)),
                    _ => None,
                })
                .collect();
            let expected: Vec<_> = expected.iter().map(|(id, what)| ((*id).to_owned(), *what)).collect();
            assert_eq!(settled, expected, "{name}: {what}");
            assert!(
                matches!(
                    closing.last(),
                    Some(Event::TurnEnd(TurnEnd { turn: 2, outcome: TurnOutcome::Crashed, .. }))
                ),
                "{name}: {what}"
            );
            every_call_has_one_result(&*backend, id, what);
        }
    }
}

/// K14: what is sent to a model next is valid.
fn every_call_has_one_result(backend: &dyn Backend, id: SessionId, what: &str) {
    let entries = backend.read(id, 1, 1_000).unwrap();
    let events: Vec<Event> = entries
        .into_iter()
        .map(|entry| match entry {
            Entry::Record(record) => record.event,
            Entry::Damaged(damage) => panic!("{what}: {damage:?}"),
        })
        .collect();
    let count = |id: &CallId, is_wanted: fn(&Event) -> Option<&CallId>| {
        events.iter().filter(|event| is_wanted(event) == Some(id)).count()
    };
    for message in messages(&events) {
        let Message::Assistant { calls, .. } = message else { continue };
        for call in calls {
            let calls = count(&call.call_id, |event| match event {
                Event::ToolCall(call) => Some(&call.call_id),
                _ => None,
            });
            let results = count(&call.call_id, |event| match event {
                Event::ToolResult(result) => Some(&result.call_id),
                _ => None,
            });
            assert_eq!((calls, results), (1, 1), "{what}: {}", call.call_id);
        }
    }
}

#[test]
fn open_questions_and_sub_calls_are_closed_too() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        let events = [
            start(),
            asks(&["a"]),
            call("a", ToolEffect::NonIdempotent),
            begins("a"),
            Event::CodeDispatchStart(CodeDispatchStart {
                parent: CallId::from("a"),
                call_id: CallId::from("a:code:1"),
                name: "write".to_owned(),
                arguments: JsonValue::empty_object(),
            }),
            Event::ApprovalAsked(ApprovalAsked {
                question: "q".to_owned(),
                call_id: CallId::from("a:code:1"),
                name: "write".to_owned(),
                arguments: JsonValue::empty_object(),
                reason: None,
            }),
        ];
        let (_, closing) = recovered(&*backend, &events);
        let kinds: Vec<_> = closing.iter().map(Event::kind).collect();
        assert_eq!(kinds, ["approval/decided", "tool/code-dispatch", "tool/result", "turn/end"], "{name}");
    }
}

#[test]
fn a_closed_session_and_one_without_turns_need_nothing() {
    let folder = TempDir::new().unwrap();
    let end = Event::TurnEnd(TurnEnd { turn: 2, outcome: TurnOutcome::Completed, reason: None });
    for (name, backend) in all(&folder) {
        for events in [vec![text("hello")], vec![start(), text("x"), end.clone()]] {
            assert_eq!(recovered(&*backend, &events).1, [], "{name}");
        }
    }
}

#[test]
fn a_turn_longer_than_a_page_is_found_from_its_start() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        let mut events = vec![text("before"), start(), asks(&["a"])];
        events.extend((0..1_000).map(|number| text(&number.to_string())));
        let (_, closing) = recovered(&*backend, &events);
        let kinds: Vec<_> = closing.iter().map(Event::kind).collect();
        assert_eq!(kinds, ["tool/call", "tool/result", "turn/end"], "{name}");
    }
}
