//! [`Gateway`] and its builder.

use std::io;
use std::sync::Arc;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{OnceCell, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate::Scope;
use toolgate_policy::person::People;
use toolgate_sdk::{DEFAULT_BUDGET, Language};

use super::asking::{Clients, Routes};
use super::catalog::CodePresentation;
use super::http::{self, HttpOptions};
use super::parked::Parked;
use super::server::{Server, Via};
use super::session::Unanswered;
use super::shared::{Shared, settles};
use super::stdio::LineTransport;
use super::{GatewayLimits, Profile};

/// A server of the Model Context Protocol in front of scopes. Cheap to clone; clones are the same gateway.
///
/// It serves until [`shut_down`](Self::shut_down): nothing new begins then, calls under way get a time to finish, and are
/// cancelled and awaited after it.
#[derive(Clone, Debug)]
pub struct Gateway(Arc<Shared>);

/// What a gateway is made of.
#[derive(Debug)]
#[must_use = "call `build` to get the gateway"]
pub struct GatewayBuilder {
    profiles: Vec<Profile>,
    limits: GatewayLimits,
    code: CodePresentation,
    instructions: Option<String>,
    people: Option<People>,
    unanswered: Unanswered,
}

impl Gateway {
    /// Begins a gateway in front of one scope: every conversation gets a scope below it.
    pub fn of(scope: Scope) -> GatewayBuilder {
        Self::builder(Profile::new("default", scope))
    }

    /// Begins a gateway whose clients get this profile where no other is for them.
    pub fn builder(profile: Profile) -> GatewayBuilder {
        GatewayBuilder {
            profiles: vec![profile],
            limits: GatewayLimits::default(),
            code: CodePresentation { language: Language::TypeScript, budget: DEFAULT_BUDGET },
            instructions: None,
            people: None,
            unanswered: Unanswered::default(),
        }
    }

    /// Serves one client on a pair of byte streams, until it closes its side or the gateway shuts down. Messages are lines.
    ///
    /// When the client closes its side, calls under way get five seconds to answer; then they are cancelled. It returns when
    /// they have come to rest.
    ///
    /// # Errors
    /// The client went away, or spoke something else, before it had said who it is.
    pub async fn serve_stdio(
        &self,
        read: impl AsyncRead + Unpin + Send + 'static,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let shared = &self.0;
        let session = Arc::new(OnceCell::new());
        let places = Arc::new(Semaphore::new(shared.limits.calls));
        let via = Via { profile: None, credential: None, caller: http::next_caller(), places };
        let server = Server::new(Arc::clone(shared), via, Arc::clone(&session));
        let over = shared.ended.child_token();
        let writing = TaskTracker::new();
        let transport = LineTransport::new(read, write, shared.limits.message_bytes, &writing, over.clone());
        let served = match serve_server_with_ct(server, transport, over.clone()).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            Err(ServerInitializeError::Cancelled | ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        };
        over.cancel();
        if let Some(session) = session.get() {
            session.calls.close();
            settles(&session.calls, shared.limits.shutdown_settle).await;
        }
        writing.close();
        settles(&writing, shared.limits.shutdown_settle).await;
        served
    }

    /// Serves clients over streamable HTTP, under `/mcp` and for each profile `/mcp/<name>`, until the gateway shuts down.
    ///
    /// # Errors
    /// The listener has no address.
    pub async fn serve_http(&self, listener: TcpListener, options: HttpOptions) -> io::Result<()> {
        http::serve(&self.0, listener, options).await
    }

    /// Shuts down, and returns when every call has come to rest or its time is up. Those who serve return then.
    pub async fn shut_down(&self) {
        self.0.shut_down().await;
    }
}

impl GatewayBuilder {
    /// Adds a profile. Of two with one name the first counts.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profiles.push(profile);
        self
    }

    /// Sets other limits.
    pub fn limits(mut self, limits: GatewayLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Says what programs of `run_code` are written in, and how many tokens of declarations its description carries at
    /// most. Both must be those of the runtime's code transport. TypeScript, and the budget of `toolgate-sdk`.
    pub fn code(mut self, language: Language, budget: usize) -> Self {
        self.code = CodePresentation { language, budget };
        self
    }

    /// Tells clients how the tools are meant to be used.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Lets the clients be asked among these people, each about its own calls. Without this, a policy's questions go where
    /// the runtime's approver takes them.
    pub fn people(mut self, people: &People) -> Self {
        self.people = Some(people.clone());
        self
    }

    /// Says what becomes of questions that a client cannot be asked.
    pub fn unanswered(mut self, unanswered: Unanswered) -> Self {
        self.unanswered = unanswered;
        self
    }

    /// The gateway.
    #[must_use]
    pub fn build(self) -> Gateway {
        let Self { profiles, limits, code, instructions, people, unanswered } = self;
        let routes = Routes::default();
        if let Some(people) = people {
            people.join(Clients { routes: routes.clone(), unanswered });
        }
        Gateway(Arc::new(Shared {
            profiles,
            limits,
            code,
            instructions,
            routes,
            parked: Parked::new(limits.parked_calls, limits.parked_time),
            calls: TaskTracker::new(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            cancelled: CancellationToken::new(),
            ended: CancellationToken::new(),
        }))
    }
}
