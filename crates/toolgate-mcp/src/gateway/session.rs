//! [`Session`]: one conversation with a client and the scope that is its alone.

use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::task::TaskTracker;
use toolgate::registry::Registrar as _;
use toolgate::{CallId, Report, Scope, Severity, ToolExecution};

use super::profile::Conversation;

/// How many subscriptions to changes one conversation may have.
pub(super) const MOST_SUBSCRIPTIONS: usize = 16;

/// What becomes of a policy's question where the client has no way to ask a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unanswered {
    /// It is left to others who can be asked, and where there are none the call is denied.
    #[default]
    Leave,
    /// Yes, to everything that a policy asks about. What it denies stays denied.
    Allow,
}

/// Who listens to the reports of which call.
pub(super) type Listeners = Arc<Mutex<HashMap<CallId, mpsc::Sender<Told>>>>;

/// A report of a call or of one below it.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) report: Report,
    /// The tool that tells.
    pub(super) tool: String,
    /// Whether it is the client's own call, not one below it.
    pub(super) is_direct: bool,
}

/// One conversation. Its scope is closed when it is dropped, which is when its last call has settled.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) scope: Scope,
    pub(super) listeners: Listeners,
    /// Calls under way.
    pub(super) calls: TaskTracker,
    /// A place for each subscription.
    pub(super) subscriptions: Semaphore,
    /// Whether the client is told of changes without a subscription.
    is_told: AtomicBool,
    changed: watch::Receiver<u64>,
    severity: Mutex<Severity>,
    /// Dropped after the scope has been closed.
    _held: Option<Box<dyn Any + Send + Sync>>,
}

impl Session {
    pub(super) fn new(conversation: Conversation) -> Self {
        let Conversation { scope, held } = conversation;
        let listeners = Listeners::default();
        let heard = Arc::clone(&listeners);
        scope.on_report(move |call: &ToolExecution, report: &Report| {
            let listeners = heard.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(listener) = listeners.get(call.root_call_id()) {
                let is_direct = call.parent().is_none();
                // Who does not keep up misses reports.
                let _ = listener.try_send(Told {
                    report: report.clone(),
                    tool: call.name().to_owned(),
                    is_direct,
                });
            }
        });
        let (changes, changed) = watch::channel(0);
        scope.on_change(move || changes.send_modify(|count| *count += 1));
        // Until a client says what it wants to hear.
        let severity = Mutex::new(Severity::Info);
        Self {
            scope,
            listeners,
            calls: TaskTracker::new(),
            subscriptions: Semaphore::new(MOST_SUBSCRIPTIONS),
            is_told: AtomicBool::new(false),
            changed,
            severity,
            _held: held,
        }
    }

    /// Whether this is the first time that the client wants to be told of changes without a subscription.
    pub(super) fn is_first_to_be_told(&self) -> bool {
        !self.is_told.swap(true, Ordering::Relaxed)
    }

    /// Counts the changes of what scopes see, of any scope.
    pub(super) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.clone()
    }

    /// The least severe messages that the client wants to hear.
    pub(super) fn severity(&self) -> Severity {
        *self.severity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_severity(&self, severity: Severity) {
        *self.severity.lock().unwrap_or_else(PoisonError::into_inner) = severity;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.scope.close();
    }
}
