//! [`SessionRoutes`]: which session hears of what happens below a scope.
//!
//! Code Mode and approvals belong to a runtime, which is built before there is an agent. They are given the routes; each agent
//! enters itself when its session is opened. What happens for a scope that is no agent has no log and is let through.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolgate::{CallId, HookResult, Scope, ToolEffect, ToolError};
use toolgate_code::{DispatchSettled, DispatchSink, DispatchStarted};
use toolgate_policy::person::{ApprovalEvent, ApprovalLog, DecidedBy, DecidedOutcome};
use toolgate_session::{ApprovalAsked, ApprovalDecided, CodeDispatch, CodeDispatchStart, Event};

use crate::agent::Kin;
use crate::recorder::{Recorder, unlogged};

/// The routes of one runtime. Cheap to clone; all clones are the same.
#[derive(Clone, Default)]
pub struct SessionRoutes(Arc<Mutex<Routes>>);

#[derive(Default)]
struct Routes {
    /// By the name of the agent's scope.
    agents: HashMap<String, Entered>,
    /// The agent of each call with an open question, which its answer does not name.
    asked: HashMap<String, String>,
}

/// An agent whose session is open.
#[derive(Clone)]
pub(crate) struct Entered {
    pub(crate) scope: Scope,
    pub(crate) recorder: Recorder,
    pub(crate) kin: Arc<Kin>,
}

impl SessionRoutes {
    /// Routes without agents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters an agent until the guard is dropped.
    pub(crate) fn enter(&self, scope: &Scope, recorder: Recorder, kin: Kin) -> RouteGuard {
        let agent = scope.name().to_owned();
        let entered = Entered { scope: scope.clone(), recorder, kin: Arc::new(kin) };
        self.lock().agents.insert(agent.clone(), entered);
        RouteGuard { routes: self.clone(), agent }
    }

    /// The agent that works in a scope.
    pub(crate) fn entered(&self, scope: &Scope) -> Option<Entered> {
        self.lock().agents.get(scope.name()).filter(|entered| entered.scope == *scope).cloned()
    }

    /// Whether no agent has a tool of one of these names that changes anything.
    pub(crate) fn are_pure(&self, tools: &[String]) -> bool {
        let scopes: Vec<Scope> = self.lock().agents.values().map(|entered| entered.scope.clone()).collect();
        let mut found = tools.iter().flat_map(|name| scopes.iter().filter_map(|scope| scope.get(name)));
        found.all(|tool| tool.effect() == ToolEffect::Pure)
    }

    fn of_agent(&self, agent: Option<&Scope>) -> Option<Recorder> {
        self.entered(agent?).map(|entered| entered.recorder)
    }

    fn lock(&self) -> MutexGuard<'_, Routes> {
        // Held for one look-up only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SessionRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionRoutes").field(&self.lock().agents.len()).finish()
    }
}

/// Takes an agent out again.
#[derive(Debug)]
pub(crate) struct RouteGuard {
    routes: SessionRoutes,
    agent: String,
}

impl Drop for RouteGuard {
    fn drop(&mut self) {
        let mut routes = self.routes.lock();
        routes.agents.remove(&self.agent);
        routes.asked.retain(|_, agent| *agent != self.agent);
    }
}

impl DispatchSink for SessionRoutes {
    async fn started(&self, event: &DispatchStarted) -> Result<(), ToolError> {
        let Some(recorder) = self.of_agent(event.outer.scope()) else { return Ok(()) };
        let started = CodeDispatchStart {
            parent: event.outer.call_id().clone(),
            call_id: event.sub_call_id.clone(),
            name: event.tool.clone(),
            arguments: event.arguments.clone(),
        };
        recorder.append(Event::CodeDispatchStart(started)).await.map_err(unlogged)
    }

    async fn settled(&self, event: &DispatchSettled) -> Result<(), ToolError> {
        let Some(recorder) = self.of_agent(event.started.outer.scope()) else { return Ok(()) };
        let settled = CodeDispatch {
            parent: event.started.outer.call_id().clone(),
            call_id: event.started.sub_call_id.clone(),
            name: event.started.tool.clone(),
            is_error: event.is_error,
            content: event.content.clone(),
        };
        recorder.append(Event::CodeDispatch(settled)).await.map_err(unlogged)
    }
}

impl ApprovalLog for SessionRoutes {
    fn record(&self, event: &ApprovalEvent) -> HookResult<()> {
        let mut routes = self.lock();
        let (agent, event) = match event {
            ApprovalEvent::Asked(asked) => {
                routes.asked.insert(asked.call_id.clone(), asked.agent.clone());
                let event = ApprovalAsked {
                    question: asked.call_id.clone(),
                    call_id: CallId::from(asked.call_id.as_str()),
                    name: asked.tool.clone(),
                    arguments: asked.arguments.clone(),
                    reason: asked.reason.clone(),
                };
                (Some(asked.agent.clone()), Event::ApprovalAsked(event))
            }
            ApprovalEvent::Decided(decided) => {
                let event = ApprovalDecided {
                    question: decided.call_id.clone(),
                    call_id: CallId::from(decided.call_id.as_str()),
                    outcome: outcome_word(decided.outcome).to_owned(),
                    by: decider(&decided.by),
                };
                (routes.asked.remove(&decided.call_id), Event::ApprovalDecided(event))
            }
        };
        let recorder =
            agent.and_then(|agent| routes.agents.get(&agent).map(|entered| entered.recorder.clone()));
        drop(routes);
        recorder.map_or(Ok(()), |recorder| recorder.hand_over(event).map_err(unlogged))
    }
}

fn outcome_word(outcome: DecidedOutcome) -> &'static str {
    match outcome {
        DecidedOutcome::AllowedOnce => "allowed-once",
        DecidedOutcome::Rejected => "rejected",
        DecidedOutcome::Cancelled => "cancelled",
        DecidedOutcome::Unavailable => "unavailable",
    }
}

fn decider(by: &DecidedBy) -> Option<String> {
    match by {
        DecidedBy::Person { name } => Some(name.clone()),
        DecidedBy::Grant { covers, .. } => Some(format!("grant: {covers}")),
        DecidedBy::Stance => Some("stance".to_owned()),
        DecidedBy::Caller => Some("caller".to_owned()),
        DecidedBy::Nobody => None,
    }
}
