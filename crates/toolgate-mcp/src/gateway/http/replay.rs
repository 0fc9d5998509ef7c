//! [`Replay`]: what a session has sent, kept for a client that lost its connection and comes back.
//!
//! `rmcp` stores every event of a session's streams here before it is sent. A stream that is resumed gets what followed on
//! the same stream, and goes on until the answer of its request. The oldest events make room for new ones.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream, ServerSseMessage,
};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The events of one session. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Replay(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    kept: Mutex<Kept>,
    /// Counts the events, to wake those who wait for more.
    stored: watch::Sender<u64>,
    most_events: usize,
    most_bytes: usize,
    /// Fires when the session is closed.
    gone: CancellationToken,
}

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Event>,
    bytes: usize,
    /// The number of the last event.
    last: u64,
}

#[derive(Clone, Debug)]
struct Event {
    number: u64,
    stream: Arc<str>,
    event: ServerSseMessage,
    bytes: usize,
}

impl Event {
    /// Whether nothing follows on the stream: it has answered its request.
    fn is_last(&self) -> bool {
        self.event.message.as_deref().is_some_and(|message| match message {
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_) => true,
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => false,
        })
    }
}

impl Replay {
    pub(super) fn new(most_events: usize, most_bytes: usize, gone: CancellationToken) -> Self {
        let (stored, _) = watch::channel(0);
        Self(Arc::new(Shared { kept: Mutex::default(), stored, most_events, most_bytes, gone }))
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Every lock is held for plain pushes and pops, so a poisoned one still holds whole values.
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, stream: &str, event: &ServerSseMessage) -> EventId {
        let bytes = event.message.as_deref().map_or(0, size_of_message);
        let mut kept = self.lock();
        // The first one is 1: `rmcp` says 0 where nothing has been stored.
        kept.last += 1;
        let number = kept.last;
        let id = number.to_string();
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        kept.events.push_back(Event { number, stream: stream.into(), event, bytes });
        kept.bytes = kept.bytes.saturating_add(bytes);
        while kept.events.len() > self.0.most_events || kept.bytes > self.0.most_bytes {
            let Some(oldest) = kept.events.pop_front() else { break };
            kept.bytes = kept.bytes.saturating_sub(oldest.bytes);
        }
        drop(kept);
        self.0.stored.send_modify(|count| *count += 1);
        id
    }

    /// The stream of an event that is still kept.
    fn stream_of(&self, number: u64) -> Option<Arc<str>> {
        self.lock().events.iter().find(|event| event.number == number).map(|event| Arc::clone(&event.stream))
    }

    /// The first event of a stream after another one.
    fn after(&self, stream: &str, number: u64) -> Option<Event> {
        let kept = self.lock();
        kept.events.iter().find(|event| event.number > number && *event.stream == *stream).cloned()
    }

    /// Sends what follows on a stream, until its last event.
    async fn send(self, stream: Arc<str>, mut number: u64, events: mpsc::Sender<ServerSseMessage>) {
        let mut stored = self.0.stored.subscribe();
        loop {
            stored.mark_unchanged();
            while let Some(event) = self.after(&stream, number) {
                number = event.number;
                let is_last = event.is_last();
                if events.send(event.event).await.is_err() || is_last {
                    return;
                }
            }
            tokio::select! {
                _ = stored.changed() => {}
                () = events.closed() => return,
                () = self.0.gone.cancelled() => return,
            }
        }
    }
}

/// The size of a message as it is sent, without writing it anywhere.
fn size_of_message(message: &ServerJsonRpcMessage) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    let _ = serde_json::to_writer(&mut count, message);
    count.0
}

#[async_trait::async_trait]
impl EventStore for Replay {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<EventId, EventStoreError> {
        Ok(self.store(stream, event))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let number: u64 = last.parse()?;
        let stream = self.stream_of(number).ok_or("the event is not kept any more")?;
        let (sender, mut events) = mpsc::channel(1);
        tokio::spawn(self.clone().send(stream, number, sender));
        Ok(Box::pin(stream::poll_fn(move |cx| events.poll_recv(cx))))
    }
}
