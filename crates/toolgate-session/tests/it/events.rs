//! Events as lines: the round trip, the schema, and what is refused.

use toolgate::{CallId, JsonValue};
use toolgate_session::{CodeDispatchStart, Event, Record, RecordError, event_schema};

use crate::support::{every_event, text};

fn record(seq: u64, event: Event) -> Record {
    Record { seq, time: "2026-03-04T05:06:07.890+01:00".to_owned(), event }
}

#[test]
fn every_event_comes_back_as_it_was_and_fits_the_schema() {
    let schema = serde_json::from_str(event_schema()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (seq, event) in (1..).zip(every_event()) {
        let record = record(seq, event);
        let line = record.to_line();
        assert_eq!(Record::from_line(&line).as_ref(), Ok(&record));
        assert!(!line.contains(&b'\n'));
        let json: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let faults: Vec<String> = schema.iter_errors(&json).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new(), "{json}");
    }
}

#[test]
fn the_list_of_types_is_that_of_the_schema_and_of_the_events() {
    let schema: serde_json::Value = serde_json::from_str(event_schema()).unwrap();
    assert_eq!(schema["properties"]["type"]["enum"], serde_json::json!(Event::KINDS));
    let mut kinds: Vec<&str> = every_event().iter().map(Event::kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut listed = Event::KINDS.to_vec();
    listed.sort_unstable();
    assert_eq!(kinds, listed);
}

#[test]
fn values_of_any_depth_are_kept() {
    let mut deep = JsonValue::from(1);
    for _ in 0..20_000 {
        deep = JsonValue::array([deep]);
    }
    let start = CodeDispatchStart {
        parent: CallId::from("c"),
        call_id: CallId::from("c:code:1"),
        name: "t".to_owned(),
        arguments: deep.clone(),
    };
    let line = record(1, Event::CodeDispatchStart(start)).to_line();
    let Event::CodeDispatchStart(read) = Record::from_line(&line).unwrap().event else {
        panic!("another event")
    };
    assert!(read.arguments == deep);
}

#[test]
fn no_byte_of_a_line_can_change_unnoticed() {
    let line = record(7, text("héllo")).to_line();
    for place in 0..line.len() {
        for bit in 0..8 {
            let mut changed = line.clone();
            changed[place] ^= 1 << bit;
            assert_eq!(Record::from_line(&changed), Err(RecordError::Checksum), "byte {place}, bit {bit}");
        }
        assert_eq!(Record::from_line(&line[..place]), Err(RecordError::Checksum), "cut at {place}");
    }
}

#[test]
fn a_line_of_a_newer_version_is_told_from_a_damaged_one() {
    let line = String::from_utf8(record(7, text("x")).to_line()).unwrap();
    let (body, _) = line.rsplit_once(",\"crc\":").unwrap();
    let body = body.replace("user/message", "user/dance");
    let line = format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes()));
    let error = Record::from_line(line.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "`user/dance` is no type of event that this version knows");
}
