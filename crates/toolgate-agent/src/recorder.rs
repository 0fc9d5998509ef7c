//! [`Recorder`]: the one way by which an agent's events reach its log, and after it those who watch.

use std::sync::Arc;

use tokio::sync::broadcast;
use toolgate::ToolError;
use toolgate_session::{Event, LogError, Record, SessionLog};

use crate::live::{Live, LiveSender};

/// Writes one session. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    log: SessionLog,
    live: LiveSender,
}

impl Recorder {
    pub(crate) fn new(log: SessionLog, live: LiveSender) -> Self {
        Self { log, live }
    }

    pub(crate) fn live(&self) -> &LiveSender {
        &self.live
    }

    /// The records from now on.
    pub(crate) fn follow(&self) -> broadcast::Receiver<Arc<Record>> {
        self.log.follow()
    }

    /// Appends an event, and returns when it is durable.
    pub(crate) async fn append(&self, event: Event) -> Result<(), LogError> {
        self.append_all(vec![event]).await
    }

    /// Appends events in one piece.
    pub(crate) async fn append_all(&self, events: Vec<Event>) -> Result<(), LogError> {
        let shown: Vec<Arc<Event>> = match self.live.receiver_count() {
            0 => Vec::new(),
            _ => events.iter().cloned().map(Arc::new).collect(),
        };
        let count = events.len() as u64;
        let last = self.log.append_all(events).await?;
        for (seq, event) in ((last + 1).saturating_sub(count)..).zip(shown) {
            // Whoever watched may have gone.
            let _ = self.live.send(Live::Event { seq, event });
        }
        Ok(())
    }

    /// Waits until everything that was handed over before is written, and gives the place of the last record.
    pub(crate) async fn flush(&self) -> Result<u64, LogError> {
        self.log.append_all(Vec::new()).await
    }

    /// Gives the session back.
    pub(crate) async fn close(self) {
        self.log.close().await;
    }

    /// Hands an event over without waiting for it; what is appended later comes behind it.
    pub(crate) fn hand_over(&self, event: Event) -> Result<(), LogError> {
        self.log.hand_over(event)
    }
}

/// What a call is told that cannot be logged: it fails, because nothing runs unlogged.
pub(crate) fn unlogged(error: LogError) -> ToolError {
    ToolError::new(format!("the call was stopped, because {error}"))
}
