//! [`Feeds`]: the sessions that somebody watches, each read once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolgate::ToolRuntime;
use toolgate_session::{Backend, SessionId, StoreError};

use super::Feed;

/// How many are kept; those that nobody needs go first.
const KEPT: usize = 32;

/// All feeds of a server.
pub(crate) struct Feeds {
    backend: Arc<dyn Backend>,
    tools: ToolRuntime,
    feeds: Mutex<HashMap<SessionId, Arc<Feed>>>,
}

impl Feeds {
    pub(crate) fn new(backend: Arc<dyn Backend>, tools: ToolRuntime) -> Self {
        Self { backend, tools, feeds: Mutex::default() }
    }

    /// The feed of a session, which is read as far as it goes.
    ///
    /// # Errors
    /// [`StoreError`]; [`StoreError::NotFound`] where there is no such session.
    pub(crate) async fn open(&self, id: SessionId) -> Result<Arc<Feed>, StoreError> {
        let feed = self.get(id);
        match feed.catch_up().await {
            Ok(()) => Ok(feed),
            Err(error) => {
                self.feeds.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                Err(error)
            }
        }
    }

    fn get(&self, id: SessionId) -> Arc<Feed> {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        if feeds.len() >= KEPT {
            feeds.retain(|kept, feed| *kept == id || Arc::strong_count(feed) > 1 || !feed.is_idle());
        }
        let make = || Arc::new(Feed::new(id, Arc::clone(&self.backend), self.tools.clone()));
        Arc::clone(feeds.entry(id).or_insert_with(make))
    }
}
