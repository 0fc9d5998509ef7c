//! Mounts the servers of a plan, and tells of those that cannot be used.

use anyhow::Context as _;
use toolgate_mcp::pin::Pins;
use toolgate_mcp::transport::TokenStore;
use toolgate_mcp::upstream::{Host, Place, ServerState, ServerStatus, Servers};

use super::plan::{Plan, warn};
use crate::config::{private_folder, state};

impl Plan {
    /// The pins, where they can be kept.
    ///
    /// # Errors
    /// The lock file is there and cannot be used.
    pub(crate) fn pins(&self) -> anyhow::Result<Option<Pins>> {
        let Some(lock) = &self.lock else { return Ok(None) };
        if let Some(folder) = lock.parent() {
            private_folder(folder).with_context(|| format!("`{}` could not be made", folder.display()))?;
        }
        Ok(Some(Pins::open(lock.clone())?))
    }

    /// Connects to the servers, and says on standard error which cannot be used. Must be closed in the end.
    ///
    /// # Errors
    /// The lock file cannot be used; a defect of this program.
    pub(crate) async fn mounted(self, place: &impl Place) -> anyhow::Result<Servers> {
        let servers = self.mounting(place)?;
        servers.settled().await;
        tell(&servers);
        Ok(servers)
    }

    /// The same without waiting for any of them.
    ///
    /// # Errors
    /// The lock file cannot be used; a defect of this program.
    pub(crate) fn mounting(self, place: &impl Place) -> anyhow::Result<Servers> {
        let pins = if self.configs.is_empty() { None } else { self.pins()? };
        self.mount(pins, place)
    }

    /// Begins to connect to the servers. Their tools come as they answer.
    ///
    /// # Errors
    /// A defect of this program.
    pub(crate) fn mount(self, pins: Option<Pins>, place: &impl Place) -> anyhow::Result<Servers> {
        let host = Host { roots: vec![self.root], pins, tokens: tokens(), ..Host::default() };
        Servers::mount(self.configs, host, place).context("the servers could not be mounted")
    }
}

/// What servers gave to people who logged in; nothing can be kept where the user has no home.
pub(crate) fn tokens() -> Option<TokenStore> {
    state().map(|state| TokenStore::new(state.join("mcp").join("tokens")))
}

/// Says on standard error what cannot be used of some servers.
pub(crate) fn tell(servers: &Servers) {
    servers.status().iter().for_each(tell_of);
}

fn tell_of(status: &ServerStatus) {
    let name = &status.name;
    match &status.state {
        ServerState::Down { reason, .. } => {
            warn(&format!("the server `{name}` cannot be used: {reason}"), "`toolgate mcp doctor` says more");
        }
        ServerState::Disabled | ServerState::Connecting | ServerState::Ready | ServerState::Closed => {}
    }
    let quarantined: Vec<_> = status.quarantined.iter().map(|one| format!("`{}`", one.tool)).collect();
    if !quarantined.is_empty() {
        warn(
            &format!("tools of the server `{name}` are held back: {}", quarantined.join(", ")),
            "`toolgate mcp diff` says why, and `toolgate mcp approve` lets them in",
        );
    }
}
