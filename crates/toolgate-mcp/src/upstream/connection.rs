//! [`Connection`]: one connection to a server, from the handshake to its end. What it is used for is others' business.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::model::{ProtocolVersion, ServerResult, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient, RunningService,
    Subscription,
};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;
use toolgate::text::{Line, Text, shortened};

use super::client::Client;
use super::host::Host;
use crate::RawAnswers;
use crate::config::{Endpoint, Handshake, OAuthTable, ServerConfig, ServerName};
use crate::transport::{
    Connected, Diagnostics, HttpAuth, HttpServer, OAuth, OAuthClient, ServerExit, TokenStore, connect_http,
    is_login_required,
};
#[cfg(unix)]
use crate::transport::{StdioServer, connect_stdio};

/// How long a subscription to changes may take.
const SUBSCRIBING: Duration = Duration::from_secs(5);
/// How much of a server's name or version is kept, in characters.
const IDENTITY_CHARACTERS: usize = 200;
/// How much of its instructions is kept, in characters.
const INSTRUCTIONS_CHARACTERS: usize = 8_000;
/// How much of a reason is kept, in characters.
const REASON_CHARACTERS: usize = 4_000;

/// An open connection. Whoever opened it closes it.
pub(crate) struct Connection {
    pub(crate) server: ServerName,
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) client: Client,
    pub(crate) answers: RawAnswers,
    pub(crate) diagnostics: Diagnostics,
    /// Fires when somebody finds that the connection is of no more use.
    pub(crate) useless: CancellationToken,
}

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its program, where it says so; at most 200 characters.
    pub program: Option<String>,
    /// The version of it.
    pub version: Option<String>,
    /// The version of the protocol that both sides agreed on.
    pub protocol: String,
    /// What it wants a model to know, at most 8,000 characters. A stranger's text: nothing here gives it to a model.
    pub instructions: Option<String>,
}

/// A connection that did not come about.
#[derive(Debug)]
pub(crate) struct ConnectError {
    pub(crate) reason: String,
    /// Whether a server that knows only the older handshake may fail so when it is asked in the newer way.
    pub(crate) may_be_older: bool,
}

/// The running side of a connection.
pub(crate) type Running = RunningService<RoleClient, Client>;

impl Connection {
    /// Opens a connection and shakes hands. Dropping the future ends what was started.
    pub(crate) async fn open(
        config: &ServerConfig,
        host: &Arc<Host>,
        handshake: Handshake,
    ) -> Result<(Self, Running), ConnectError> {
        match &config.endpoint {
            #[cfg(unix)]
            Endpoint::Process { command, args, env, pass_env, cwd } => {
                let server = StdioServer {
                    command: command.clone(),
                    args: args.clone(),
                    env: env.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect(),
                    pass_env: pass_env.clone(),
                    cwd: cwd.clone(),
                    limits: crate::transport::StdioLimits::default(),
                };
                let connected =
                    connect_stdio(server, &host.supervisor).map_err(|error| ConnectError::of(&error))?;
                Self::serve(config, host, handshake, connected).await
            }
            #[cfg(not(unix))]
            Endpoint::Process { .. } => {
                Err(ConnectError::new("programs are started on Unix only".to_owned()))
            }
            Endpoint::Http { url, headers, oauth } => {
                let has_credentials = headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
                let auth = match host.tokens.clone().filter(|_| !has_credentials) {
                    Some(store) => HttpAuth::OAuth(oauth_of(oauth, store)),
                    None => HttpAuth::None,
                };
                let mut server = HttpServer::new(url.as_str());
                server.headers =
                    headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect();
                server.auth = auth;
                let connected = connect_http(server).await.map_err(|error| ConnectError::of(&error))?;
                Self::serve(config, host, handshake, connected).await
            }
        }
    }

    async fn serve<T: Transport<RoleClient> + 'static>(
        config: &ServerConfig,
        host: &Arc<Host>,
        handshake: Handshake,
        connected: Connected<T>,
    ) -> Result<(Self, Running), ConnectError> {
        let Connected { transport, diagnostics, answers } = connected;
        let client = Client::new(config.name.clone(), Arc::clone(host));
        let preferred_versions = vec![ProtocolVersion::LATEST];
        let lifecycle = match handshake {
            Handshake::Auto => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Handshake::Initialize => ClientLifecycleMode::Initialize,
            Handshake::Discover => ClientLifecycleMode::Discover { preferred_versions },
        };
        let running = client.clone().serve_with_lifecycle(transport, lifecycle).await;
        let running = running.map_err(|error| {
            let mut reason = reason(&diagnostics, &error);
            let wants_login = wants_login(&error);
            if wants_login {
                reason = with_login(&config.name, &reason);
            }
            let may_be_older =
                handshake == Handshake::Auto && !wants_login && is_broken(&error, &diagnostics);
            ConnectError { reason, may_be_older }
        })?;
        let connection = Self {
            server: config.name.clone(),
            peer: running.peer().clone(),
            client,
            answers,
            diagnostics,
            useless: CancellationToken::new(),
        };
        Ok((connection, running))
    }

    /// What the server says of itself.
    pub(crate) fn identity(&self) -> Identity {
        let Some(info) = self.peer.peer_info() else { return Identity::default() };
        let line = |text: &str| Line(&shortened(text, IDENTITY_CHARACTERS)).to_string();
        let instructions = info.instructions.as_deref().filter(|text| !text.trim().is_empty());
        Identity {
            program: info.server_info.as_ref().map(|program| line(&program.name)),
            version: info.server_info.as_ref().map(|program| line(&program.version)),
            protocol: line(info.protocol_version.as_str()),
            instructions: instructions
                .map(|text| Text(&shortened(text, INSTRUCTIONS_CHARACTERS)).to_string()),
        }
    }

    /// Whether the two agreed on the protocol without `initialize`.
    pub(crate) fn is_newer(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Whether calls through it still have a chance.
    pub(crate) fn is_useful(&self) -> bool {
        !self.peer.is_transport_closed()
            && !self.useless.is_cancelled()
            && !self.diagnostics.is_session_lost()
    }

    /// Listens for changes of the list of tools, where the protocol wants that to be asked for; none where the server has
    /// nothing to tell.
    pub(crate) async fn subscribe(&self) -> Result<Option<Subscription>, String> {
        let tells = self.peer.peer_info().and_then(|info| info.capabilities.tools.as_ref()?.list_changed);
        if !self.is_newer() || tells != Some(true) {
            return Ok(None);
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        match tokio::time::timeout(SUBSCRIBING, self.peer.listen(filter)).await {
            Ok(subscribed) => subscribed.map(Some).map_err(|error| self.reason_of(&error)),
            Err(_) => Err("it did not answer".to_owned()),
        }
    }

    /// Why a request was lost with the connection, or refused because nobody has logged in for it.
    pub(crate) fn reason_of(&self, error: &ServiceError) -> String {
        let reason = reason(&self.diagnostics, error);
        if is_login_required(error) { with_login(&self.server, &reason) } else { reason }
    }
}

impl ConnectError {
    fn new(reason: String) -> Self {
        Self { reason, may_be_older: false }
    }

    fn of(error: &dyn std::error::Error) -> Self {
        Self::new(chain(error))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("server", &self.server).finish_non_exhaustive()
    }
}

/// How somebody logs in at a server, with the tokens of this store: for a connection, and for the log-in itself.
#[must_use]
pub fn oauth_of(table: &OAuthTable, store: TokenStore) -> OAuth {
    let secret = table.client_secret.as_ref().map(|secret| secret.expose().to_owned());
    let client = table.client_id.clone().map(|id| OAuthClient { id, secret });
    OAuth { store, client, scopes: table.scopes.clone() }
}

/// What the transport knows, or else the error itself.
fn reason(diagnostics: &Diagnostics, error: &(dyn std::error::Error + 'static)) -> String {
    let reason = diagnostics.problem().unwrap_or_else(|| diagnostics.with_stderr(chain(error)));
    Text(&shortened(&reason, REASON_CHARACTERS)).to_string()
}

/// An error with what is behind it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        source = error.source();
    }
    text
}

/// Whether somebody has to log in before the handshake can be done.
fn wants_login(error: &ClientInitializeError) -> bool {
    if let ClientInitializeError::TransportError { error, .. } = error {
        return is_login_required(error);
    }
    if let ClientInitializeError::LegacyFallbackFailed { discover, fallback } = error {
        return wants_login(discover) || wants_login(fallback);
    }
    false
}

fn with_login(server: &ServerName, reason: &str) -> String {
    format!("somebody has to log in at it; hint: run `toolgate mcp login {server}`\n{reason}")
}

/// Whether the connection broke, or the server answered with nothing, rather than with a refusal.
fn is_broken(error: &ClientInitializeError, diagnostics: &Diagnostics) -> bool {
    match diagnostics.exit() {
        Some(ServerExit::NotStarted(_)) => return false,
        Some(ServerExit::Ended { .. } | ServerExit::Broken(_)) => return true,
        None => {}
    }
    // The last one is the answer to the newer question of a server that took long to start: it came after the older
    // question had been asked.
    matches!(
        error,
        ClientInitializeError::ConnectionClosed(_)
            | ClientInitializeError::TransportError { .. }
            | ClientInitializeError::ExpectedInitResult(Some(ServerResult::EmptyResult(_)))
            | ClientInitializeError::UncorrelatedErrorResponse { .. }
    )
}
