//! The connection: its requests, one after another, and its end.
//!
//! Called by whoever has a pair of byte streams, such as the command on standard input and output. Requests are taken in
//! order; what takes time runs as a task of its own, because an answer of the editor can only be read while no request is
//! being taken. When the connection ends, turns are stopped and awaited, and every session is closed.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema as acp;
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Error, ErrorCode, JsonRpcRequest, JsonRpcResponse, on_receive_notification, on_receive_request,
};
use tokio::io::{AsyncRead, AsyncWrite};
use toolgate::CancellationToken;
use toolgate_session::SessionId;

use crate::host::{Host, McpServer, McpTransport};
use crate::session::Session;
use crate::sessions::{Opening, Sessions, list, read_id};
use crate::transport::{Gauge, lines};
use crate::{command, content, settings};

/// How long the last messages may take to be written once everything has come to its end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The connection failed: a stream broke, or the editor sent something that cannot be gone on from.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the editor failed: {0}")]
pub struct ServeError(String);

/// The editor at the other end. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Client {
    connection: ConnectionTo<agent_client_protocol::Client>,
    gauge: Gauge,
}

impl Client {
    /// Tells a session update, once there is room for it. At the end of the connection nobody is told.
    pub(crate) async fn update(&self, session: SessionId, update: acp::SessionUpdate) {
        self.gauge.room().await;
        self.update_now(session, update);
    }

    fn update_now(&self, session: SessionId, update: acp::SessionUpdate) {
        let notification = acp::SessionNotification::new(session.to_string(), update);
        if self.connection.send_notification(notification).is_ok() {
            self.gauge.queued();
        }
    }

    /// Asks the editor for something. Dropping the future tells it that the answer is not wanted any more.
    pub(crate) fn request<R: JsonRpcRequest>(
        &self,
        request: R,
    ) -> impl Future<Output = Result<R::Response, Error>> + Send + use<R>
    where
        R::Response: Send,
    {
        self.connection.send_request(request).block_task()
    }

    /// Asks for something without waiting for the answer.
    pub(crate) fn tell<R: JsonRpcRequest>(&self, request: R) {
        self.connection.send_request(request).detach();
    }
}

/// Serves one editor over a pair of byte streams until it closes the connection or `stop` fires. Everything that was
/// under way has come to its end, and its sessions are closed, when this returns. To stop, fire `stop` and await;
/// dropping the future leaves what runs to itself.
///
/// # Errors
/// [`ServeError`].
pub async fn serve<H: Host>(
    host: H,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let gauge = Gauge::default();
    let server = Arc::new(Server { sessions: Sessions::new(host), gauge: gauge.clone() });
    let transport = lines(reader, writer, gauge.clone());
    let ended = CancellationToken::new();
    let outcome = tokio::select! {
        outcome = connect(&server, transport, stop, ended.clone()) => outcome,
        // The editor does not read, and nobody waits for it.
        () = async { ended.cancelled().await; tokio::time::sleep(LAST_WORDS).await } => Ok(()),
    };
    gauge.end();
    server.sessions.end().await;
    match outcome {
        // The editor went away while something was being told.
        Err(_) if gauge.has_no_reader() => Ok(()),
        outcome => outcome.map_err(|error| ServeError(error.to_string())),
    }
}

struct Server<H> {
    sessions: Sessions<H>,
    gauge: Gauge,
}

/// Registers a request whose handler is a method of the server.
macro_rules! requests {
    ($builder:expr, $server:expr, $($request:ty => $method:ident),+ $(,)?) => {
        $builder$(.on_receive_request(
            {
                let server = Arc::clone($server);
                async move |request: $request, responder, connection| {
                    let client = Client { connection, gauge: server.gauge.clone() };
                    Server::$method(&server, client, request, responder)
                }
            },
            on_receive_request!(),
        ))+
    };
}

async fn connect<H: Host>(
    server: &Arc<Server<H>>,
    transport: impl agent_client_protocol::ConnectTo<Agent> + 'static,
    stop: CancellationToken,
    ended: CancellationToken,
) -> Result<(), Error> {
    let builder = requests!(
        Agent.v1().name("toolgate"), server,
        acp::InitializeRequest => initialize,
        acp::AuthenticateRequest => authenticate,
        acp::NewSessionRequest => new_session,
        acp::LoadSessionRequest => load_session,
        acp::ResumeSessionRequest => resume_session,
        acp::ListSessionsRequest => list_sessions,
        acp::CloseSessionRequest => close_session,
        acp::SetSessionModeRequest => set_mode,
        acp::SetSessionConfigOptionRequest => set_option,
        acp::PromptRequest => prompt,
    );
    let cancelling = Arc::clone(server);
    let builder = builder.on_receive_notification(
        async move |cancel: acp::CancelNotification, _connection| {
            // A cancel of no turn, or of no session, came too late.
            if let Ok(session) = cancelling.sessions.get(&cancel.session_id) {
                session.running.cancel();
            }
            Ok(())
        },
        on_receive_notification!(),
    );
    let ending = Arc::clone(server);
    builder
        .connect_with(transport, async move |connection: ConnectionTo<agent_client_protocol::Client>| {
            tokio::select! {
                () = connection.incoming_closed() => {}
                () = stop.cancelled() => {}
            }
            // The editor may still read what came of its turns, and may not.
            ending.gauge.end();
            ending.sessions.end().await;
            ended.cancel();
            Ok(())
        })
        .await
}

impl<H: Host> Server<H> {
    /// Runs work that takes time, and answers with what comes of it.
    fn spawn<T: JsonRpcResponse>(
        self: &Arc<Self>,
        responder: Responder<T>,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<(), Error> {
        self.sessions.tasks.spawn(async move {
            let result = work.await;
            // Where the connection has ended nobody waits for the answer.
            let _ = responder.respond_with_result(result);
        });
        Ok(())
    }

    fn initialize(
        self: &Arc<Self>,
        _client: Client,
        request: acp::InitializeRequest,
        responder: Responder<acp::InitializeResponse>,
    ) -> Result<(), Error> {
        // The first word counts; the connection takes no second one.
        let _ = self.sessions.offers.set(request.client_capabilities);
        let capabilities = acp::AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(acp::PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(acp::McpCapabilities::new().http(true))
            .session_capabilities(
                acp::SessionCapabilities::new()
                    .list(acp::SessionListCapabilities::new())
                    .resume(acp::SessionResumeCapabilities::new())
                    .close(acp::SessionCloseCapabilities::new()),
            );
        let methods = match self.sessions.host.access() {
            Ok(()) => Vec::new(),
            Err(needed) => {
                let method =
                    acp::AuthMethodAgent::new(needed.id, needed.name).description(needed.description);
                vec![acp::AuthMethod::Agent(method)]
            }
        };
        responder.respond(
            acp::InitializeResponse::new(ProtocolVersion::V1)
                .agent_capabilities(capabilities)
                .auth_methods(methods)
                .agent_info(
                    acp::Implementation::new("toolgate", env!("CARGO_PKG_VERSION"))
                        .title("Toolgate".to_owned()),
                ),
        )
    }

    fn authenticate(
        self: &Arc<Self>,
        _client: Client,
        _request: acp::AuthenticateRequest,
        responder: Responder<acp::AuthenticateResponse>,
    ) -> Result<(), Error> {
        match self.sessions.host.access() {
            Ok(()) => responder.respond(acp::AuthenticateResponse::new()),
            Err(needed) => {
                responder.respond_with_error(Error::new(ErrorCode::AUTH_REQUIRED, needed.to_string()))
            }
        }
    }

    fn new_session(
        self: &Arc<Self>,
        client: Client,
        request: acp::NewSessionRequest,
        responder: Responder<acp::NewSessionResponse>,
    ) -> Result<(), Error> {
        let server = Arc::clone(self);
        self.sessions.tasks.spawn(async move {
            let id = SessionId::generate();
            let opened = server
                .enter(
                    client,
                    id,
                    Opening::New,
                    request.cwd,
                    request.additional_directories,
                    request.mcp_servers,
                )
                .await;
            let session = match opened {
                Ok(session) => session,
                Err(error) => return drop(responder.respond_with_error(error)),
            };
            let response = acp::NewSessionResponse::new(id.to_string())
                .modes(session.modes())
                .config_options(session.options());
            // The commands belong to a session that the editor knows of.
            if responder.respond(response).is_ok() {
                session.client.update(id, command::available()).await;
            }
        });
        Ok(())
    }

    fn load_session(
        self: &Arc<Self>,
        client: Client,
        request: acp::LoadSessionRequest,
        responder: Responder<acp::LoadSessionResponse>,
    ) -> Result<(), Error> {
        let server = Arc::clone(self);
        self.spawn(responder, async move {
            let id = known(&request.session_id)?;
            let session = server
                .enter(
                    client,
                    id,
                    Opening::Load,
                    request.cwd,
                    request.additional_directories,
                    request.mcp_servers,
                )
                .await?;
            session.client.update(id, command::available()).await;
            Ok(acp::LoadSessionResponse::new().modes(session.modes()).config_options(session.options()))
        })
    }

    fn resume_session(
        self: &Arc<Self>,
        client: Client,
        request: acp::ResumeSessionRequest,
        responder: Responder<acp::ResumeSessionResponse>,
    ) -> Result<(), Error> {
        let server = Arc::clone(self);
        self.spawn(responder, async move {
            let id = known(&request.session_id)?;
            let session = server
                .enter(
                    client,
                    id,
                    Opening::Resume,
                    request.cwd,
                    request.additional_directories,
                    request.mcp_servers,
                )
                .await?;
            session.client.update(id, command::available()).await;
            Ok(acp::ResumeSessionResponse::new().modes(session.modes()).config_options(session.options()))
        })
    }

    async fn enter(
        &self,
        client: Client,
        id: SessionId,
        opening: Opening,
        directory: std::path::PathBuf,
        more: Vec<std::path::PathBuf>,
        servers: Vec<acp::McpServer>,
    ) -> Result<Arc<Session>, Error> {
        if !more.is_empty() {
            return Err(Error::new(
                ErrorCode::INVALID_PARAMS,
                "a session has one directory, and more were given",
            ));
        }
        let servers = servers.into_iter().map(server).collect::<Result<Vec<McpServer>, Error>>()?;
        self.sessions.enter(client, id, opening, directory, servers).await
    }

    fn list_sessions(
        self: &Arc<Self>,
        _client: Client,
        request: acp::ListSessionsRequest,
        responder: Responder<acp::ListSessionsResponse>,
    ) -> Result<(), Error> {
        let backend = self.sessions.host.backend();
        self.spawn(responder, async move {
            let listing = tokio::task::spawn_blocking(move || {
                list(&*backend, request.cwd.as_deref(), request.cursor.as_deref())
            });
            listing.await.unwrap_or_else(|_| Err(Error::internal_error()))
        })
    }

    fn close_session(
        self: &Arc<Self>,
        _client: Client,
        request: acp::CloseSessionRequest,
        responder: Responder<acp::CloseSessionResponse>,
    ) -> Result<(), Error> {
        let server = Arc::clone(self);
        self.spawn(responder, async move {
            let session = server.sessions.get(&request.session_id)?;
            server.sessions.leave(session.id).await;
            Ok(acp::CloseSessionResponse::new())
        })
    }

    fn set_mode(
        self: &Arc<Self>,
        client: Client,
        request: acp::SetSessionModeRequest,
        responder: Responder<acp::SetSessionModeResponse>,
    ) -> Result<(), Error> {
        let session = match self.sessions.get(&request.session_id) {
            Ok(session) => session,
            Err(error) => return responder.respond_with_error(error),
        };
        let Some(stance) = settings::stance(&request.mode_id.0) else {
            return responder
                .respond_with_error(Error::new(ErrorCode::INVALID_PARAMS, "there is no such mode"));
        };
        session.choose_stance(stance);
        responder.respond(acp::SetSessionModeResponse::new())?;
        let options = acp::ConfigOptionUpdate::new(session.options());
        client.update_now(session.id, acp::SessionUpdate::ConfigOptionUpdate(options));
        Ok(())
    }

    fn set_option(
        self: &Arc<Self>,
        client: Client,
        request: acp::SetSessionConfigOptionRequest,
        responder: Responder<acp::SetSessionConfigOptionResponse>,
    ) -> Result<(), Error> {
        let session = match self.sessions.get(&request.session_id) {
            Ok(session) => session,
            Err(error) => return responder.respond_with_error(error),
        };
        let before = session.chosen().stance;
        let is_known = match &request.value {
            acp::SessionConfigOptionValue::ValueId { value } => {
                session.choose(&request.config_id.0, &value.0)
            }
            acp::SessionConfigOptionValue::Boolean { .. } | _ => false,
        };
        if !is_known {
            let error =
                Error::new(ErrorCode::INVALID_PARAMS, "there is no such option, or it has no such value");
            return responder.respond_with_error(error);
        }
        responder.respond(acp::SetSessionConfigOptionResponse::new(session.options()))?;
        let now = session.chosen().stance;
        if now != before {
            let mode = acp::CurrentModeUpdate::new(settings::mode_id(now));
            client.update_now(session.id, acp::SessionUpdate::CurrentModeUpdate(mode));
        }
        Ok(())
    }

    fn prompt(
        self: &Arc<Self>,
        _client: Client,
        request: acp::PromptRequest,
        responder: Responder<acp::PromptResponse>,
    ) -> Result<(), Error> {
        let session = match self.sessions.get(&request.session_id) {
            Ok(session) => session,
            Err(error) => return responder.respond_with_error(error),
        };
        let said = match content::from_prompt(request.prompt) {
            Ok(said) if said.is_empty() => {
                return responder
                    .respond_with_error(Error::new(ErrorCode::INVALID_PARAMS, "the prompt is empty"));
            }
            Ok(said) => said,
            Err(kind) => {
                let message = format!("the prompt holds {kind}, which the agent cannot read");
                return responder.respond_with_error(Error::new(ErrorCode::INVALID_PARAMS, message));
            }
        };
        // Claimed before the next message is read, so that a cancel behind this one finds the turn.
        let Some(claim) = session.running.begin() else {
            let message = "a turn is under way in this session\nhint: wait for its end, or cancel it";
            return responder.respond_with_error(Error::new(ErrorCode::INVALID_REQUEST, message));
        };
        if self.sessions.stop.is_cancelled() {
            claim.stop.cancel();
        }
        let given_up = responder.cancellation();
        self.sessions.tasks.spawn(async move {
            let result = {
                let mut turn = std::pin::pin!(session.prompt(said, &claim));
                tokio::select! {
                    biased;
                    result = &mut turn => result,
                    () = given_up.cancelled() => {
                        claim.stop.cancel();
                        turn.await
                    }
                }
            };
            // Who hears that the turn has ended may begin the next.
            drop(claim);
            let _ = responder.respond_with_result(result.map(acp::PromptResponse::new));
        });
        Ok(())
    }
}

fn known(id: &acp::SessionId) -> Result<SessionId, Error> {
    read_id(id).ok_or_else(|| Error::new(ErrorCode::RESOURCE_NOT_FOUND, "there is no session of that name"))
}

/// A server as it is handed on; what was not offered is refused.
fn server(server: acp::McpServer) -> Result<McpServer, Error> {
    if let acp::McpServer::Stdio(stdio) = server {
        let env = stdio.env.into_iter().map(|variable| (variable.name, variable.value)).collect();
        let transport = McpTransport::Stdio { command: stdio.command, args: stdio.args, env };
        return Ok(McpServer { name: stdio.name, transport });
    }
    if let acp::McpServer::Http(http) = server {
        let headers = http.headers.into_iter().map(|header| (header.name, header.value)).collect();
        return Ok(McpServer { name: http.name, transport: McpTransport::Http { url: http.url, headers } });
    }
    Err(Error::new(ErrorCode::INVALID_PARAMS, "servers are reached by stdio or streamable HTTP only"))
}
