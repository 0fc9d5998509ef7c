//! Sessions read page by page, also while they grow and where they are damaged.

use std::fs;

use tempfile::TempDir;
use toolgate_session::{Durability, Entries, Entry};

use crate::support::{all, durable, lines, places, record_file, session, text};

#[test]
fn what_is_appended_later_comes_later() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in all(&folder) {
        // More than one page.
        let id = session(&*backend, 1_200);
        let mut entries = Entries::new(&*backend, id, 0);
        let read: Vec<Entry> = entries.by_ref().map(Result::unwrap).collect();
        assert_eq!(places(&read), (1..=1_200).collect::<Vec<_>>(), "{name}");
        assert_eq!(entries.place(), 1_201, "{name}");
        assert!(entries.next().is_none(), "{name}");
        let mut journal = backend.open(id).unwrap();
        journal.append(&lines(1_201, &[text("later"), text("and later")])).unwrap();
        let read: Vec<Entry> = entries.by_ref().map(Result::unwrap).collect();
        assert_eq!(places(&read), [1_201, 1_202], "{name}");
        let read: Vec<Entry> = Entries::new(&*backend, id, 1_199).map(Result::unwrap).collect();
        assert_eq!(places(&read), [1_199, 1_200, 1_201, 1_202], "{name}");
    }
}

#[test]
fn damage_at_the_end_is_given_once_and_again_when_its_end_is_known() {
    let folder = TempDir::new().unwrap();
    let (name, backend) = durable(&folder, Durability::Process).remove(0);
    let id = session(&*backend, 10);
    let path = record_file(folder.path(), name, id);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(11).rposition(|window| window == b"message 10 ").unwrap();
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let mut entries = Entries::new(&*backend, id, 9);
    let lost = |entry: Option<Result<Entry, _>>| match entry {
        Some(Ok(Entry::Damaged(damage))) => (damage.first, damage.last),
        other => panic!("{other:?}"),
    };
    assert!(matches!(entries.next(), Some(Ok(Entry::Record(_)))));
    assert_eq!(lost(entries.next()), (10, None));
    assert!(entries.next().is_none() && entries.next().is_none());
    let mut journal = backend.open(id).unwrap();
    journal.append(&lines(11, &[text("later")])).unwrap();
    assert_eq!(lost(entries.next()), (10, Some(10)));
    assert_eq!(places(&entries.map(Result::unwrap).collect::<Vec<_>>()), [11]);
}
