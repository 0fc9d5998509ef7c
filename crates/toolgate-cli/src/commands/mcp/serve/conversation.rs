//! [`Opener`]: a scope for each conversation, and the servers that are its alone (K44).

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use toolgate::{Scope, ToolError};
use toolgate_mcp::gateway::Conversation;
use toolgate_mcp::pin::Pins;
use toolgate_mcp::upstream::Servers;

use crate::servers::{Plan, tell};

/// How long a client waits for servers before it gets what there is. Not every client hears that tools come later.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens conversations.
pub(super) struct Opener {
    /// The servers of all conversations.
    pub(super) shared: Arc<Servers>,
    /// The servers of which each conversation has its own.
    pub(super) own: Plan,
    pub(super) pins: Option<Pins>,
    /// Where the servers of conversations that are over end.
    pub(super) leaving: TaskTracker,
}

impl Opener {
    /// A scope below that of a profile, whose tools are those of its servers as well.
    ///
    /// # Errors
    /// A defect of this program.
    pub(super) async fn open(&self, profile: &Scope, name: &str) -> Result<Conversation, ToolError> {
        if self.own.configs.is_empty() {
            let _ = timeout(PATIENCE, self.shared.settled()).await;
            return Ok(profile.scope(name).into());
        }
        let outer = profile.scope(name);
        let mounted = self.own.clone().mount(self.pins.clone(), &outer);
        let servers = mounted.map_err(|error| ToolError::new(format!("{error:#}")))?;
        // What a profile hides is hidden of what a scope inherits, so the servers are above the client.
        let client = outer.scope("client");
        let leaving = self.leaving.clone();
        let place = leaving.token();
        let own = Own {
            scope: outer,
            servers: Some(Arc::new(servers)),
            leaving,
            _place: place,
            runtime: Handle::current(),
        };
        if let Some(servers) = &own.servers {
            let both = async { tokio::join!(self.shared.settled(), servers.settled()) };
            let _ = timeout(PATIENCE, both).await;
            tell(servers);
        }
        Ok(Conversation::holding(client, own))
    }
}

/// What one conversation has of its own; it ends behind the conversation.
struct Own {
    scope: Scope,
    servers: Option<Arc<Servers>>,
    leaving: TaskTracker,
    _place: TaskTrackerToken,
    runtime: Handle,
}

impl Drop for Own {
    fn drop(&mut self) {
        self.scope.close();
        if let Some(servers) = self.servers.take() {
            self.leaving.spawn_on(async move { servers.close().await }, &self.runtime);
        }
    }
}
