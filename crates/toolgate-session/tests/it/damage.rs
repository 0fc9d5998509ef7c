//! A flipped byte, a zeroed block and a cut tail, in each durable back end: found, and what is lost is named.

use std::fs;
use std::ops::Range;
use std::path::Path;

use tempfile::TempDir;
use toolgate_session::{Backend, Durability, Entry, SessionId, verify::verify};

use crate::support::{copy_folder, durable, entries, lines, places, record_file, session, text};

const COUNT: u64 = 800;

/// A session in each back end, whose files lie whole on disk.
fn sessions(folder: &TempDir) -> Vec<(&'static str, SessionId)> {
    let backends = durable(folder, Durability::Process);
    backends.iter().map(|(name, backend)| (*name, session(&**backend, COUNT as usize))).collect()
}

/// The back end of a copy of the sessions whose bytes `change` has changed.
fn damaged(
    folder: &TempDir,
    copy: &TempDir,
    name: &'static str,
    id: SessionId,
    change: impl Fn(&mut Vec<u8>),
) -> Box<dyn Backend> {
    copy_folder(&folder.path().join(name), &copy.path().join(name));
    let path = record_file(copy.path(), name, id);
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    durable(copy, Durability::Process).into_iter().find(|(found, _)| *found == name).unwrap().1
}

/// Everything is either read or named as lost, exactly once; and no more is lost than `most` records.
fn check(backend: &dyn Backend, id: SessionId, most: u64, what: &str) {
    let health = verify(backend, id).unwrap();
    let mut lost: Vec<Range<u64>> = Vec::new();
    for damage in &health.damage {
        lost.push(damage.first..damage.last.unwrap_or_else(|| panic!("{what}: {damage:?}")) + 1);
    }
    let lost_count: u64 = lost.iter().map(|range| range.end - range.start).sum();
    assert_eq!(health.intact + lost_count, COUNT, "{what}: {health:?}");
    assert!(lost_count <= most, "{what}: {lost_count} records are lost");
    let read = entries(backend, id, 100);
    let seen = places(&read);
    assert_eq!(seen.len() as u64, health.intact, "{what}");
    assert!(seen.iter().all(|seq| !lost.iter().any(|range| range.contains(seq))), "{what}");
    for entry in read {
        if let Entry::Record(record) = entry {
            assert_eq!(record.event, text(&format!("message {} é", record.seq)), "{what}");
        }
    }
}

/// Places spread over the file, some of them at the borders of pages.
fn spread(length: usize) -> impl Iterator<Item = usize> {
    (0..24)
        .map(move |step| (length * step / 24).max(100) + step * 37 % 97)
        .filter(move |place| *place < length)
}

#[test]
fn a_flipped_byte_costs_what_it_touches() {
    let folder = TempDir::new().unwrap();
    for (name, id) in sessions(&folder) {
        let length = fs::metadata(record_file(folder.path(), name, id)).unwrap().len() as usize;
        let mut found = 0;
        for place in spread(length) {
            let copy = TempDir::new().unwrap();
            let backend = damaged(&folder, &copy, name, id, |bytes| bytes[place] ^= 0x10);
            // Of a database a page may be unreadable, of which an inner one has the rows of many.
            let most = if name == "jsonl" { 2 } else { COUNT };
            check(&*backend, id, most, &format!("{name}, byte {place}"));
            found += usize::from(!verify(&*backend, id).unwrap().is_whole());
        }
        // A byte of a database may be one that nobody uses.
        assert!(found >= if name == "jsonl" { 24 } else { 15 }, "{name}: {found} of 24 were noticed");
    }
}

#[test]
fn a_zeroed_block_costs_what_it_touches() {
    let folder = TempDir::new().unwrap();
    for (name, id) in sessions(&folder) {
        let length = fs::metadata(record_file(folder.path(), name, id)).unwrap().len() as usize;
        for block in [8, 21, 50] {
            let copy = TempDir::new().unwrap();
            let start = (length * block / 60) / 4096 * 4096;
            let backend = damaged(&folder, &copy, name, id, |bytes| bytes[start..start + 4096].fill(0));
            assert!(!verify(&*backend, id).unwrap().is_whole(), "{name}, block {block}");
            check(&*backend, id, if name == "jsonl" { 60 } else { COUNT }, &format!("{name}, block {block}"));
        }
    }
}

#[test]
fn a_cut_tail_is_noticed_even_between_two_records() {
    let folder = TempDir::new().unwrap();
    for (name, id) in sessions(&folder) {
        for part in [2, 3, 10] {
            let copy = TempDir::new().unwrap();
            let backend = damaged(&folder, &copy, name, id, |bytes| {
                let mut keep = bytes.len() - bytes.len() / part;
                if name == "jsonl" {
                    keep = bytes[..keep].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
                }
                bytes.truncate(keep);
            });
            assert!(!verify(&*backend, id).unwrap().is_whole(), "{name}, cut by 1/{part}");
            check(&*backend, id, COUNT, &format!("{name}, cut by 1/{part}"));
        }
    }
}

#[test]
fn damage_is_never_written_over_and_its_places_are_never_given_again() {
    let folder = TempDir::new().unwrap();
    let (name, id) = sessions(&folder)[0];
    assert_eq!(name, "jsonl");
    let path = record_file(folder.path(), name, id);
    let before = fs::read(&path).unwrap();
    let backend = durable(&folder, Durability::Process).remove(0).1;
    let cut = |keep: usize, folder: &Path| fs::write(record_file(folder, name, id), &before[..keep]).unwrap();
    let keep = before[..before.len() / 2].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    cut(keep, folder.path());
    let kept = places(&entries(&*backend, id, 512)).len() as u64;
    let mut journal = backend.open(id).unwrap();
    assert_eq!(journal.last(), COUNT, "the places that were acknowledged are not given again");
    journal.append(&lines(COUNT + 1, &[text("after")])).unwrap();
    drop(journal);
    let health = verify(&*backend, id).unwrap();
    assert_eq!(health.intact, kept + 1);
    let lost: Vec<_> = health.damage.iter().map(|damage| (damage.first, damage.last)).collect();
    assert_eq!(lost, [(kept + 1, Some(COUNT))]);
}
