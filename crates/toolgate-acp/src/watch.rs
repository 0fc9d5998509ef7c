//! One turn, told to the editor in the order of the log.
//!
//! Runs beside the turn. Pieces of answers are told as they come; events are told in the order in which the log has them,
//! whatever the order in which they arrive, so that loading a session later tells the same. What was missed is read
//! from the log. It never waits for the turn, and waits for the editor only where too much is unread.

use std::sync::Arc;

use tokio::sync::{broadcast, oneshot, watch};
use toolgate::CallId;
use toolgate_agent::{Delta, Live};
use toolgate_session::{Backend, Entry, Event, SessionId, StoreError};

use crate::serve::Client;
use crate::story::Story;

/// How many records are read at a time.
const PAGE: usize = 256;

/// The calls of the turn under way that the editor knows of.
pub(crate) type Announced = watch::Sender<Vec<CallId>>;

/// What tells a session's events.
pub(crate) struct Teller {
    pub(crate) story: Story,
    pub(crate) client: Client,
    pub(crate) session: SessionId,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) announced: Arc<Announced>,
    /// The place of the last record that was told, or is none of this turn.
    pub(crate) last: u64,
}

impl Teller {
    /// Tells what happens until `over` is dropped, and what is left then.
    pub(crate) async fn watch(
        &mut self,
        mut live: broadcast::Receiver<Live>,
        mut over: oneshot::Receiver<()>,
    ) {
        loop {
            tokio::select! {
                biased;
                told = live.recv() => match told {
                    Ok(told) => self.tell(told).await,
                    Err(broadcast::error::RecvError::Lagged(_)) => self.story.missed_pieces(),
                    Err(broadcast::error::RecvError::Closed) => break,
                },
                _ = &mut over => break,
            }
        }
        loop {
            match live.try_recv() {
                Ok(told) => self.tell(told).await,
                Err(broadcast::error::TryRecvError::Lagged(_)) => self.story.missed_pieces(),
                Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => break,
            }
        }
        self.catch_up(None).await;
    }

    async fn tell(&mut self, told: Live) {
        match told {
            Live::Delta(Delta::Text(text)) => {
                if let Some(update) = self.story.piece(&text) {
                    self.client.update(self.session, update).await;
                }
            }
            Live::Delta(Delta::Call { .. }) => {}
            Live::Event { seq, .. } if seq <= self.last => {}
            Live::Event { seq, event } if seq == self.last + 1 => {
                self.last = seq;
                self.tell_event(&event).await;
            }
            Live::Event { seq, .. } => self.catch_up(Some(seq)).await,
        }
    }

    async fn tell_event(&mut self, event: &Event) {
        for update in self.story.event(event) {
            self.client.update(self.session, update).await;
        }
        let (Event::ToolCall(toolgate_session::ToolCallRecorded { call_id, .. })
        | Event::CodeDispatchStart(toolgate_session::CodeDispatchStart { call_id, .. })) = event
        else {
            return;
        };
        self.announced.send_modify(|announced| announced.push(call_id.clone()));
    }

    /// Tells what the log has behind the last record that was told, up to a place or to its end.
    pub(crate) async fn catch_up(&mut self, to: Option<u64>) {
        while to.is_none_or(|to| self.last < to) {
            let events = match self.page().await {
                Ok(events) => events,
                Err(error) => {
                    tracing::error!(target: "toolgate", "the session could not be read, so a part of it is not shown: {error}");
                    self.last = to.unwrap_or(self.last);
                    return;
                }
            };
            if events.is_empty() {
                return;
            }
            for (seq, event) in events {
                // What is behind that place comes with pieces of answers that have not been told yet.
                if to.is_some_and(|to| seq > to) {
                    return;
                }
                self.last = seq;
                if let Some(event) = event {
                    self.tell_event(&event).await;
                }
            }
        }
    }

    /// Takes everything that is in the log as told.
    pub(crate) async fn pass_over(&mut self) {
        while let Ok(events) = self.page().await {
            let Some((last, _)) = events.last() else { return };
            self.last = *last;
        }
    }

    /// The next records of the log; what is damaged is passed over.
    async fn page(&self) -> Result<Vec<(u64, Option<Event>)>, StoreError> {
        let (backend, session, from) = (Arc::clone(&self.backend), self.session, self.last + 1);
        let read = tokio::task::spawn_blocking(move || backend.read(session, from, PAGE)).await;
        // Reading does not panic, and a runtime that is being shut down tells nobody.
        let entries = read.unwrap_or_else(|_| Ok(Vec::new()))?;
        let of = |entry| match entry {
            Entry::Record(record) => (record.seq, Some(record.event)),
            Entry::Damaged(damage) => (damage.last.unwrap_or(damage.first), None),
        };
        Ok(entries.into_iter().map(of).collect())
    }
}
