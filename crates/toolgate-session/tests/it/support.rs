//! Sessions with something in them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolgate::{CallId, ContentBlock, JsonValue, ToolEffect, UserMessage};
use toolgate_session::{
    ApprovalAsked, ApprovalDecided, AssistantMessage, Backend, BodyEnded, BodyStarted, Clock, CodeDispatch,
    CodeDispatchStart, Durability, Entry, Event, JsonlBackend, MemoryBackend, Record, RecordedError,
    RequestedCall, SessionId, Settlement, SqliteBackend, SubagentStarted, ToolCallRecorded,
    ToolResultRecorded, TurnEnd, TurnOutcome, TurnStart, Usage, UserEntry,
};

pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now(&mut self) -> String {
        "2026-03-04T05:06:07.890+01:00".to_owned()
    }
}

/// The durable back ends in one folder each, by name.
pub(crate) fn durable(folder: &TempDir, durability: Durability) -> Vec<(&'static str, Box<dyn Backend>)> {
    let at = |name: &str| folder.path().join(name);
    vec![
        ("jsonl", Box::new(JsonlBackend::new(at("jsonl"), durability).unwrap())),
        ("sqlite", Box::new(SqliteBackend::new(at("sqlite"), durability).unwrap())),
    ]
}

/// Every back end.
pub(crate) fn all(folder: &TempDir) -> Vec<(&'static str, Box<dyn Backend>)> {
    let mut backends = durable(folder, Durability::Power);
    backends.push(("memory", Box::new(MemoryBackend::new())));
    backends
}

pub(crate) fn record_file(folder: &Path, backend: &str, id: SessionId) -> PathBuf {
    let suffix = if backend == "jsonl" { "jsonl" } else { "db" };
    folder.join(backend).join(format!("{id}.{suffix}"))
}

pub(crate) fn text(text: &str) -> Event {
    Event::UserMessage(UserEntry { source: None, content: vec![ContentBlock::text(text)], meta: None })
}

pub(crate) fn lines(first: u64, events: &[Event]) -> Vec<Vec<u8>> {
    let records = (first..).zip(events).map(|(seq, event)| Record {
        seq,
        time: FixedClock.now(),
        event: event.clone(),
    });
    records.map(|record| record.to_line()).collect()
}

/// A closed session of `count` messages.
pub(crate) fn session(backend: &dyn Backend, count: usize) -> SessionId {
    let id = SessionId::generate();
    let mut journal = backend.create(id).unwrap();
    let events: Vec<Event> = (1..=count).map(|number| text(&format!("message {number} é"))).collect();
    for (seq, batch) in (0u64..).step_by(7).zip(events.chunks(7)) {
        journal.append(&lines(seq + 1, batch)).unwrap();
    }
    id
}

/// Everything that can be read, page by page.
pub(crate) fn entries(backend: &dyn Backend, id: SessionId, page: usize) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut next = 1;
    loop {
        let read = backend.read(id, next, page).unwrap();
        if read.is_empty() {
            return all;
        }
        for entry in read {
            let last = match &entry {
                Entry::Record(record) => Some(record.seq),
                Entry::Damaged(damage) => damage.last,
            };
            all.push(entry);
            match last {
                Some(last) => next = last + 1,
                None => return all,
            }
        }
    }
}

pub(crate) fn places(entries: &[Entry]) -> Vec<u64> {
    entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Record(record) => Some(record.seq),
            Entry::Damaged(_) => None,
        })
        .collect()
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// One event of every type, with every field that it can have, and again with as few as it can have.
pub(crate) fn every_event() -> Vec<Event> {
    let id = CallId::from;
    let json = |text: &str| JsonValue::parse(text).unwrap();
    let content = || {
        vec![
            ContentBlock::text("a\nb \u{1f600} \u{2028}"),
            ContentBlock::image("aGk=", "image/png"),
            ContentBlock::from_json(&json(r#"{"type":"audio","data":[1,18446744073709551615]}"#)).unwrap(),
        ]
    };
    let meta = || json(r#"{"nested":{"deep":[null,true,-9223372036854775808,0.5]}}"#);
    let start = |parent: Option<&str>| TurnStart {
        turn: 3,
        scope: "agent".to_owned(),
        workspace: parent.map(|_| "/home/me/project".to_owned()),
        model: parent.map(|_| "model".to_owned()),
        parent: parent.map(str::to_owned),
    };
    let call = RequestedCall {
        call_id: id("c-1"),
        model_id: "call_1".to_owned(),
        name: "read".to_owned(),
        arguments: "{\"path\": \"a".to_owned(),
    };
    let error = |info: bool| RecordedError {
        message: "no".to_owned(),
        name: info.then(|| "E".to_owned()),
        code: info.then(|| "CODE".to_owned()),
        cause: "body_failed".to_owned(),
    };
    let bare_result = ToolResultRecorded {
        call_id: id("c-1"),
        content: Vec::new(),
        error: None,
        meta: None,
        contexts: Vec::new(),
        concludes_turn: false,
        settlement: None,
    };
    let mut events = vec![
        Event::TurnStart(start(Some("session/call"))),
        Event::TurnStart(start(None)),
        Event::SubagentStarted(SubagentStarted { call_id: id("c-1"), session: SessionId::generate() }),
        Event::UserMessage(UserEntry {
            source: Some("plugin".to_owned()),
            content: content(),
            meta: Some(meta()),
        }),
        text("hello"),
        Event::AssistantMessage(AssistantMessage {
            content: content(),
            calls: vec![call],
            stop: Some("tool_calls".to_owned()),
            usage: Some(Usage { input: 10, output: 2 }),
        }),
        Event::AssistantMessage(AssistantMessage::default()),
        Event::BodyStarted(BodyStarted { call_id: id("c-1"), attempt: 1 }),
        Event::BodyEnded(BodyEnded { call_id: id("c-1"), attempt: 1, is_error: true }),
        Event::ToolResult(bare_result.clone()),
        Event::ToolResult(ToolResultRecorded { error: Some(error(false)), ..bare_result.clone() }),
        Event::CodeDispatchStart(CodeDispatchStart {
            parent: id("c-1"),
            call_id: id("c-1:code:1"),
            name: "grep".to_owned(),
            arguments: meta(),
        }),
        Event::CodeDispatch(CodeDispatch {
            parent: id("c-1"),
            call_id: id("c-1:code:1"),
            name: "grep".to_owned(),
            is_error: false,
            content: content(),
        }),
    ];
    for effect in [ToolEffect::Pure, ToolEffect::Idempotent, ToolEffect::Keyed, ToolEffect::NonIdempotent] {
        events.push(Event::ToolCall(ToolCallRecorded {
            call_id: id("c-1"),
            name: "read".to_owned(),
            arguments: meta(),
            normalized: vec!["unwrapped".to_owned()],
            effect: Some(effect),
        }));
    }
    events.push(Event::ToolCall(ToolCallRecorded {
        call_id: id("c-2"),
        name: "gone".to_owned(),
        arguments: JsonValue::null(),
        normalized: Vec::new(),
        effect: None,
    }));
    for settlement in [Settlement::NotStarted, Settlement::Unknown, Settlement::Done] {
        events.push(Event::ToolResult(ToolResultRecorded {
            content: content(),
            error: Some(error(true)),
            meta: Some(meta()),
            contexts: vec![
                UserMessage::text("plugin", "look").with_meta(meta()),
                UserMessage::new("other", content()),
            ],
            concludes_turn: true,
            settlement: Some(settlement),
            ..bare_result.clone()
        }));
    }
    for reason in [None, Some("it deletes".to_owned())] {
        events.push(Event::ApprovalAsked(ApprovalAsked {
            question: "q-1".to_owned(),
            call_id: id("c-1"),
            name: "delete".to_owned(),
            arguments: meta(),
            reason: reason.clone(),
        }));
        events.push(Event::ApprovalDecided(ApprovalDecided {
            question: "q-1".to_owned(),
            call_id: id("c-1"),
            outcome: "allowed-once".to_owned(),
            by: reason,
        }));
    }
    for outcome in [
        TurnOutcome::Completed,
        TurnOutcome::Interrupted,
        TurnOutcome::LimitReached,
        TurnOutcome::Failed,
        TurnOutcome::Crashed,
    ] {
        events.push(Event::TurnEnd(TurnEnd { turn: 3, outcome, reason: None }));
        events.push(Event::TurnEnd(TurnEnd { turn: 3, outcome, reason: Some("why".to_owned()) }));
    }
    events
}
