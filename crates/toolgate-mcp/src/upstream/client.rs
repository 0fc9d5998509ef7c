//! [`Client`]: this side of a connection as the server sees it: what it says of itself, and what it answers.
//!
//! Sampling is refused: nobody's model works for a server. What a server sends on its own is taken, never waited for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ClientHandler;
#[expect(deprecated, reason = "servers of the older protocol still ask for roots and send log messages")]
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    Root, RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Map, Value};
use tokio::sync::{Notify, Semaphore, mpsc};
use toolgate::text::{Line, Text, shortened};
use toolgate::{JsonValue, Progress, Report, ReportedMessage, Severity};

use super::host::{Elicitation, ElicitationAnswer, ElicitationWanted, Host};
use crate::config::ServerName;

/// How many reports of a call may wait; later ones are dropped.
const WAITING_REPORTS: usize = 64;
/// How much of a server's message is passed on, in characters.
const MESSAGE_CHARACTERS: usize = 4_000;
/// The largest value of a log message that is passed on as it is, in bytes of JSON. Of a larger one, its beginning is.
const MESSAGE_BYTES: usize = 16 << 10;
/// How much of the name is passed on that a server gives to a log message, in characters.
const SOURCE_CHARACTERS: usize = 200;
/// How many questions of one server may be open; the next one is answered at once, as if nobody were there.
const OPEN_QUESTIONS: usize = 8;
/// The largest form that is put to somebody, in bytes of JSON.
const FORM_BYTES: usize = 64 << 10;

/// The handler of one connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Client(Arc<Shared>);

struct Shared {
    server: ServerName,
    host: Arc<Host>,
    changed: Notify,
    questions: Semaphore,
    calls: Mutex<HashMap<ProgressToken, mpsc::Sender<Report>>>,
}

/// The reports of one call, until this is dropped.
pub(crate) struct Reports {
    client: Client,
    token: ProgressToken,
    receiver: mpsc::Receiver<Report>,
}

impl Client {
    pub(crate) fn new(server: ServerName, host: Arc<Host>) -> Self {
        let questions = Semaphore::new(OPEN_QUESTIONS);
        Self(Arc::new(Shared { server, host, changed: Notify::new(), questions, calls: Mutex::default() }))
    }

    /// Waits until the server says that its tools have changed. Several notices before this is called again are one.
    pub(crate) async fn tools_changed(&self) {
        self.0.changed.notified().await;
    }

    /// Listens for what the server says of a call.
    pub(crate) fn reports(&self, token: ProgressToken) -> Reports {
        let (sender, receiver) = mpsc::channel(WAITING_REPORTS);
        self.calls().insert(token.clone(), sender);
        Reports { client: self.clone(), token, receiver }
    }

    /// Answers a question of the server. A server that asks faster than people answer gets no more of their time.
    pub(crate) async fn answer(&self, params: ElicitRequestParams) -> ElicitResult {
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        let Some(elicitor) = &self.0.host.elicitor else { return declined() };
        let Ok(_place) = self.0.questions.try_acquire() else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        let (message, wanted) = match params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema =
                    serde_json::to_value(&requested_schema).ok().and_then(|v| JsonValue::new(v).ok());
                let Some(schema) = schema.filter(|schema| schema.to_text().len() <= FORM_BYTES) else {
                    return declined();
                };
                (message, ElicitationWanted::Form(schema))
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                (message, ElicitationWanted::Visit(url))
            }
            // A kind of question that did not exist when this was written.
            _ => return declined(),
        };
        let message = Text(&shortened(&message, MESSAGE_CHARACTERS)).to_string();
        let defaults = defaults(&wanted);
        match elicitor.elicit(Elicitation { server: self.0.server.clone(), message, wanted }).await {
            ElicitationAnswer::Accept(None) if defaults.is_empty() => {
                ElicitResult::new(ElicitationAction::Accept)
            }
            ElicitationAnswer::Accept(given) => {
                let mut content = defaults;
                content.extend(
                    given.and_then(|given| given.as_value().as_object().cloned()).unwrap_or_default(),
                );
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content))
            }
            ElicitationAnswer::Decline => declined(),
            ElicitationAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    /// The folders that the server is told of.
    #[expect(deprecated, reason = "servers of the older protocol still ask for roots")]
    pub(crate) fn roots(&self) -> ListRootsResult {
        let uris = self.0.host.roots.iter().filter_map(|root| url::Url::from_directory_path(root).ok());
        ListRootsResult::new(uris.map(|uri| Root::new(uri.to_string())).collect())
    }

    /// Passes a report on to the call it belongs to: the one of that token, or the only one under way.
    fn pass_on(&self, token: Option<&ProgressToken>, report: Report) {
        let calls = self.calls();
        let call = match token {
            Some(token) => calls.get(token),
            None => calls.values().next().filter(|_| calls.len() == 1),
        };
        if let Some(call) = call {
            // A call that does not keep up misses some: reports are about now.
            let _ = call.try_send(report);
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<Report>>> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a form takes where its user gives nothing.
fn defaults(wanted: &ElicitationWanted) -> Map<String, Value> {
    let ElicitationWanted::Form(schema) = wanted else { return Map::new() };
    let properties = schema.get("properties").and_then(Value::as_object);
    let defaults = properties.into_iter().flatten().filter_map(|(name, property)| {
        property.get("default").map(|default| (name.clone(), default.clone()))
    });
    defaults.collect()
}

impl Reports {
    /// The next report; for ever, where there is none.
    pub(crate) async fn next(&mut self) -> Report {
        match self.receiver.recv().await {
            Some(report) => report,
            None => std::future::pending().await,
        }
    }

    /// A report that waits already.
    pub(crate) fn waiting(&mut self) -> Option<Report> {
        self.receiver.try_recv().ok()
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        self.client.calls().remove(&self.token);
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if !self.0.host.roots.is_empty() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        if self.0.host.elicitor.is_some() {
            let elicitation = ElicitationCapability::new();
            let elicitation = elicitation.with_form(FormElicitationCapability::default());
            capabilities.elicitation = Some(elicitation.with_url(UrlElicitationCapability::default()));
        }
        // What is asked for with `initialize`; the newest version does without.
        ClientConfig::new(capabilities, Implementation::new("toolgate", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    #[expect(deprecated, reason = "servers of the older protocol still ask for roots")]
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            answer = self.answer(request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let message = progress.message.map(|text| Text(&shortened(&text, MESSAGE_CHARACTERS)).to_string());
        let report = Progress { done: progress.progress, total: progress.total, message };
        self.pass_on(Some(&progress.progress_token), Report::Progress(report));
    }

    #[expect(deprecated, reason = "servers of the older protocol send log messages")]
    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let Ok(data) = JsonValue::new(message.data) else { return };
        let text = data.to_text();
        let data = if text.len() <= MESSAGE_BYTES {
            data
        } else {
            JsonValue::from(shortened(&text, MESSAGE_CHARACTERS))
        };
        let source = message.logger.map(|name| Line(&shortened(&name, SOURCE_CHARACTERS)).to_string());
        let severity = match message.level {
            LoggingLevel::Debug => Severity::Debug,
            LoggingLevel::Info => Severity::Info,
            LoggingLevel::Notice => Severity::Notice,
            LoggingLevel::Warning => Severity::Warning,
            LoggingLevel::Error => Severity::Error,
            LoggingLevel::Critical => Severity::Critical,
            LoggingLevel::Alert => Severity::Alert,
            LoggingLevel::Emergency => Severity::Emergency,
        };
        self.pass_on(None, Report::Message(ReportedMessage { severity, source, data }));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.changed.notify_one();
    }
}
