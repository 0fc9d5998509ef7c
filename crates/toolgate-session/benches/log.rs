//! What a log costs: appending events of 1 KB, one by one and in batches, for each back end and durability; opening a
//! long session to go on with it; reading a page in its middle.
//!
//! `EVENTS` says how long the long session is; 1,000,000 unless it is set.

#![expect(clippy::unwrap_used, reason = "a benchmark that fails should stop")]

use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

use divan::{Bencher, counter::ItemsCount};
use tempfile::TempDir;
use toolgate::ContentBlock;
use toolgate_session::recover::recover;
use toolgate_session::{
    Backend, Durability, Event, JsonlBackend, MemoryBackend, Record, SessionId, SqliteBackend, TurnStart,
    UserEntry,
};

fn main() {
    divan::main();
}

const BACKENDS: [&str; 5] = ["memory", "jsonl process", "jsonl power", "sqlite process", "sqlite power"];
const DURABLE: [&str; 2] = ["jsonl process", "sqlite process"];

fn open(name: &str, folder: &Path) -> Box<dyn Backend> {
    let durability = if name.ends_with("power") { Durability::Power } else { Durability::Process };
    match name.split(' ').next() {
        Some("jsonl") => Box::new(JsonlBackend::new(folder.join("jsonl"), durability).unwrap()),
        Some("sqlite") => Box::new(SqliteBackend::new(folder.join("sqlite"), durability).unwrap()),
        _ => Box::new(MemoryBackend::new()),
    }
}

/// A turn of a hundred events, of which the last is never closed.
fn line(seq: u64) -> Vec<u8> {
    let text = "x".repeat(900);
    let event = if seq % 100 == 1 {
        Event::TurnStart(TurnStart {
            turn: seq / 100 + 1,
            scope: text,
            workspace: None,
            model: None,
            parent: None,
        })
    } else {
        Event::UserMessage(UserEntry { source: None, content: vec![ContentBlock::text(text)], meta: None })
    };
    Record { seq, time: "2026-03-04T05:06:07.890+01:00".to_owned(), event }.to_line()
}

fn append(bencher: Bencher<'_, '_>, name: &str, batch: u64) {
    let folder = TempDir::new().unwrap();
    let mut journal = open(name, folder.path()).create(SessionId::generate()).unwrap();
    bencher.counter(ItemsCount::new(batch)).bench_local(|| {
        let last = journal.last();
        let lines: Vec<Vec<u8>> = (last + 1..=last + batch).map(line).collect();
        journal.append(&lines).unwrap();
    });
}

#[divan::bench(args = BACKENDS)]
fn append_one(bencher: Bencher<'_, '_>, name: &str) {
    append(bencher, name, 1);
}

#[divan::bench(args = BACKENDS)]
fn append_a_hundred(bencher: Bencher<'_, '_>, name: &str) {
    append(bencher, name, 100);
}

/// A long session in each durable back end, made once.
fn long_session() -> &'static (TempDir, SessionId, u64) {
    static SESSION: OnceLock<(TempDir, SessionId, u64)> = OnceLock::new();
    SESSION.get_or_init(|| {
        let count = env::var("EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
        let (folder, id) = (TempDir::new().unwrap(), SessionId::generate());
        for name in DURABLE {
            let mut journal = open(name, folder.path()).create(id).unwrap();
            while journal.last() < count {
                let last = journal.last();
                let lines: Vec<Vec<u8>> = (last + 1..=(last + 1_000).min(count)).map(line).collect();
                journal.append(&lines).unwrap();
            }
        }
        (folder, id, count)
    })
}

/// To open is to mend the end, to find the last place, and to close what a crash left open.
#[divan::bench(args = DURABLE, sample_count = 20)]
fn open_and_recover(bencher: Bencher<'_, '_>, name: &str) {
    let (folder, id, count) = long_session();
    let backend = open(name, folder.path());
    bencher.bench_local(|| {
        let journal = backend.open(*id).unwrap();
        assert_eq!(journal.last(), *count);
        recover(&*backend, *id, journal.last()).unwrap()
    });
}

#[divan::bench(args = DURABLE, sample_count = 20)]
fn read_a_hundred_in_the_middle(bencher: Bencher<'_, '_>, name: &str) {
    let (folder, id, count) = long_session();
    let backend = open(name, folder.path());
    bencher.bench_local(|| assert_eq!(backend.read(*id, count / 2, 100).unwrap().len(), 100));
}

/// What the disk does without a log: the same bytes, appended to a file.
#[divan::bench]
fn plain_append_to_a_file(bencher: Bencher<'_, '_>) {
    use std::io::Write as _;
    let folder = TempDir::new().unwrap();
    let mut file = fs::File::create(folder.path().join("plain")).unwrap();
    let line = line(1);
    bencher.bench_local(|| file.write_all(&line).unwrap());
}
