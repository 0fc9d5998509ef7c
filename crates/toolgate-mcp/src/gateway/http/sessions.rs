//! [`Sessions`]: the sessions of one caller, bounded in number and closed when nobody uses them.
//!
//! Each is a session of `rmcp` with a replay of its own, so that no event id leads into another session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{Stream, StreamExt as _, stream};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionHandle, LocalSessionManager, LocalSessionManagerError, SessionError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{
    EventStore as _, EventStoreError, SessionId, SessionManager,
};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::super::GatewayLimits;
use super::activity::Activity;
use super::replay::Replay;

/// What `rmcp` calls an event that was never stored: the first one of a stream that answers nothing.
const FIRST_EVENT: &str = "0";

/// The sessions of one caller.
#[derive(Debug)]
pub(super) struct Sessions {
    limits: GatewayLimits,
    /// A place for each session, of all callers.
    places: Arc<Semaphore>,
    sessions: Mutex<HashMap<SessionId, Arc<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    handle: LocalSessionHandle,
    replay: Replay,
    activity: Arc<Activity>,
    _place: OwnedSemaphorePermit,
}

/// Why a session cannot do something.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionFault {
    #[error("there are as many sessions as may be")]
    Full,
    #[error("there is no such session")]
    Missing,
    #[error("the stream cannot be resumed: {0}")]
    Replay(EventStoreError),
    #[error(transparent)]
    Manager(#[from] LocalSessionManagerError),
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl Sessions {
    pub(super) fn new(limits: GatewayLimits, places: Arc<Semaphore>) -> Self {
        Self { limits, places, sessions: Mutex::default() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.places.available_permits() == 0
    }

    /// The use of a session.
    pub(super) fn activity(&self, id: &str) -> Option<Arc<Activity>> {
        self.lock().get(id).map(|entry| Arc::clone(&entry.activity))
    }

    /// Closes the sessions that nobody uses.
    pub(super) async fn expire(&self) {
        let idle: Vec<SessionId> = {
            let sessions = self.lock();
            let is_idle = |entry: &Entry| entry.activity.is_idle(self.limits.session_idle);
            sessions.iter().filter(|(_, entry)| is_idle(entry)).map(|(id, _)| Arc::clone(id)).collect()
        };
        for id in idle {
            if let Err(error) = self.close_session(&id).await {
                tracing::warn!(target: "toolgate", "an idle session could not be closed: {error}");
            }
        }
    }

    fn entry(&self, id: &SessionId) -> Result<Arc<Entry>, SessionFault> {
        self.lock().get(id).map(Arc::clone).ok_or(SessionFault::Missing)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Entry>>> {
        // Every lock is held for plain inserts and look-ups, so a poisoned one still holds whole values.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = SessionFault;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), SessionFault> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| SessionFault::Full)?;
        let activity = Activity::new();
        let GatewayLimits { replayed_events, replayed_bytes, request_time, .. } = self.limits;
        let replay = Replay::new(replayed_events, replayed_bytes, activity.gone.clone());
        let mut manager = LocalSessionManager::default();
        // Sessions are closed from here, where it is known whether calls are under way.
        manager.session_config.keep_alive = None;
        manager.session_config.init_timeout = Some(request_time);
        let manager = manager.with_event_store(Arc::new(replay.clone()));
        let (id, transport) = manager.create_session().await?;
        let handle = manager.sessions.read().await.get(&id).cloned().ok_or(SessionFault::Missing)?;
        let entry = Entry { handle, replay, activity, _place: place };
        self.lock().insert(Arc::clone(&id), Arc::new(entry));
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionFault> {
        Ok(self.entry(id)?.handle.initialize(message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionFault> {
        Ok(self.lock().contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionFault> {
        let removed = self.lock().remove(id);
        if let Some(entry) = removed {
            entry.activity.gone.cancel();
            match entry.handle.close().await {
                // What has ended by itself need not be closed.
                Ok(()) | Err(SessionError::SessionServiceTerminated) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionFault> {
        let entry = self.entry(id)?;
        let channel = entry.handle.establish_request_wise_channel().await?;
        entry.handle.push_message(message, channel.http_request_id).await?;
        Ok(kept_busy(&entry, events(channel.inner)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionFault> {
        Ok(self.entry(id)?.handle.push_message(message, None).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionFault> {
        let entry = self.entry(id)?;
        let channel = entry.handle.establish_common_channel().await?;
        Ok(kept_busy(&entry, events(channel.inner)))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionFault> {
        let entry = self.entry(id)?;
        let stream = if last_event == FIRST_EVENT {
            events(entry.handle.establish_common_channel().await?.inner).left_stream()
        } else {
            let replayed = entry.replay.replay_events_after(&last_event).await;
            replayed.map_err(SessionFault::Replay)?.right_stream()
        };
        Ok(kept_busy(&entry, stream))
    }
}

/// The events of a channel.
fn events(mut channel: Receiver<ServerSseMessage>) -> impl Stream<Item = ServerSseMessage> + Send + Sync {
    stream::poll_fn(move |cx| channel.poll_recv(cx))
}

/// A stream that keeps its session in use.
fn kept_busy<S>(entry: &Entry, stream: S) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S>
where
    S: Stream<Item = ServerSseMessage> + Send + Sync,
{
    let busy = entry.activity.busy();
    stream.inspect(move |_| {
        let _ = &busy;
    })
}
