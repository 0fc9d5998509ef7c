//! K70: a log that was cut in the middle of its last record.

use std::fs;

use tempfile::TempDir;
use toolgate_session::{Backend as _, Durability, JsonlBackend, SessionId, verify::verify};

use crate::support::{entries, lines, places, record_file, text};

#[test]
fn a_log_cut_at_any_byte_of_its_last_record_keeps_all_before_and_takes_the_next() {
    let folder = TempDir::new().unwrap();
    let backend = JsonlBackend::new(folder.path().join("jsonl"), Durability::Process).unwrap();
    let id = SessionId::generate();
    let whole = {
        let mut journal = backend.create(id).unwrap();
        journal.append(&lines(1, &[text("one"), text("zwei äöü"), text("trois 😀 é")])).unwrap();
        fs::read(record_file(folder.path(), "jsonl", id)).unwrap()
    };
    let cut_from = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in cut_from..whole.len() {
        let file = record_file(folder.path(), "jsonl", id);
        fs::write(&file, &whole[..cut]).unwrap();
        // The process died before anybody was told of the last record.
        fs::write(file.with_extension("head"), format!("{:020}", 2)).unwrap();

        let is_whole = cut == whole.len() - 1;
        let seen = places(&entries(&backend, id, 10));
        assert!(seen == [1, 2] || (is_whole && seen == [1, 2, 3]), "cut at {cut}: {seen:?}");
        assert_eq!(fs::read(&file).unwrap(), whole[..cut], "reading changes nothing");
        let health = verify(&backend, id).unwrap();
        assert!(health.is_whole(), "cut at {cut}: {health:?}");
        let torn = (cut > cut_from).then_some(cut_from as u64..cut as u64);
        assert_eq!(health.torn_tail, torn, "cut at {cut}");

        let next = {
            let mut journal = backend.open(id).unwrap();
            let next = journal.last() + 1;
            journal.append(&lines(next, &[text("new")])).unwrap();
            next
        };
        assert_eq!(next, if is_whole { 4 } else { 3 }, "only a record without its end is dropped");
        assert_eq!(places(&entries(&backend, id, 10)), (1..=next).collect::<Vec<_>>(), "cut at {cut}");
        assert!(verify(&backend, id).unwrap().is_whole(), "cut at {cut}");
    }
}
