//! The event stream of one page: what happens in its session, the open questions, and that the server is still there.
//!
//! An event has the number of the last record that it tells of. A browser that comes back names the last one that it has
//! seen, and is told what changed since.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, interval_at};

use crate::fault::Fault;
use crate::feed::{Feed, Frame};
use crate::pages::{approvals, session_id, sessions};
use crate::server::Shared;

/// How many events wait for a slow browser here; more wait with the feed.
const WAITING: usize = 64;

/// How often a session of another process is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// After how many looks a heartbeat is sent.
const HEARTBEAT: u32 = 30;

/// How many event streams there can be.
pub(crate) const MOST_STREAMS: usize = 512;

/// What a page wants to hear of.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Wanted {
    /// Its session.
    session: Option<String>,
    /// The last record that it shows.
    after: Option<u64>,
    /// The list of sessions, as it was asked for.
    list: Option<String>,
    /// Whether it shows all open questions.
    #[serde(default)]
    questions: bool,
}

/// `GET /events`.
pub(crate) async fn events(
    State(shared): State<Arc<Shared>>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let full = |_| Fault::conflict("Too many pages are open.\nhint: close some of them");
    let permit = Arc::clone(&shared.streams).try_acquire_owned().map_err(full)?;
    let feed = match &wanted.session {
        None => None,
        Some(text) => Some(shared.feeds.open(session_id(text)?).await?),
    };
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok()).or(wanted.after);
    let (sender, receiver) = mpsc::channel(WAITING);
    let stream = Stream { shared: Arc::clone(&shared), wanted, feed, seen, sender, _permit: permit };
    shared.tasks.spawn(stream.run());
    let body = unfold(receiver, |mut receiver| async {
        let bytes: Bytes = receiver.recv().await?;
        Some((Ok::<_, Infallible>(bytes), receiver))
    });
    Ok(([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response())
}

struct Stream {
    shared: Arc<Shared>,
    wanted: Wanted,
    feed: Option<Arc<Feed>>,
    seen: Option<u64>,
    sender: mpsc::Sender<Bytes>,
    _permit: OwnedSemaphorePermit,
}

/// The browser is gone, or the session cannot be read.
struct Over;

impl Stream {
    async fn run(mut self) {
        // Whatever ends it, the browser comes back and asks again.
        let _ = self.tell().await;
    }

    async fn tell(&mut self) -> Result<(), Over> {
        let mut attendance = self.shared.people.attend();
        let mut frames = self.feed.as_ref().map(|feed| feed.subscribe());
        self.send(Frame::passing("hello", &json!({}))).await?;
        if let Some(feed) = self.feed.clone() {
            self.missed(&feed).await?;
            for frame in feed.greeting() {
                self.send(frame).await?;
            }
        }
        self.questions().await?;
        let mut list = self.list().await?;
        let mut ticks = interval_at(Instant::now() + LOOK, LOOK);
        let mut count = 0_u32;
        let (stop, closed) = (self.shared.stop.clone(), self.sender.clone());
        loop {
            tokio::select! {
                frame = next(&mut frames) => match frame {
                    Ok(frame) if frame.seq.is_none_or(|seq| self.seen.is_none_or(|seen| seq > seen)) => {
                        self.send(frame).await?;
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => if let Some(feed) = self.feed.clone() {
                        self.missed(&feed).await?;
                        for frame in feed.greeting() {
                            self.send(frame).await?;
                        }
                    },
                    Err(RecvError::Closed) => return Ok(()),
                },
                () = attendance.changed() => self.questions().await?,
                _ = ticks.tick() => {
                    if let Some(feed) = &self.feed {
                        feed.look().await;
                    }
                    count = count.wrapping_add(1);
                    if count.is_multiple_of(HEARTBEAT) {
                        self.send(Frame::heartbeat()).await?;
                    }
                    if self.wanted.list.is_some() && count.is_multiple_of(2) {
                        let now = sessions::list(&self.shared, self.wanted.list.as_deref().unwrap_or_default()).await;
                        if now != list {
                            self.send(Frame::passing("list", &json!({ "html": now }))).await?;
                            list = now;
                        }
                    }
                }
                () = closed.closed() => return Err(Over),
                () = stop.cancelled() => return Ok(()),
            }
        }
    }

    async fn send(&mut self, frame: Frame) -> Result<(), Over> {
        self.seen = frame.seq.or(self.seen);
        self.sender.send(frame.bytes).await.map_err(|_| Over)
    }

    /// Tells what changed since the browser was last told.
    async fn missed(&mut self, feed: &Feed) -> Result<(), Over> {
        let Some(seen) = self.seen else { return Ok(()) };
        match feed.missed(seen).await {
            Ok(None) => Ok(()),
            Ok(Some(frame)) => self.send(frame).await,
            Err(error) => {
                tracing::warn!(target: "toolgate", session = %feed.id(), "a session cannot be read: {error}");
                Err(Over)
            }
        }
    }

    /// Tells the open questions that concern the page, and how many there are.
    async fn questions(&mut self) -> Result<(), Over> {
        let questions = self.shared.people.pending();
        let own = |agent: Option<&str>| self.wanted.questions || agent == self.wanted.session.as_deref();
        let shown: Vec<_> =
            questions.iter().filter(|question| own(question.agent.as_deref())).cloned().collect();
        let html = approvals::list(&shown).into_string();
        self.send(Frame::passing("questions", &json!({ "count": questions.len(), "html": html }))).await
    }

    /// The list of sessions as the page has it.
    async fn list(&self) -> Result<String, Over> {
        match &self.wanted.list {
            None => Ok(String::new()),
            Some(query) => Ok(sessions::list(&self.shared, query).await),
        }
    }
}

async fn next(frames: &mut Option<Receiver<Frame>>) -> Result<Frame, RecvError> {
    match frames {
        Some(frames) => frames.recv().await,
        None => std::future::pending().await,
    }
}
