//! [`Desk`]: the agents that work in this server, one for each session that somebody talks to.
//!
//! Called by the pages. An agent has its session for the time of its turns only, so that a terminal can go on with it
//! afterwards; its scope, with what was allowed and kept there, stays until the server ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast::error::RecvError;
use tokio_util::task::TaskTracker;
use toolgate::{CancellationToken, ContentBlock, Scope, ToolRuntime};
use toolgate_agent::{Agent, AgentBuilder, Live, OpenError, Steering, SteeringFull};
use toolgate_session::{Backend, SessionId, StoreError};

use crate::feed::{Feed, Feeds};

/// Makes an agent that works in a scope. The scope's name is that of its session.
pub type MakeAgent = dyn Fn(Scope) -> AgentBuilder + Send + Sync;

/// How many agents work at one time.
const MOST: usize = 32;

/// A message was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SayError {
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The session cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too much waits for the agent already.
    #[error(transparent)]
    Full(#[from] SteeringFull),
    /// The server was started without a model.
    #[error("there is no model to ask\nhint: start `toolgate web` with --model or --script")]
    NoModel,
    /// Too many agents work already.
    #[error("{MOST} agents work already\nhint: wait for one of them, or interrupt it")]
    Crowded,
}

/// All agents of a server.
pub(crate) struct Desk {
    runtime: ToolRuntime,
    backend: Arc<dyn Backend>,
    make: Option<Box<MakeAgent>>,
    feeds: Arc<Feeds>,
    working: Mutex<HashMap<SessionId, Working>>,
    tasks: TaskTracker,
    /// Fires when the server ends.
    stop: CancellationToken,
}

/// An agent at work.
struct Working {
    stop: CancellationToken,
    /// None while its session is being opened or given back.
    steering: Option<Steering>,
    /// What was said until then.
    waiting: Vec<Vec<ContentBlock>>,
}

impl Desk {
    pub(crate) fn new(
        runtime: ToolRuntime,
        backend: Arc<dyn Backend>,
        make: Option<Box<MakeAgent>>,
        feeds: Arc<Feeds>,
        stop: CancellationToken,
    ) -> Self {
        let (working, tasks) = (Mutex::default(), TaskTracker::new());
        Self { runtime, backend, make, feeds, working, tasks, stop }
    }

    /// Begins a session with a message.
    ///
    /// # Errors
    /// [`SayError`].
    pub(crate) async fn begin(self: &Arc<Self>, text: &str) -> Result<SessionId, SayError> {
        let id = SessionId::generate();
        self.take_up(id)?;
        self.open(id, true, text).await?;
        Ok(id)
    }

    /// Says something in a session: to the agent that works there, or else to one that begins.
    ///
    /// # Errors
    /// [`SayError`].
    pub(crate) async fn say(self: &Arc<Self>, id: SessionId, text: &str) -> Result<(), SayError> {
        if let Some(working) = self.working().get_mut(&id) {
            let content = vec![ContentBlock::text(text)];
            match &working.steering {
                Some(steering) => steering.say(content)?,
                None => working.waiting.push(content),
            }
            return Ok(());
        }
        self.take_up(id)?;
        self.open(id, false, text).await
    }

    /// Interrupts the agent of a session. False where none works.
    pub(crate) fn interrupt(&self, id: SessionId) -> bool {
        let working = self.working();
        let found = working.get(&id);
        found.inspect(|working| working.stop.cancel()).is_some()
    }

    /// Whether there is anybody to talk to.
    pub(crate) fn has_model(&self) -> bool {
        self.make.is_some()
    }

    /// Whether an agent works on a session.
    pub(crate) fn is_working(&self, id: SessionId) -> bool {
        self.working().contains_key(&id)
    }

    /// Interrupts everybody and waits until they have come to rest.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn working(&self) -> MutexGuard<'_, HashMap<SessionId, Working>> {
        // Held for changes of one map, so a poisoned one still holds whole values.
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_up(&self, id: SessionId) -> Result<(), SayError> {
        let mut working = self.working();
        if working.len() >= MOST {
            return Err(SayError::Crowded);
        }
        let (stop, waiting) = (self.stop.child_token(), Vec::new());
        working.entry(id).or_insert(Working { stop, steering: None, waiting });
        Ok(())
    }

    async fn open(self: &Arc<Self>, id: SessionId, is_new: bool, text: &str) -> Result<(), SayError> {
        let opened = self.opened(id, is_new).await;
        if opened.is_err() {
            self.working().remove(&id);
        }
        let (agent, feed) = opened?;
        feed.set_working(true);
        self.tasks.spawn(Arc::clone(self).work(agent, feed, vec![ContentBlock::text(text)]));
        Ok(())
    }

    async fn opened(&self, id: SessionId, is_new: bool) -> Result<(Agent, Arc<Feed>), SayError> {
        let make = self.make.as_ref().ok_or(SayError::NoModel)?;
        let builder = make(self.runtime.scope(&id.to_string()));
        let backend = Arc::clone(&self.backend);
        let agent =
            if is_new { builder.start(backend, id).await? } else { builder.resume(backend, id).await? };
        let feed = self.feeds.open(id).await?;
        let mut working = self.working();
        if let Some(working) = working.get_mut(&id) {
            let steering = agent.steering();
            for content in working.waiting.drain(..) {
                steering.say(content)?;
            }
            working.steering = Some(steering);
        }
        Ok((agent, feed))
    }

    /// Takes turns until nothing is left to say, and gives the session back.
    async fn work(self: Arc<Self>, mut agent: Agent, feed: Arc<Feed>, mut said: Vec<ContentBlock>) {
        let id = agent.session();
        loop {
            self.turns(agent, Arc::clone(&feed), said).await;
            // What came while the session was given back begins another turn.
            let next = {
                let mut working = self.working();
                match working.get_mut(&id) {
                    Some(found) if !found.waiting.is_empty() && !self.stop.is_cancelled() => {
                        found.stop = self.stop.child_token();
                        Some(found.waiting.remove(0))
                    }
                    Some(_) | None => {
                        working.remove(&id);
                        None
                    }
                }
            };
            let Some(next) = next else { break };
            match self.opened(id, false).await {
                Ok((opened, _)) => (agent, said) = (opened, next),
                Err(error) => {
                    tracing::error!(target: "toolgate", session = %id, "a message was lost: {error}");
                    self.working().remove(&id);
                    break;
                }
            }
        }
        feed.set_working(false);
    }

    /// Takes turns until nothing more was said, and closes the session.
    async fn turns(&self, mut agent: Agent, feed: Arc<Feed>, mut said: Vec<ContentBlock>) {
        let closed = CancellationToken::new();
        let telling = tell(agent.follow(), agent.watch(), feed, closed.clone());
        let told = self.tasks.spawn(telling);
        let id = agent.session();
        loop {
            let stop = self.working().get(&id).map(|working| working.stop.clone()).unwrap_or_default();
            if let Err(error) = agent.turn(said, stop).await {
                tracing::error!(target: "toolgate", session = %id, "a turn was stopped: {error}");
                self.working().entry(id).and_modify(|working| working.steering = None);
                break;
            }
            let mut working = self.working();
            let Some(working) = working.get_mut(&id) else { break };
            // What came while the turn ended begins another one.
            let mut left = agent.steering().take().into_iter();
            let Some(first) = left.next().filter(|_| !self.stop.is_cancelled()) else {
                // From here on, messages wait for the session to be opened again.
                working.steering = None;
                break;
            };
            for more in left {
                // It has just been taken from there, so there is room.
                let _ = agent.steering().say(more);
            }
            working.stop = self.stop.child_token();
            said = first;
        }
        agent.close().await;
        closed.cancel();
        // It can only have panicked, which has been reported.
        let _ = told.await;
    }
}

/// Tells a feed of records and of pieces of answers until the session is closed, and then of what is left.
async fn tell(
    mut records: tokio::sync::broadcast::Receiver<Arc<toolgate_session::Record>>,
    mut live: tokio::sync::broadcast::Receiver<Live>,
    feed: Arc<Feed>,
    closed: CancellationToken,
) {
    let say = |told: Live| {
        if let Live::Delta(delta) = told {
            feed.say(&delta);
        }
    };
    let mut is_live = true;
    loop {
        tokio::select! {
            record = records.recv() => {
                // The pieces of an answer come before its record.
                while let Ok(told) = live.try_recv() {
                    say(told);
                }
                let is_whole = match record {
                    Ok(record) => feed.take_in(&record),
                    Err(RecvError::Lagged(_)) => false,
                    Err(RecvError::Closed) => break,
                };
                if !is_whole {
                    caught_up(&feed).await;
                }
            }
            () = closed.cancelled() => break,
            told = live.recv(), if is_live => match told {
                Ok(told) => say(told),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => is_live = false,
            },
        }
    }
    caught_up(&feed).await;
}

async fn caught_up(feed: &Feed) {
    if let Err(error) = feed.catch_up().await {
        tracing::warn!(target: "toolgate", session = %feed.id(), "a session cannot be read: {error}");
    }
}
