//! The asynchronous log: acknowledgement, batches, followers, failure.

use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use toolgate_session::{Durability, Journal, LogError, SessionId, SessionLog, StoreError};

use crate::support::{FixedClock, durable, entries, places, text};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_was_acknowledged_is_there_and_in_order() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in durable(&folder, Durability::Power) {
        let id = SessionId::generate();
        let log = SessionLog::start(backend.create(id).unwrap(), FixedClock).unwrap();
        let mut followed = log.follow();
        let writers = (0..20).map(|_| {
            let log = log.clone();
            tokio::spawn(async move {
                let mut seen = Vec::new();
                for _ in 0..10 {
                    seen.push(log.append(text("x")).await.unwrap());
                }
                seen
            })
        });
        let mut given = Vec::new();
        for writer in writers.collect::<Vec<_>>() {
            let seen = writer.await.unwrap();
            assert!(seen.is_sorted(), "{name}");
            given.extend(seen);
        }
        given.sort_unstable();
        assert_eq!(given, (1..=200).collect::<Vec<_>>(), "{name}");
        assert_eq!(places(&entries(&*backend, id, 64)), given, "{name}");
        for seq in 1..=200 {
            assert_eq!(followed.recv().await.unwrap().seq, seq, "{name}");
        }
        assert_eq!(log.append_all(vec![text("a"), text("b")]).await.unwrap(), 202, "{name}");
    }
}

#[derive(Default)]
struct FailsOnce {
    written: Arc<Mutex<u64>>,
    tries: u64,
}

impl Journal for FailsOnce {
    fn last(&self) -> u64 {
        *self.written.lock().unwrap()
    }

    fn append(&mut self, lines: &[Vec<u8>]) -> Result<(), StoreError> {
        self.tries += 1;
        if self.tries == 2 {
            let source = std::io::Error::other("no space");
            return Err(StoreError::Io { action: "appending to", path: "disk".into(), source });
        }
        *self.written.lock().unwrap() += lines.len() as u64;
        Ok(())
    }
}

#[tokio::test]
async fn after_a_failure_nothing_is_written_any_more() {
    let written = Arc::new(Mutex::new(0));
    let journal = FailsOnce { written: Arc::clone(&written), tries: 0 };
    let log = SessionLog::start(Box::new(journal), FixedClock).unwrap();
    assert_eq!(log.append(text("one")).await.unwrap(), 1);
    for _ in 0..3 {
        assert!(matches!(log.append(text("lost")).await, Err(LogError::Failed(_))));
    }
    assert_eq!(*written.lock().unwrap(), 1);
}

#[tokio::test]
async fn what_is_handed_over_comes_before_what_is_appended_later() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in durable(&folder, Durability::Process) {
        let id = SessionId::generate();
        let log = SessionLog::start(backend.create(id).unwrap(), FixedClock).unwrap();
        log.hand_over(text("first")).unwrap();
        assert_eq!(log.append(text("second")).await.unwrap(), 2, "{name}");
        let large = text(&"\u{1}".repeat(11 << 20));
        assert!(matches!(log.hand_over(large), Err(LogError::TooLarge { .. })), "{name}");
        assert_eq!(log.append_all(Vec::new()).await.unwrap(), 2, "{name}: nothing of it was written");
    }
}

#[tokio::test]
async fn a_closed_session_can_be_opened_at_once() {
    let folder = TempDir::new().unwrap();
    for (name, backend) in durable(&folder, Durability::Process) {
        let id = SessionId::generate();
        let mut journal = backend.create(id).unwrap();
        for last in 1..20 {
            let log = SessionLog::start(journal, FixedClock).unwrap();
            let other = log.clone();
            log.hand_over(text("x")).unwrap();
            log.close().await;
            assert!(matches!(other.append(text("late")).await, Err(LogError::Closed)), "{name}");
            journal = backend.open(id).unwrap();
            assert_eq!(journal.last(), last, "{name}");
        }
    }
}
