//! Folders and files that somebody has prepared: nothing of them is run, waited for or counted past its end, and what can be
//! read is read.

use std::fs;
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;
use toolgate_session::verify::{Verification, verify};
use toolgate_session::{Backend, Durability, Record, SessionId, StoreError};

use crate::support::{durable, entries, lines, places, record_file, session, text};

/// A file of these lines, as a session.
fn written(folder: &TempDir, lines: &[Vec<u8>]) -> (Box<dyn Backend>, SessionId) {
    let backend = durable(folder, Durability::Process).remove(0).1;
    let id = SessionId::generate();
    fs::write(record_file(folder.path(), "jsonl", id), [lines.join(&b'\n'), b"\n".to_vec()].concat())
        .unwrap();
    (backend, id)
}

/// A database that a session was replaced by, and the back end that it lies in.
fn replaced(folder: &TempDir, statements: &str) -> (Box<dyn Backend>, SessionId) {
    let backend = durable(folder, Durability::Process).remove(1).1;
    let id = session(&*backend, 3);
    let path = record_file(folder.path(), "sqlite", id);
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(statements).unwrap();
    (backend, id)
}

fn lost(health: &Verification) -> Vec<(u64, Option<u64>)> {
    health.damage.iter().filter(|damage| damage.is_loss()).map(|damage| (damage.first, damage.last)).collect()
}

#[test]
fn what_stands_between_records_is_told_and_costs_none() {
    let all = lines(1, &[text("one"), text("two"), text("three")]);
    for foreign in [&b"garbage"[..], b"", &all[0], &all[1], b"\xff\xfe"] {
        for place in 0..3 {
            if foreign == all[1] && place == 0 {
                // Then the first record is the one that comes too late.
                continue;
            }
            let mut lines = all.clone();
            lines.insert(place, foreign.to_vec());
            // A record in the place of the next one is that one.
            let is_next = foreign == all[place];
            let folder = TempDir::new().unwrap();
            let (backend, id) = written(&folder, &lines);
            let health = verify(&*backend, id).unwrap();
            let what = format!("{foreign:?} at {place}: {health:?}");
            assert_eq!((health.intact, lost(&health)), (3, vec![]), "{what}");
            assert!(!health.is_whole(), "{what}");
            assert_eq!(health.damage.len(), 1, "{what}");
            let told = &health.damage[0];
            let place = place as u64 + 1 + u64::from(is_next);
            assert_eq!((told.first, told.last), (place, Some(place - 1)), "{what}");
            for page in [1, 2, 100] {
                assert_eq!(places(&entries(&*backend, id, page)), [1, 2, 3], "{what}, in pages of {page}");
            }
        }
    }
}

#[test]
fn places_that_were_never_given_are_damage() {
    for seq in [0, 1 << 53, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        let forged = Record { seq, time: String::new(), event: text("forged") }.to_line();
        let folder = TempDir::new().unwrap();
        let (backend, id) = written(&folder, &[lines(1, &[text("one")]), vec![forged]].concat());
        let health = verify(&*backend, id).unwrap();
        assert_eq!((health.intact, health.damage.len()), (1, 1), "{seq}: {health:?}");
        let mut journal = backend.open(id).unwrap();
        assert_eq!(journal.last(), 2, "{seq}: what stands there keeps a place");
        journal.append(&lines(3, &[text("three")])).unwrap();
        assert_eq!(places(&entries(&*backend, id, 10)), [1, 3], "{seq}");
    }
}

#[test]
fn a_note_of_more_than_there_can_be_is_none() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in durable(&folder, Durability::Process) {
        let id = session(&*backend, 3);
        let head = record_file(folder.path(), name, id).with_extension("head");
        for note in ["18446744073709551615", "99999999999999999999", "00009007199254740992", "-1"] {
            fs::write(&head, note).unwrap();
            assert_eq!(backend.acknowledged(id).unwrap(), 0, "{name}, {note}");
            assert!(verify(&*backend, id).unwrap().is_whole(), "{name}, {note}");
            assert_eq!(backend.open(id).unwrap().last(), 3, "{name}, {note}");
        }
        assert!(backend.read(id, u64::MAX, 10).unwrap().is_empty(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_folders_and_pipes_are_no_sessions() {
    for name in ["jsonl", "sqlite"] {
        let folder = TempDir::new().unwrap();
        let backends = durable(&folder, Durability::Process);
        let backend = &backends.iter().find(|(found, _)| *found == name).unwrap().1;
        let path = |id| record_file(folder.path(), name, id);
        let target = folder.path().join("mine");
        fs::write(&target, "no end of a line").unwrap();
        let [link, directory, pipe] = [(); 3].map(|()| SessionId::generate());
        std::os::unix::fs::symlink(&target, path(link)).unwrap();
        fs::create_dir(path(directory)).unwrap();
        assert!(Command::new("mkfifo").arg(path(pipe)).status().unwrap().success());
        assert!(backend.list().unwrap().is_empty(), "{name}");
        for id in [link, directory, pipe] {
            assert!(matches!(backend.open(id), Err(StoreError::NotFound(_))), "{name}");
            assert!(matches!(backend.read(id, 1, 1), Err(StoreError::NotFound(_))), "{name}");
        }
        assert_eq!(
            fs::read(&target).unwrap(),
            b"no end of a line",
            "{name}: nothing behind the link was mended"
        );
        // Nobody writes into this pipe, and nobody waits for it.
        let id = session(&**backend, 2);
        let head = path(id).with_extension("head");
        fs::remove_file(&head).unwrap();
        assert!(Command::new("mkfifo").arg(&head).status().unwrap().success());
        assert_eq!(backend.acknowledged(id).unwrap(), 0, "{name}");
        // Nothing is noted in a file that a link leads to.
        fs::remove_file(&head).unwrap();
        std::os::unix::fs::symlink(&target, &head).unwrap();
        assert!(matches!(backend.open(id), Err(StoreError::Io { .. })), "{name}");
        assert_eq!(fs::read(&target).unwrap(), b"no end of a line", "{name}");
    }
}

#[test]
fn a_database_runs_nothing_when_it_is_read() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)";
    for statements in [
        format!(
            "DROP TABLE record; CREATE VIEW record AS {endless} SELECT i AS seq, x'00' AS line FROM n WHERE i > 1;"
        ),
        format!(
            "CREATE TRIGGER t BEFORE INSERT ON record BEGIN INSERT INTO record {endless} SELECT i, x'' FROM n; END;"
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let (backend, id) = replaced(&folder, &statements);
        let health = verify(&*backend, id).unwrap();
        assert_eq!((health.intact, health.damage.len()), (0, 1), "{health:?}");
        assert!(health.damage[0].reason.contains("views or triggers"), "{health:?}");
        assert!(matches!(backend.open(id), Err(StoreError::Damaged { .. })));
    }
}

#[test]
fn databases_of_another_kind_are_damage_and_rows_are_bounded() {
    for (statements, intact) in [
        ("DROP TABLE record;", 0),
        ("DROP TABLE record; CREATE TABLE record (name TEXT);", 0),
        ("UPDATE record SET line = zeroblob(70000000) WHERE seq = 2;", 2),
    ] {
        let folder = TempDir::new().unwrap();
        let (backend, id) = replaced(&folder, statements);
        let health = verify(&*backend, id).unwrap();
        assert_eq!(health.intact, intact, "{statements}: {health:?}");
        assert!(!health.is_whole(), "{statements}");
        assert!(health.damage.iter().any(|damage| damage.is_loss()), "{statements}: {health:?}");
    }
    let folder = TempDir::new().unwrap();
    let (backend, id) = replaced(&folder, "UPDATE record SET line = zeroblob(70000000) WHERE seq = 2;");
    let health = verify(&*backend, id).unwrap();
    assert_eq!(lost(&health), [(2, Some(2))]);
    assert!(health.damage[0].reason.contains("too big"), "never read, not read and found wrong: {health:?}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_can_be_read() {
    let folder = TempDir::new().unwrap();
    let backend = durable(&folder, Durability::Process).remove(1).1;
    let id = session(&*backend, 5);
    // As in such a folder, the file in which readers say that they read cannot be opened.
    let path = record_file(folder.path(), "sqlite", id);
    for suffix in ["db-shm", "db-wal"] {
        let beside = path.with_extension(suffix);
        assert!(!beside.exists(), "a closed database has nothing beside it");
    }
    std::os::unix::fs::symlink("nowhere", path.with_extension("db-shm")).unwrap();
    assert_eq!(places(&entries(&*backend, id, 2)), [1, 2, 3, 4, 5]);
}
