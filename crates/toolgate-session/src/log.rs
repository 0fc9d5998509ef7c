//! [`SessionLog`]: one session, written by many and acknowledged when it is durable.
//!
//! One thread owns the journal. Whatever waits for it at one time is written as one batch, so that many writers cost
//! one sync. After a failure nothing is written any more: a log that has lost something must not go on as if it had not.

use std::sync::Arc;
use std::thread;

use tokio::sync::{broadcast, mpsc, oneshot};

use crate::jsonl::LONGEST_LINE;
use crate::{Clock, Event, Journal, Record, StoreError};

/// How many appends wait for the writer at most; more wait before they are in.
const WAITING: usize = 256;

/// How many records a follower may be behind before it has to read them from the back end.
const FOLLOWED: usize = 1024;

/// A session that is being written. Cheap to clone; the session is open until the last clone is gone.
#[derive(Clone, Debug)]
pub struct SessionLog {
    requests: mpsc::Sender<Request>,
    records: broadcast::Sender<Arc<Record>>,
}

#[derive(Debug)]
enum Request {
    Append(Append),
    /// Give the session back, and say so.
    Close(oneshot::Sender<()>),
}

#[derive(Debug)]
struct Append {
    events: Vec<Event>,
    done: oneshot::Sender<Result<u64, LogError>>,
}

/// An event was not written, or nobody knows whether it was.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LogError {
    /// The back end failed, now or before. Nothing more will be written.
    #[error("the session log cannot be written")]
    Failed(#[source] Arc<StoreError>),
    /// The event is too large for any log.
    #[error("a {kind} event of {bytes} bytes is larger than a log keeps, which is {LONGEST_LINE} bytes")]
    TooLarge {
        /// The type of the event.
        kind: &'static str,
        /// Its size.
        bytes: usize,
    },
    /// Too much waits for the writer.
    #[error("the session log cannot take more at once")]
    Crowded,
    /// The writer is gone.
    #[error("the session log has been closed")]
    Closed,
}

impl SessionLog {
    /// Writes to a journal from now on, on a thread that ends with the last clone.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(journal: Box<dyn Journal>, clock: impl Clock) -> std::io::Result<Self> {
        let (requests, waiting) = mpsc::channel(WAITING);
        let (records, _) = broadcast::channel(FOLLOWED);
        let writer = Writer { journal, clock, records: records.clone(), failure: None };
        thread::Builder::new().name("session-log".to_owned()).spawn(move || writer.run(waiting))?;
        Ok(Self { requests, records })
    }

    /// Appends an event, and gives its place once it is as durable as the back end promises.
    ///
    /// Dropped while it waits, it may have been written all the same.
    ///
    /// # Errors
    /// [`LogError`]; then the event was not acknowledged.
    pub async fn append(&self, event: Event) -> Result<u64, LogError> {
        self.append_all(vec![event]).await
    }

    /// Appends events that belong together, in one piece, and gives the place of the last one.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub async fn append_all(&self, events: Vec<Event>) -> Result<u64, LogError> {
        let (done, answer) = oneshot::channel();
        self.requests.send(Request::Append(Append { events, done })).await.map_err(|_| LogError::Closed)?;
        answer.await.unwrap_or(Err(LogError::Closed))
    }

    /// Hands an event over without waiting until it is durable, for those who cannot wait. Whatever is appended later,
    /// through any clone, comes behind it and is not acknowledged without it.
    ///
    /// # Errors
    /// [`LogError::TooLarge`]; [`LogError::Crowded`] where too much waits for the writer already; [`LogError::Closed`].
    /// A failure of the back end shows with the next append.
    pub fn hand_over(&self, event: Event) -> Result<(), LogError> {
        // Nobody will read the answer, so what the writer would refuse is refused here.
        let record = Record { seq: u64::MAX, time: LONGEST_TIME.to_owned(), event };
        check_size(&record, &record.to_line())?;
        let Record { event, .. } = record;
        let (done, _) = oneshot::channel();
        self.requests.try_send(Request::Append(Append { events: vec![event], done })).map_err(|error| {
            match error {
                mpsc::error::TrySendError::Full(_) => LogError::Crowded,
                mpsc::error::TrySendError::Closed(_) => LogError::Closed,
            }
        })
    }

    /// Gives the session back once everything that was handed over before is written, so that it can be opened again.
    /// Other clones can append nothing from then on.
    pub async fn close(self) {
        let (closed, answer) = oneshot::channel();
        if self.requests.send(Request::Close(closed)).await.is_ok() {
            let _ = answer.await;
        }
    }

    /// The records from now on, in order, each after it was written. A follower that is too far behind is told how
    /// many it missed, and reads those from the back end.
    #[must_use]
    pub fn follow(&self) -> broadcast::Receiver<Arc<Record>> {
        self.records.subscribe()
    }
}

struct Writer<C> {
    journal: Box<dyn Journal>,
    clock: C,
    records: broadcast::Sender<Arc<Record>>,
    failure: Option<Arc<StoreError>>,
}

impl<C: Clock> Writer<C> {
    fn run(mut self, mut waiting: mpsc::Receiver<Request>) {
        while let Some(first) = waiting.blocking_recv() {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(Request::Append(append)) = next {
                batch.push(append);
                next = waiting.try_recv().ok();
            }
            self.write(batch);
            if let Some(Request::Close(closed)) = next {
                drop(waiting);
                drop(self);
                // Who asked may be gone.
                let _ = closed.send(());
                return;
            }
        }
    }

    fn write(&mut self, batch: Vec<Append>) {
        let mut lines = Vec::new();
        let mut records = Vec::new();
        let mut answers = Vec::new();
        for Append { events, done } in batch {
            match self.lines_of(events, lines.len() as u64) {
                Ok(made) => {
                    let (made_records, made_lines): (Vec<_>, Vec<_>) = made.into_iter().unzip();
                    records.extend(made_records);
                    lines.extend(made_lines);
                    answers.push((done, self.journal.last() + lines.len() as u64));
                }
                // Who asked may be gone.
                Err(error) => drop(done.send(Err(error))),
            }
        }
        let outcome = match &self.failure {
            Some(failure) => Err(Arc::clone(failure)),
            None if lines.is_empty() => Ok(()),
            None => self.journal.append(&lines).map_err(Arc::new),
        };
        match outcome {
            Ok(()) => {
                for record in records {
                    // Nobody may be following.
                    let _ = self.records.send(Arc::new(record));
                }
                for (done, seq) in answers {
                    let _ = done.send(Ok(seq));
                }
            }
            Err(failure) => {
                for (done, _) in answers {
                    let _ = done.send(Err(LogError::Failed(Arc::clone(&failure))));
                }
                self.failure = Some(failure);
            }
        }
    }

    /// The records of one request, which come behind `before` others of the same batch.
    fn lines_of(&mut self, events: Vec<Event>, before: u64) -> Result<Vec<(Record, Vec<u8>)>, LogError> {
        let first = self.journal.last() + before + 1;
        let time = self.clock.now();
        let records = (first..).zip(events).map(|(seq, event)| Record { seq, time: time.clone(), event });
        records
            .map(|record| {
                let line = record.to_line();
                check_size(&record, &line)?;
                Ok((record, line))
            })
            .collect()
    }
}

/// As long as a time gets.
const LONGEST_TIME: &str = "+009999-12-31T23:59:59.999+00:00";

fn check_size(record: &Record, line: &[u8]) -> Result<(), LogError> {
    if line.len() > LONGEST_LINE {
        return Err(LogError::TooLarge { kind: record.event.kind(), bytes: line.len() });
    }
    Ok(())
}
