//! [`RunningCall`]: one call of a client on its way through the pipeline, apart from the request that began it.
//!
//! The call runs in a task of its own, because it may outlive its request: a client answers questions in a later one, and
//! a call that is cancelled still settles. Whoever drops the handle cancels the call.

use std::sync::{Arc, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolgate::{CallId, JsonValue, ToolCall, ToolDefinition, ToolExecutionResult, UncheckedJson};

use super::asking::{Ask, Routed};
use super::ingress::Arguments;
use super::session::{Listeners, Session, Told};
use super::shared::Shared;

/// How many reports wait for the client.
const REPORTS: usize = 64;

/// A call under way.
#[derive(Debug)]
pub(super) struct RunningCall {
    pub(super) session: Arc<Session>,
    pub(super) reports: mpsc::Receiver<Told>,
    pub(super) asks: mpsc::Receiver<Ask>,
    pub(super) done: oneshot::Receiver<ToolExecutionResult>,
    /// What the name meant when the call began.
    pub(super) tool: Option<ToolDefinition>,
    /// What was asked for, to tell whether a later request is about the same.
    pub(super) asked_for: AskedFor,
    /// Cancels the call when it is dropped.
    pub(super) stop: DropGuard,
}

/// The call as the client wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AskedFor {
    pub(super) tool: String,
    pub(super) arguments: Arguments,
}

/// What a call needs besides its name and arguments.
#[derive(Debug)]
pub(super) struct Terms {
    /// Whether the client can ask a person.
    pub(super) can_ask: bool,
    /// Fires when the conversation is over.
    pub(super) gone: Option<CancellationToken>,
    /// What is held as long as the call runs.
    pub(super) held: Held,
}

/// What is held as long as a call runs: its place among the calls of the client, and its session's time.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) _place: OwnedSemaphorePermit,
    pub(super) _busy: Option<super::http::Busy>,
}

impl RunningCall {
    /// Begins a call.
    pub(super) fn begin(shared: &Shared, session: &Arc<Session>, asked_for: AskedFor, terms: Terms) -> Self {
        let Terms { can_ask, gone, held } = terms;
        let stop = CancellationToken::new();
        let arguments = match &asked_for.arguments {
            Arguments::Given(arguments) => UncheckedJson::from(arguments.clone()),
            Arguments::Missing => UncheckedJson::from(JsonValue::empty_object()),
            Arguments::Unreadable(message) => UncheckedJson::unreadable(message.clone()),
        };
        let mut call = ToolCall::new(asked_for.tool.as_str(), arguments, stop.clone())
            .stopped_by(shared.cancelled.clone());
        if let Some(gone) = gone {
            call = call.stopped_by(gone);
        }
        let id = call.id().clone();
        let (routed, asks) = shared.routes.open(id.as_str(), can_ask);
        let (listening, reports) = Listening::open(&session.listeners, id);
        let (settled, done) = oneshot::channel();
        let tool = session.scope.get(&asked_for.tool);
        let running =
            Running { session: Arc::clone(session), _routed: routed, _listening: listening, _held: held };
        session.calls.spawn(shared.calls.track_future(async move {
            let result = running.session.scope.execute(call).await;
            drop(running);
            // Nobody may be waiting any more.
            let _ = settled.send(result);
        }));
        let session = Arc::clone(session);
        Self { session, reports, asks, done, tool, asked_for, stop: stop.drop_guard() }
    }
}

/// What lives as long as the call runs.
struct Running {
    session: Arc<Session>,
    _routed: Routed,
    _listening: Listening,
    _held: Held,
}

/// Listens to a call's reports until it is dropped.
struct Listening {
    listeners: Listeners,
    call: CallId,
}

impl Listening {
    fn open(listeners: &Listeners, call: CallId) -> (Self, mpsc::Receiver<Told>) {
        let (sender, reports) = mpsc::channel(REPORTS);
        listeners.lock().unwrap_or_else(PoisonError::into_inner).insert(call.clone(), sender);
        (Self { listeners: Arc::clone(listeners), call }, reports)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.call);
    }
}
