//! [`WebServer`]: the server of the pages, from its start to its end.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use toolgate::{CancellationToken, ToolRuntime};
use toolgate_policy::People;
use toolgate_policy::rules::Permissions;
use toolgate_session::Backend;

use crate::access::{Gate, NoRandomness, Secret, pass};
use crate::desk::{Desk, MakeAgent};
use crate::feed::Feeds;
use crate::pages::{Summaries, approvals, kept, policy, session, sessions, statistics, tools};
use crate::{assets, stream};

/// How large a form may be.
const LARGEST_FORM: usize = 4 << 20;

/// What the pages show and do.
pub struct WebParts {
    /// The tools. Agents get scopes of it, named after their sessions.
    pub runtime: ToolRuntime,
    /// The sessions.
    pub backend: Arc<dyn Backend>,
    /// Those who are asked: the pages answer for them.
    pub people: People,
    /// The rules, which a page explains.
    pub permissions: Permissions,
    /// Makes the agents. Without it sessions can be watched, and none can be begun.
    pub agents: Option<Box<MakeAgent>>,
}

/// Where a server listens and who may come.
#[derive(Clone, Debug)]
pub struct WebConfig {
    /// The address. Anything but loopback can be reached by others, without encryption.
    pub address: SocketAddr,
    /// Further names, with a port where it is not 80, under which browsers may ask for it.
    pub names: Vec<String>,
    /// What browsers have to know. The same secret lets the browsers of before in again.
    pub secret: Secret,
}

/// A server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The address cannot be had.
    #[error("{address} cannot be listened on")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// There is no link.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// The server failed.
    #[error("the server failed")]
    Serve(#[source] std::io::Error),
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) runtime: ToolRuntime,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) people: People,
    pub(crate) permissions: Permissions,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) summaries: Summaries,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) tasks: TaskTracker,
    /// Fires when the server ends.
    pub(crate) stop: CancellationToken,
}

/// A server that listens, and serves once it is told to.
pub struct WebServer {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl WebServer {
    /// Begins to listen.
    ///
    /// # Errors
    /// [`WebError::Listen`].
    pub async fn bind(parts: WebParts, config: WebConfig) -> Result<Self, WebError> {
        let WebConfig { address, names, secret } = config;
        let failed = |source| WebError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let gate = Gate::new(secret, listener.local_addr().map_err(failed)?, &names);
        let WebParts { runtime, backend, people, permissions, agents } = parts;
        let stop = CancellationToken::new();
        let feeds = Arc::new(Feeds::new(Arc::clone(&backend), runtime.clone()));
        let desk = Desk::new(runtime.clone(), Arc::clone(&backend), agents, Arc::clone(&feeds), stop.clone());
        let shared = Shared {
            runtime,
            backend,
            people,
            permissions,
            feeds,
            desk: Arc::new(desk),
            gate: Arc::new(gate),
            summaries: Summaries::default(),
            streams: Arc::new(Semaphore::new(stream::MOST_STREAMS)),
            tasks: TaskTracker::new(),
            stop,
        };
        Ok(Self { listener, shared: Arc::new(shared) })
    }

    /// Where it listens: with the port that the system chose, where it was asked to choose one.
    ///
    /// # Errors
    /// [`WebError::Serve`] where the system does not say.
    pub fn address(&self) -> Result<SocketAddr, WebError> {
        self.listener.local_addr().map_err(WebError::Serve)
    }

    /// A link that lets one browser in, once.
    ///
    /// # Errors
    /// [`WebError::NoRandomness`].
    pub fn link(&self) -> Result<String, WebError> {
        Ok(self.shared.gate.link()?)
    }

    /// Serves until `stop` fires; then agents are interrupted, and everything that runs comes to rest first.
    ///
    /// # Errors
    /// [`WebError::Serve`].
    pub async fn serve(self, stop: CancellationToken) -> Result<(), WebError> {
        let Self { listener, shared } = self;
        // Questions wait for a page to be opened.
        let attendance = shared.people.attend();
        let app = router(Arc::clone(&shared));
        let (ending, until) = (shared.stop.clone(), stop.clone());
        let served = axum::serve(listener, app)
            .with_graceful_shutdown(async move {
                until.cancelled().await;
                // Streams end by it, and what they would keep open with them.
                ending.cancel();
            })
            .await;
        drop(attendance);
        shared.desk.close().await;
        shared.tasks.close();
        shared.tasks.wait().await;
        served.map_err(WebError::Serve)
    }
}

fn router(shared: Arc<Shared>) -> Router {
    let gate = Arc::clone(&shared.gate);
    Router::new()
        .route("/", get(sessions::show))
        .route("/links", post(sessions::link))
        .route("/sessions", post(sessions::begin))
        .route("/sessions/{id}", get(session::show))
        .route("/sessions/{id}/items", get(session::items))
        .route("/sessions/{id}/say", post(session::say))
        .route("/sessions/{id}/stop", post(session::stop))
        .route("/sessions/{id}/text/{seq}", get(kept::text))
        .route("/sessions/{id}/kept/{handle}", get(kept::kept))
        .route("/approvals", get(approvals::show))
        .route("/approvals/{id}", post(approvals::answer))
        .route("/tools", get(tools::show))
        .route("/tool", get(tools::tool).post(tools::call))
        .route("/policy", get(policy::show))
        .route("/statistics", get(statistics::show))
        .route("/events", get(stream::events))
        .route("/assets/{name}", get(assets::show))
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
        .layer(from_fn_with_state(gate, pass))
        .with_state(shared)
}
