//! One call inside the pipeline: its identity, its arguments, and what its body left behind.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{CallId, Cancellation, ExecutionToken};
use crate::registry::{Place, View};
use crate::result::ToolFailure;
use crate::tool::UserMessage;
use crate::{JsonValue, Scope, ToolDefinition, ToolRuntime};

/// One call inside the pipeline. Every stage sees this same, unchangeable execution; cheap to clone.
#[derive(Clone)]
pub struct ToolExecution(Arc<ExecutionParts>);

/// The parts of an execution, fixed when it enters the pipeline.
pub(crate) struct ExecutionParts {
    pub(crate) id: CallId,
    pub(crate) root: Option<CallId>,
    pub(crate) name: Arc<str>,
    pub(crate) arguments: JsonValue,
    pub(crate) scope: Option<Scope>,
    pub(crate) runtime: ToolRuntime,
    pub(crate) parent: Option<ExecutionToken>,
    pub(crate) token: ExecutionToken,
    pub(crate) cancellation: Cancellation,
    /// What the agent saw at entry. It is what the agent sees until the registry changes.
    pub(crate) view: Arc<View>,
    /// What the name meant there. A call that the presentation mode refuses means nothing.
    pub(crate) entered_as: Option<Place>,
    pub(crate) body: BodyNotes,
}

/// What a body left for the result while it ran. A wrapper may run the body more than once; only the attempt that
/// is running can add to it.
#[derive(Default)]
pub(crate) struct BodyNotes {
    /// The running attempt, counted from 1; 0 while none runs.
    running: AtomicU32,
    attempts: AtomicU32,
    /// Whether a body was dropped before its end.
    was_abandoned: AtomicBool,
    /// Whether there are notes at all; most bodies leave none, and their calls take no lock.
    is_written: AtomicBool,
    notes: Mutex<Notes>,
    /// The definition that ran, where it is not the one of the entry.
    ran: OnceLock<ToolDefinition>,
}

#[derive(Default)]
struct Notes {
    contexts: Vec<UserMessage>,
    concludes_turn: bool,
}

impl ToolExecution {
    pub(crate) fn new(parts: ExecutionParts) -> Self {
        Self(Arc::new(parts))
    }

    /// The id of this call.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.0.id
    }

    /// The id of the call that the model made, to which this one belongs. A direct call is its own root.
    #[must_use]
    pub fn root_call_id(&self) -> &CallId {
        self.0.root.as_ref().unwrap_or(&self.0.id)
    }

    /// The name that was called; no tool need have it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The arguments, as they were logged and shown and as the body gets them (rule P9). `null` where the caller's
    /// arguments failed the boundary.
    #[must_use]
    pub fn arguments(&self) -> &JsonValue {
        &self.0.arguments
    }

    /// The scope of the agent on whose behalf the call runs.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.0.scope.as_ref()
    }

    /// The identity of this execution.
    #[must_use]
    pub fn token(&self) -> ExecutionToken {
        self.0.token
    }

    /// The execution that made this call; `None` for a direct call of a model.
    #[must_use]
    pub fn parent(&self) -> Option<ExecutionToken> {
        self.0.parent
    }

    /// The caller's cancellation.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.0.cancellation
    }

    pub(crate) fn runtime(&self) -> &ToolRuntime {
        &self.0.runtime
    }

    /// What the agent, or nobody's agent, sees now. Hooks and tools may come and go between stages.
    pub(crate) fn view(&self) -> Cow<'_, Arc<View>> {
        if self.runtime().is_current(&self.0.view) {
            return Cow::Borrowed(&self.0.view);
        }
        let view = self.scope().map_or_else(|| self.runtime().view(), Scope::view);
        // What has begun under a scope ends under its hooks, also when the scope closes meanwhile.
        Cow::Owned(if view.is_closed() { Arc::new(self.0.view.without_tools()) } else { view })
    }

    /// The tool that the call means now.
    pub(crate) fn resolve(&self) -> Result<Cow<'_, ToolDefinition>, ToolFailure> {
        let view = self.view();
        let tool = match &view {
            Cow::Borrowed(_) => self.entered_as().map(Cow::Borrowed),
            Cow::Owned(view) => {
                let place = view.locate_for(self.name(), self.parent());
                place.and_then(|place| view.at(place)).cloned().map(Cow::Owned)
            }
        };
        tool.ok_or_else(|| view.not_found(self.name(), self.parent()))
    }

    /// The tool that the call means now: `None` where there is none of that name, or none that this caller may name.
    /// A hook that runs before dispatch may see another one than the one that runs, where the registry changes between.
    #[must_use]
    pub fn definition(&self) -> Option<ToolDefinition> {
        self.resolve().ok().map(Cow::into_owned)
    }

    /// The tool to run now. What it returns is judged by this definition from then on.
    pub(crate) fn resolve_to_run(&self) -> Result<Cow<'_, ToolDefinition>, ToolFailure> {
        let tool = self.resolve()?;
        if let Cow::Owned(tool) = &tool {
            // A retry may find yet another definition; the first one that ran keeps its say.
            let _ = self.body().ran.set(tool.clone());
        }
        Ok(tool)
    }

    /// The tool that judges the call's values: the one that ran, or what the call means now where none has.
    pub(crate) fn judge(&self) -> Result<Cow<'_, ToolDefinition>, ToolFailure> {
        match (self.body().ran.get(), self.entered_as()) {
            (Some(tool), _) => Ok(Cow::Borrowed(tool)),
            (None, Some(tool)) if self.body().was_started() => Ok(Cow::Borrowed(tool)),
            (None, _) => self.resolve(),
        }
    }

    /// The tool that the call meant at entry. Its finaliser has the last word (rule P17).
    pub(crate) fn entered_as(&self) -> Option<&ToolDefinition> {
        self.0.entered_as.and_then(|place| self.0.view.at(place))
    }

    pub(crate) fn body(&self) -> &BodyNotes {
        &self.0.body
    }
}

impl fmt::Debug for ToolExecution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolExecution")
            .field("id", self.call_id())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

impl BodyNotes {
    /// Opens the next attempt and gives its number.
    pub(crate) fn begin(&self) -> u32 {
        // Attempts never overlap: a wrapper runs the rest through a mutable borrow.
        let attempt = self.attempts.load(Ordering::Relaxed).wrapping_add(1);
        self.attempts.store(attempt, Ordering::Relaxed);
        // Only the attempt that succeeds may conclude the turn.
        self.read(|notes| notes.concludes_turn = false);
        self.running.store(attempt, Ordering::Release);
        attempt
    }

    /// Closes the running attempt: what it says from now on is not heard.
    pub(crate) fn end(&self) {
        self.running.store(0, Ordering::Release);
    }

    /// Notes that the running body is dropped where it stands.
    pub(crate) fn abandon(&self) {
        self.was_abandoned.store(true, Ordering::Release);
    }

    /// Whether a body of this execution was dropped before its end.
    pub(crate) fn was_abandoned(&self) -> bool {
        self.was_abandoned.load(Ordering::Acquire)
    }

    /// Whether a body of this execution was ever begun.
    pub(crate) fn was_started(&self) -> bool {
        self.attempts.load(Ordering::Acquire) > 0
    }

    /// Adds a context; false where the attempt is over.
    pub(crate) fn defer(&self, attempt: u32, context: UserMessage) -> bool {
        self.is_running(attempt) && {
            self.write(|notes| notes.contexts.push(context));
            true
        }
    }

    /// Marks the turn as concluded; false where the attempt is over.
    pub(crate) fn conclude(&self, attempt: u32) -> bool {
        self.is_running(attempt) && {
            self.write(|notes| notes.concludes_turn = true);
            true
        }
    }

    pub(crate) fn is_running(&self, attempt: u32) -> bool {
        self.running.load(Ordering::Acquire) == attempt
    }

    /// What was deferred so far, over all attempts, in order (rule P15).
    pub(crate) fn contexts(&self) -> Vec<UserMessage> {
        self.read(|notes| notes.contexts.clone()).unwrap_or_default()
    }

    pub(crate) fn concludes_turn(&self) -> bool {
        self.read(|notes| notes.concludes_turn).unwrap_or_default()
    }

    fn write(&self, f: impl FnOnce(&mut Notes)) {
        f(&mut self.lock());
        self.is_written.store(true, Ordering::Release);
    }

    fn read<T>(&self, f: impl FnOnce(&mut Notes) -> T) -> Option<T> {
        self.is_written.load(Ordering::Acquire).then(|| f(&mut self.lock()))
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        // The lock is held for a push or a copy only, so a poisoned one still holds whole notes.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
