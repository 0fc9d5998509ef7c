//! [`Server`]: the protocol's requests, answered from a session.
//!
//! `rmcp` makes one for each connection on pipes, for each session over HTTP, and for each single request of 2026-07-28
//! over HTTP. The session behind it is opened by the first request that says who the client is.

use std::sync::Arc;

use http::request::Parts;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ConstString as _,
    ContentBlock as WireBlock, CustomRequest, CustomResult, DiscoverRequestMethod, ErrorCode, ErrorData,
    Implementation, InitializeRequestParams, InitializeResult, InitializeResultMethod, JsonObject,
    ListToolsRequestMethod, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SubscriptionFilter, ToolsCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use tokio::sync::{OnceCell, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolgate::JsonValue;

use super::Client;
use super::call::{AskedFor, Held, RunningCall, Terms};
use super::catalog::{self, Lookup};
use super::changes::Changes;
use super::drive::{Drive, Era};
use super::http::Activity;
use super::ingress::Arguments;
use super::messages::severity_of;
use super::session::{MOST_SUBSCRIPTIONS, Session};
use super::shared::Shared;
use super::tool_names;

/// How a client came here.
#[derive(Clone, Debug)]
pub(super) struct Via {
    /// The profile that its path or its credential chose.
    pub(super) profile: Option<String>,
    /// The name of its credential.
    pub(super) credential: Option<String>,
    /// Tells this way from others; what was begun on one is not taken up on another.
    pub(super) caller: u64,
    /// A place for each call that may be under way.
    pub(super) places: Arc<Semaphore>,
}

/// One conversation, as `rmcp` sees it.
pub(super) struct Server {
    shared: Arc<Shared>,
    via: Via,
    session: Arc<OnceCell<Arc<Session>>>,
    /// Fires when the conversation is over.
    over: CancellationToken,
    _over: DropGuard,
}

impl Server {
    /// A conversation. `session` is filled when it is opened.
    pub(super) fn new(shared: Arc<Shared>, via: Via, session: Arc<OnceCell<Arc<Session>>>) -> Self {
        let over = CancellationToken::new();
        Self { shared, via, session, over: over.clone(), _over: over.drop_guard() }
    }

    async fn session(&self, client: Option<Implementation>) -> Result<&Arc<Session>, ErrorData> {
        if self.shared.closing.is_cancelled() {
            return Err(closing());
        }
        self.session
            .get_or_try_init(|| async {
                let (name, version) = client.map(|client| (client.name, client.version)).unzip();
                let client = Client { name, version, credential: self.via.credential.clone() };
                let conversation = self.shared.open(self.via.profile.as_deref(), client).await;
                conversation
                    .map(|conversation| Arc::new(Session::new(conversation)))
                    .map_err(|error| ErrorData::internal_error(error, None))
            })
            .await
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let session = self.session(context.client_info()).await?;
        let parts = context.extensions.get::<Parts>();
        let arguments = context.extensions.get::<Arguments>();
        let arguments = arguments.or_else(|| parts?.extensions.get::<Arguments>()).cloned();
        let asked_for = AskedFor {
            tool: tool_names::meant(&session.scope, &request.name),
            arguments: arguments.unwrap_or(Arguments::Missing),
        };
        let era = Era::of(context);
        let drive = Drive { shared: &self.shared, context, era, caller: self.via.caller };
        if let Some(handle) = &request.request_state {
            let waiting = self.shared.parked.resume(handle, self.via.caller, &asked_for).ok_or_else(|| {
                ErrorData::invalid_params(
                    "no call waits under this `requestState` for this client and these arguments\nhint: call again without it",
                    None,
                )
            })?;
            return drive.resume(waiting, &request.input_responses.unwrap_or_default()).await;
        }
        if let Some(answer) = self.look_up(session, &asked_for) {
            return Ok(answer.into());
        }
        let Ok(place) = Arc::clone(&self.via.places).try_acquire_owned() else {
            let most = self.shared.limits.calls;
            return Err(ErrorData::new(
                ErrorCode(-32000),
                format!("there are {most} calls under way, as many as may be\nhint: wait for one to finish"),
                None,
            ));
        };
        let activity = parts.and_then(|parts| parts.extensions.get::<Arc<Activity>>());
        let terms = Terms {
            can_ask: can_ask(context),
            gone: activity.map(|activity| activity.gone.clone()),
            held: Held { _place: place, _busy: activity.map(Activity::busy) },
        };
        drive.run(RunningCall::begin(&self.shared, session, asked_for, terms)).await
    }

    /// Answers a call of the tools that find and declare other tools.
    fn look_up(&self, session: &Session, asked_for: &AskedFor) -> Option<CallToolResult> {
        if session.scope.get(&asked_for.tool).is_some() {
            return None;
        }
        let lookup = Lookup::of(&session.scope, self.shared.code)?;
        let none = JsonValue::null();
        let arguments = match &asked_for.arguments {
            Arguments::Given(arguments) => arguments,
            Arguments::Missing | Arguments::Unreadable(_) => &none,
        };
        Some(match lookup.answer(&asked_for.tool, arguments)? {
            Ok(text) => CallToolResult::success(vec![WireBlock::text(text)]),
            Err(text) => CallToolResult::error(vec![WireBlock::text(text)]),
        })
    }

    fn changes(&self, session: &Arc<Session>) -> Changes {
        Changes::of(Arc::clone(session), self.shared.code, self.shared.limits.change_pause)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::default();
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        capabilities.tools = Some(tools);
        capabilities.logging = Some(JsonObject::new());
        let mut info = InitializeResult::new(capabilities)
            .with_server_info(Implementation::new("toolgate", env!("CARGO_PKG_VERSION")));
        info.instructions = self.shared.instructions.clone();
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        self.session(Some(request.client_info.clone())).await?;
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // A client that says it again and again is told once.
        let Some(session) = self.session.get().filter(|session| session.is_first_to_be_told()) else {
            return;
        };
        let mut changes = self.changes(session);
        let (over, ended) = (self.over.clone(), self.shared.ended.clone());
        self.shared.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = over.cancelled() => return,
                    () = ended.cancelled() => return,
                    changed = changes.next() => match changed {
                        Some(()) if context.peer.notify_tool_list_changed().await.is_ok() => {}
                        Some(()) | None => return,
                    },
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.intersection(&SubscriptionFilter::builder().tools_list_changed().build()))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let session = self.session(context.request_context().client_info()).await?;
        let Ok(_place) = session.subscriptions.try_acquire() else {
            return Err(ErrorData::new(
                ErrorCode(-32000),
                format!(
                    "there are {MOST_SUBSCRIPTIONS} subscriptions, as many as may be\nhint: end one of them"
                ),
                None,
            ));
        };
        let mut changes = self.changes(session);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.shared.closing.cancelled() => return Ok(()),
                changed = changes.next() => {
                    if changed.is_none() {
                        return Ok(());
                    }
                    if context.accepted().tools_list_changed == Some(true) {
                        // A client that is gone has cancelled the subscription.
                        let _ = context.sink().notify_tool_list_changed().await;
                    }
                }
            }
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "there is one page of tools, and no cursor was given",
                None,
            ));
        }
        let session = self.session(context.client_info()).await?;
        let tools = catalog::tools(&session.scope, self.shared.code);
        tools
            .map(ListToolsResult::with_all_items)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, &context).await
    }

    #[expect(deprecated, reason = "clients set it for as long as versions of the protocol have it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(&context) == Era::Rounds {
            // Requests of this era say it themselves.
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        let session = self.session(context.client_info()).await?;
        session.set_severity(severity_of(request.level));
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A request of a known method ends here when its parameters are not what the method takes.
        let known = [
            InitializeResultMethod::VALUE,
            DiscoverRequestMethod::VALUE,
            ListToolsRequestMethod::VALUE,
            CallToolRequestMethod::VALUE,
            SetLevelRequestMethod::VALUE,
        ];
        Err(if known.contains(&request.method.as_str()) {
            ErrorData::invalid_params(format!("`{}` does not take such parameters", request.method), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)
        })
    }
}

/// Whether the client of a request can put a form to a person.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // A client that names no kind means forms, the only kind of old.
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

fn closing() -> ErrorData {
    ErrorData::new(ErrorCode(-32000), "the gateway is shutting down", None)
}
