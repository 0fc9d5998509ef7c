//! What the scripts of one scenario share: where things are registered, who can cancel what, and what was noted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::task::TaskTracker;
use toolgate::{
    CancellationToken, ExecutionToken, Registrar as _, Registration, RegistrationError, Scope,
    ToolDefinition, ToolError, ToolRuntime,
};

use super::super::cases::Malformed;
use super::elements::ScopeSpec;
use super::{ToolSpec, tool};

/// The shared state of one scenario.
pub(crate) struct World {
    /// The runtime, while the scenario is being played. The runtime holds tools that hold this world.
    runtime: Mutex<Option<ToolRuntime>>,
    /// The scopes that exist, with their parents, which come first.
    scopes: Vec<ScopeSpec>,
    /// Extra cancellation sources.
    signals: HashMap<String, CancellationToken>,
    /// Cancellations under way.
    deliveries: TaskTracker,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    /// The signal of whoever made the running top-level call.
    caller: CancellationToken,
    /// Registrations of tools that an operation may undo.
    tools: HashMap<String, Registration>,
    /// Executions in order of first appearance.
    tokens: Vec<ExecutionToken>,
    trace: Vec<String>,
    events: Vec<String>,
    fault: Option<Malformed>,
}

impl World {
    pub(super) fn new(scopes: Vec<ScopeSpec>, signals: Vec<String>) -> Result<Self, Malformed> {
        for (index, scope) in scopes.iter().enumerate() {
            let known = |name: &String| scopes.iter().take(index).any(|earlier| earlier.name == *name);
            if scope.parent.as_ref().is_some_and(|parent| !known(parent)) {
                return Err(Malformed::new(format!("the parent of scope `{}` must come first", scope.name)));
            }
        }
        let deliveries = TaskTracker::new();
        // Closed only means that waiting ends when nothing is under way.
        deliveries.close();
        Ok(Self {
            runtime: Mutex::default(),
            scopes,
            signals: signals.into_iter().map(|name| (name, CancellationToken::new())).collect(),
            deliveries,
            notes: Mutex::default(),
        })
    }

    pub(super) fn open(&self, runtime: ToolRuntime) {
        *lock(&self.runtime) = Some(runtime);
    }

    /// Ends the scenario: lets go of the runtime and everything registered with it.
    pub(super) fn close(&self) {
        lock(&self.runtime).take();
        self.notes().tools.clear();
    }

    pub(crate) fn runtime(&self) -> Result<ToolRuntime, Malformed> {
        lock(&self.runtime).clone().ok_or_else(|| Malformed::new("the scenario is over"))
    }

    /// A scope by its name. One that was closed is made anew, as the agent whose scope it is lives on.
    pub(crate) fn scope(&self, name: &str) -> Result<Scope, Malformed> {
        let scope = self.scopes.iter().find(|scope| scope.name == name);
        let scope = scope.ok_or_else(|| Malformed::new(format!("there is no scope `{name}`")))?;
        match &scope.parent {
            Some(parent) => Ok(self.scope(parent)?.scope(name)),
            None => Ok(self.runtime()?.scope(name)),
        }
    }

    /// The runtime, or a scope of it.
    pub(crate) fn site(&self, scope: Option<&str>) -> Result<Site, Malformed> {
        match scope {
            Some(name) => self.scope(name).map(Site::Scope),
            None => self.runtime().map(Site::Runtime),
        }
    }

    /// Registers a tool so that an operation can undo it by the tool's name.
    pub(super) fn register(self: &Arc<Self>, spec: &ToolSpec) -> Result<(), Malformed> {
        let definition = tool::define(self, spec)?;
        let registration = self.site(spec.r#in.as_deref())?.register(definition);
        let registration = registration.map_err(|error| Malformed::new(error.to_string()))?;
        self.notes().tools.insert(spec.name.clone(), registration);
        Ok(())
    }

    pub(super) fn unregister(&self, tool: &str) -> Result<(), Malformed> {
        let registration = self.notes().tools.remove(tool);
        let registration =
            registration.ok_or_else(|| Malformed::new(format!("`{tool}` is not registered")))?;
        registration.dispose();
        Ok(())
    }

    /// Says whose signal the scripts cancel from now on.
    pub(crate) fn set_caller(&self, caller: CancellationToken) {
        self.notes().caller = caller;
    }

    /// An extra source by its name, or the caller's own signal.
    pub(super) fn signal(&self, name: Option<&str>) -> Result<CancellationToken, Malformed> {
        match name {
            Some(name) => {
                let signal = self.signals.get(name).cloned();
                signal.ok_or_else(|| Malformed::new(format!("there is no signal `{name}`")))
            }
            None => Ok(self.notes().caller.clone()),
        }
    }

    /// Cancels once the running script suspends.
    pub(super) fn cancel_later(&self, signal: CancellationToken) {
        self.deliveries.spawn(async move { signal.cancel() });
    }

    /// Waits until every cancellation under way has been delivered, and lets other work proceed.
    pub(super) async fn deliver(&self) {
        tokio::task::yield_now().await;
        self.deliveries.wait().await;
    }

    /// The number of an execution, counted from 1 in order of first appearance.
    pub(super) fn number_of(&self, token: ExecutionToken) -> usize {
        let tokens = &mut self.notes().tokens;
        let place = tokens.iter().position(|known| *known == token).unwrap_or_else(|| {
            tokens.push(token);
            tokens.len().saturating_sub(1)
        });
        place.saturating_add(1)
    }

    pub(super) fn trace(&self, line: String) {
        self.notes().trace.push(line);
    }

    /// Notes an event of the schedule.
    pub(crate) fn event(&self, event: String) {
        self.notes().events.push(event);
    }

    /// Notes that the case cannot be played as it is written; the script that found it fails.
    pub(super) fn fault(&self, fault: Malformed) -> ToolError {
        let error = ToolError::new(fault.to_string());
        self.notes().fault.get_or_insert(fault);
        error
    }

    pub(crate) fn take_trace(&self) -> Vec<String> {
        std::mem::take(&mut self.notes().trace)
    }

    pub(crate) fn take_events(&self) -> Vec<String> {
        std::mem::take(&mut self.notes().events)
    }

    pub(super) fn take_fault(&self) -> Result<(), Malformed> {
        self.notes().fault.take().map_or(Ok(()), Err)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        lock(&self.notes)
    }
}

/// Where something is registered.
pub(crate) enum Site {
    Runtime(ToolRuntime),
    Scope(Scope),
}

impl Site {
    pub(crate) fn register(&self, tool: ToolDefinition) -> Result<Registration, RegistrationError> {
        match self {
            Self::Runtime(runtime) => runtime.register(tool),
            Self::Scope(scope) => scope.register(tool),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A script that panics under a lock fails its case anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
