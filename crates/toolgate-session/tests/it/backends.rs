//! What every back end promises.

use tempfile::TempDir;
use toolgate_session::{Durability, Entry, SessionId, StoreError, verify::verify};

use crate::support::{all, durable, entries, lines, places, session, text};

#[test]
fn what_was_appended_is_read_back_in_order_whatever_the_page() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        let id = session(&*backend, 2_000);
        for page in [1, 7, 512, 10_000] {
            assert_eq!(
                places(&entries(&*backend, id, page)),
                (1..=2_000).collect::<Vec<_>>(),
                "{name}, {page}"
            );
        }
        for from in [1, 2, 999, 2_000, 2_001] {
            let first = backend.read(id, from, 1).unwrap();
            let expected = (from <= 2_000).then_some(from);
            assert_eq!(places(&first).first().copied(), expected, "{name} from {from}");
        }
        let Some(Entry::Record(record)) = backend.read(id, 1234, 1).unwrap().pop() else { panic!("{name}") };
        assert_eq!(record.event, text("message 1234 é"));
        assert!(verify(&*backend, id).unwrap().is_whole());
        assert_eq!(verify(&*backend, id).unwrap().intact, 2_000, "{name}");
    }
}

#[test]
fn an_opened_session_goes_on_where_it_ended() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        let id = session(&*backend, 10);
        let mut journal = backend.open(id).unwrap();
        assert_eq!(journal.last(), 10, "{name}");
        journal.append(&lines(11, &[text("later"), text("last")])).unwrap();
        assert_eq!(journal.last(), 12);
        assert_eq!(backend.acknowledged(id).unwrap(), 12, "{name}");
        assert_eq!(places(&entries(&*backend, id, 100)), (1..=12).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn there_is_one_writer_and_any_number_of_readers() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        let id = SessionId::generate();
        assert!(matches!(backend.open(id), Err(StoreError::NotFound(_))), "{name}");
        assert!(matches!(backend.read(id, 1, 1), Err(StoreError::NotFound(_))), "{name}");
        let mut journal = backend.create(id).unwrap();
        assert!(matches!(backend.open(id), Err(StoreError::Busy(_))), "{name}");
        assert!(backend.create(id).is_err(), "{name}");
        journal.append(&lines(1, &[text("one")])).unwrap();
        assert_eq!(places(&entries(&*backend, id, 10)), [1], "{name}: read while it is written");
        drop(journal);
        assert!(matches!(backend.create(id), Err(StoreError::Exists(_))), "{name}");
        assert_eq!(backend.open(id).unwrap().last(), 1, "{name}");
    }
}

#[test]
fn sessions_are_listed_by_age_and_other_files_are_left_alone() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        let ids: Vec<SessionId> = (0..5).map(|_| session(&*backend, 1)).collect();
        if name != "memory" {
            std::fs::write(folder.path().join(name).join("notes.jsonl"), "x").unwrap();
            std::fs::write(folder.path().join(name).join("notes.db"), "x").unwrap();
        }
        assert_eq!(backend.list().unwrap(), ids, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_session() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    for (name, backend) in durable(&folder, Durability::Process) {
        let id = session(&*backend, 3);
        let _open = backend.open(id).unwrap();
        let path = folder.path().join(name);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700, "{name}");
        for entry in path.read_dir().unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", entry.path().display());
        }
    }
}
