//! [`SessionRoutes`]: which session hears of what happens below a scope.
//!
//! Code Mode and approvals belong to a runtime, which is built before there is an agent. They are given the routes; each agent
//! enters itself when its session is opened. What happens for a scope that is no agent has no log and is let through.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolgate::{CallId, HookResult, Scope, ToolError};
use toolgate_code::{DispatchSettled, DispatchSink, DispatchStarted};
use toolgate_policy::person::{ApprovalEvent, ApprovalLog, DecidedBy, DecidedOutcome};
use toolgate_session::{ApprovalAsked, ApprovalDecided, CodeDispatch, CodeDispatchStart, Event};

use crate::recorder::{Recorder, unlogged};

/// The routes of one runtime. Cheap to clone; all clones are the same.
#[derive(Clone, Debug, Default)]
pub struct SessionRoutes(Arc<Mutex<Routes>>);

#[derive(Debug, Default)]
struct Routes {
    /// By the name of the agent's scope.
    agents: HashMap<String, Recorder>,
    /// The agent of each call with an open question, which its answer does not name.
    asked: HashMap<String, String>,
}

impl SessionRoutes {
    /// Routes without agents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters an agent until the guard is dropped.
    pub(crate) fn enter(&self, scope: &Scope, recorder: Recorder) -> RouteGuard {
        let agent = scope.name().to_owned();
        self.lock().agents.insert(agent.clone(), recorder);
        RouteGuard { routes: self.clone(), agent }
    }

    fn of_agent(&self, agent: Option<&Scope>) -> Option<Recorder> {
        self.lock().agents.get(agent?.name()).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Routes> {
        // Held for one look-up only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let recorder = agent.and_then(|agent| routes.agents.get(&agent).cloned());
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
