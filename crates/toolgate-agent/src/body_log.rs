//! [`BodyLog`]: the innermost wrapper, which logs that a body begins and that it has come to its end.
//!
//! Registered on the agent's scope when a session is opened. Between the two events a crash leaves a call whose effect
//! nobody knows; a call without the first one never began.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolgate::registry::RegistrationGuard;
use toolgate::{
    Execute, ExecutionToken, HookResult, Next, Registrar as _, Scope, ScopeId, ToolExecution,
    ToolExecutionResult, stage,
};
use toolgate_session::{BodyEnded, BodyStarted, Event};

use crate::recorder::{Recorder, unlogged};

/// How often the bodies of unsettled calls were begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempts(Arc<Mutex<HashMap<ExecutionToken, u64>>>);

impl Attempts {
    fn next(&self, token: ExecutionToken) -> u64 {
        let mut attempts = self.lock();
        let attempt = attempts.entry(token).or_default();
        *attempt = attempt.saturating_add(1);
        *attempt
    }

    /// The call is settled.
    pub(crate) fn forget(&self, token: ExecutionToken) {
        self.lock().remove(&token);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ExecutionToken, u64>> {
        // Held for one look-up only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the wrapper out again, and lets go of what it holds.
pub(crate) struct BodyLogGuard {
    registration: Option<RegistrationGuard>,
    scope: Scope,
}

impl Drop for BodyLogGuard {
    fn drop(&mut self) {
        drop(self.registration.take());
        // A scope keeps the hooks that it saw last until somebody looks again, and this one holds the session open.
        let _ = self.scope.presentation_mode();
    }
}

/// The wrapper.
pub(crate) struct BodyLog {
    /// Not the scope itself, which holds its hooks.
    scope: ScopeId,
    recorder: Recorder,
    attempts: Attempts,
}

impl BodyLog {
    /// Registers the wrapper on an agent's scope.
    pub(crate) fn register(scope: &Scope, recorder: Recorder, attempts: Attempts) -> BodyLogGuard {
        let registration = scope.on_execute(Self { scope: scope.id(), recorder, attempts });
        BodyLogGuard { registration: Some(registration.until_drop()), scope: scope.clone() }
    }

    /// A call of this very agent. Those of a scope below belong to another session.
    fn is_ours(&self, call: &ToolExecution) -> bool {
        call.scope().map(Scope::id) == Some(self.scope)
    }
}

impl Execute for BodyLog {
    async fn execute(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, stage::Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        // What will not begin is not said to begin.
        if !self.is_ours(call) || next.cancellation().is_cancelled() {
            return next.run().await;
        }
        if call.parent().is_some() {
            // A program's call is logged as its dispatch. What a person decided about it was handed over, and has to be in
            // the log as well before anything is done on the strength of it.
            self.recorder.flush().await.map_err(unlogged)?;
            return next.run().await;
        }
        let call_id = call.call_id().clone();
        let attempt = self.attempts.next(call.token());
        let started = Event::BodyStarted(BodyStarted { call_id: call_id.clone(), attempt });
        self.recorder.append(started).await.map_err(unlogged)?;
        let result = next.run().await;
        let is_error = result.as_ref().map_or(true, ToolExecutionResult::is_error);
        let ended = Event::BodyEnded(BodyEnded { call_id, attempt, is_error });
        self.recorder.append(ended).await.map_err(unlogged)?;
        result
    }
}
