//! [`Servers`]: all servers of a configuration on one scope.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate::registry::PluginError;
use toolgate::{Plugin, PluginContext, PluginHandle, Registrar as _, Scope, ToolGroup, ToolRuntime};

use super::host::Host;
use super::server::Server;
use super::status::ServerStatus;
use crate::config::{ServerConfig, ServerName};

/// Servers whose tools are tools of a scope, or of a whole runtime.
///
/// Mounting returns at once: the servers connect beside each other, and the tools of each come when it has answered, in
/// places that are taken before (rule R9, K13). [`settled`](Self::settled) waits for the first attempt of each.
/// [`close`](Self::close) ends everything; dropping does so without waiting.
///
/// A host with several sessions mounts the servers that are `shared` once, on what its sessions inherit from, and the others
/// on the scope of each session, so that no session sees the state of another one (K44).
#[must_use = "the servers are ended when this is dropped"]
pub struct Servers {
    mounted: Mutex<Vec<PluginHandle>>,
    servers: Vec<Arc<Server>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// Why servers cannot be mounted.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// Two have one name.
    #[error("there are two servers of the name {0}; hint: rename one of them")]
    Duplicate(ServerName),
    /// The scope takes no plugin.
    #[error(transparent)]
    Plugin(#[from] PluginError),
}

/// Where servers can be mounted: a scope, or a whole runtime.
pub trait Place: sealed::Place {}

impl<P: sealed::Place> Place for P {}

mod sealed {
    use toolgate::registry::PluginError;
    use toolgate::{Plugin, PluginHandle};

    /// Implemented by scopes and runtimes, and by nothing else.
    pub trait Place {
        /// Installs a plugin there.
        fn install(&self, plugin: impl Plugin) -> Result<PluginHandle, PluginError>;
    }
}

impl sealed::Place for Scope {
    fn install(&self, plugin: impl Plugin) -> Result<PluginHandle, PluginError> {
        self.plug(plugin)
    }
}

impl sealed::Place for ToolRuntime {
    fn install(&self, plugin: impl Plugin) -> Result<PluginHandle, PluginError> {
        self.plug(plugin)
    }
}

impl Servers {
    /// Mounts servers, in the order of their tools, and begins to connect to those that are enabled. Must be called in a
    /// Tokio runtime.
    ///
    /// # Errors
    /// Two servers have one name, or the scope is closed. Nothing is mounted then.
    pub fn mount(configs: Vec<ServerConfig>, host: Host, place: &impl Place) -> Result<Self, MountError> {
        let mut names = HashSet::new();
        if let Some(twice) = configs.iter().find(|config| !names.insert(config.name.clone())) {
            return Err(MountError::Duplicate(twice.name.clone()));
        }
        let host = Arc::new(host);
        let mut mounted = Vec::new();
        let mut begun = Vec::new();
        for config in configs {
            let server = Server::new(config, Arc::clone(&host));
            let group = Arc::new(Mutex::new(None));
            let plugin =
                OneServer { name: format!("mcp server {}", server.config().name), group: Arc::clone(&group) };
            match place.install(plugin) {
                Ok(handle) => mounted.push(handle),
                Err(error) => {
                    mounted.into_iter().rev().for_each(PluginHandle::unplug);
                    return Err(error.into());
                }
            }
            let group = group.lock().unwrap_or_else(PoisonError::into_inner).take();
            begun.push((server, group));
        }
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let mut servers = Vec::new();
        for (server, group) in begun {
            if let Some(group) = group.filter(|_| server.config().enabled) {
                tasks.spawn(Arc::clone(&server).run(group, stop.clone()));
            }
            servers.push(server);
        }
        tasks.close();
        Ok(Self { mounted: Mutex::new(mounted), servers, stop, tasks })
    }

    /// Waits until each server has been tried once. As long as the longest start and discovery take, at most; a call of a
    /// tool waits for its server by itself.
    pub async fn settled(&self) {
        for server in &self.servers {
            // The sender lives as long as the server.
            let _ = server.status().wait_for(ServerStatus::is_settled).await;
        }
    }

    /// Every server as it is now, in the order in which they were mounted.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.servers.iter().map(|server| server.status().borrow().clone()).collect()
    }

    /// What becomes of one server, for those who watch it.
    #[must_use]
    pub fn watch(&self, name: &str) -> Option<watch::Receiver<ServerStatus>> {
        let server = self.servers.iter().find(|server| server.config().name.as_str() == name)?;
        Some(server.status())
    }

    /// Takes the tools away, in reverse order, then ends every connection and every program, and waits for that. Calls
    /// under way end with the connection. Doing it twice is doing it once.
    pub async fn close(&self) {
        self.stop();
        self.tasks.wait().await;
    }

    fn stop(&self) {
        let mounted = std::mem::take(&mut *self.mounted.lock().unwrap_or_else(PoisonError::into_inner));
        mounted.into_iter().rev().for_each(PluginHandle::unplug);
        self.stop.cancel();
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.servers.iter().map(|server| server.config().name.as_str());
        f.debug_list().entries(names).finish()
    }
}

/// The plugin of one server (rule R10): the place of its tools.
struct OneServer {
    name: String,
    group: Arc<Mutex<Option<ToolGroup>>>,
}

impl Plugin for OneServer {
    fn name(&self) -> &str {
        &self.name
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        *self.group.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.tool_group());
        Ok(())
    }
}
