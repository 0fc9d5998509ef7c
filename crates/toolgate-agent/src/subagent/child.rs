//! One sub-agent: its scope, its session and its turns, from its beginning to its answer.
//!
//! Begun by the tool's body, which waits for it. The scope is closed and the session given back however it ends; a future that is
//! dropped leaves the session's turn open, as a crash does.

use std::sync::Arc;

use futures_util::future::{Either, select};
use toolgate::{
    CancellationToken, CompiledSchema, ContentBlock, Registrar as _, RunContext, Scope, ToolError,
    ToolRestriction, text,
};
use toolgate_session::{Event, SessionId, SubagentStarted, TurnOutcome};

use super::answer::{Expected, SUBMIT};
use super::{NAME, SubagentLimits, SubagentReport, invalid};
use crate::agent::{Agent, AgentBuilder, Place, TurnLimits};
use crate::recorder::unlogged;
use crate::routes::{Entered, SessionRoutes};
use crate::turn::TurnReport;

/// What a sub-agent is told about itself.
const ROLE: &str = "\
You are a sub-agent: another agent gave you the task below and waits for your answer. It sees nothing of your work except \
what you say last, and you cannot ask it anything. Do the task, and end with the answer.";

/// How much a failure tells of what the sub-agent said.
const LAST_WORDS: usize = 2_000;

/// A sub-agent that has its session.
pub(super) struct Child {
    agent: Agent,
    parent: Entered,
    scope: ClosedScope,
    expected: Option<Expected>,
    stop: CancellationToken,
    limits: SubagentLimits,
}

/// A scope that is closed with the sub-agent, whichever way it ends.
struct ClosedScope(Scope);

impl Drop for ClosedScope {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Child {
    pub(super) async fn begin(
        routes: &SessionRoutes,
        limits: SubagentLimits,
        parent: Entered,
        depth: u32,
        tools: Option<Vec<String>>,
        schema: Option<CompiledSchema>,
        cx: &RunContext,
    ) -> Result<Self, ToolError> {
        let id = SessionId::generate();
        let call = cx.call();
        let scope = ClosedScope(parent.scope.scope(&format!("{NAME}-{id}")));
        restrict(&scope.0, &parent.scope, tools, depth >= limits.depth)?;
        let stop = CancellationToken::new();
        let expected = schema.map(|schema| Expected::new(schema, limits.attempts, stop.clone()));
        let mut prompt = parent.kin.prompt.clone().section("subagent", ROLE);
        if let Some(expected) = &expected {
            scope.0.register(expected.tool())?;
            let rule =
                format!("Your answer is the arguments of `{SUBMIT}`: call it once, when you are done.");
            prompt = prompt.section("subagent:answer", rule);
        }
        // In the parent's log first, so that no session is without somebody who knows of it.
        let started = SubagentStarted { call_id: call.call_id().clone(), session: id };
        parent.recorder.append(Event::SubagentStarted(started)).await.map_err(unlogged)?;
        let place = Place { depth, root: Some(call.root_call_id().clone()) };
        let builder = AgentBuilder::below(scope.0.clone(), Arc::clone(&parent.kin.model), place)
            .prompt(prompt)
            .limits(TurnLimits { steps: limits.steps, ..parent.kin.limits })
            .routes(routes.clone())
            .parent(format!("{}/{}", parent.kin.id, call.call_id()));
        let builder = match &parent.kin.workspace {
            Some(path) => builder.workspace(path.as_str()),
            None => builder,
        };
        let agent = builder.start(Arc::clone(&parent.kin.backend), id).await?;
        Ok(Self { agent, parent, scope, expected, stop, limits })
    }

    /// Works until there is an answer, or until it is clear that there will be none.
    pub(super) async fn work(mut self, task: String, cx: &RunContext) -> Result<SubagentReport, ToolError> {
        let worked = self.turns(task, cx).await;
        let Self { agent, scope, .. } = self;
        agent.close().await;
        drop(scope);
        worked
    }

    async fn turns(&mut self, task: String, cx: &RunContext) -> Result<SubagentReport, ToolError> {
        let (mut said, mut steps, mut tokens) = (task, 0, 0);
        loop {
            let left = self.parent.kin.spent.left(self.parent.kin.limits.turn_tokens);
            self.agent.limits.turn_tokens = self.limits.tokens.saturating_sub(tokens).min(left);
            self.agent.limits.steps = self.limits.steps.saturating_sub(steps);
            let turn = self.turn(said, cx).await;
            let spent = self.agent.spent.so_far();
            self.parent.kin.spent.add(spent);
            let report = turn?;
            steps += report.steps;
            tokens += spent;
            let result = self.expected.as_ref().and_then(Expected::given);
            let is_done = report.outcome == TurnOutcome::Completed;
            if is_done && (result.is_some() || self.expected.is_none()) {
                let session = self.agent.session().to_string();
                return Ok(SubagentReport { session, text: report.text, result, steps, tokens });
            }
            let reminder = self.expected.as_ref().filter(|_| is_done).and_then(Expected::reminder);
            let Some(reminder) = reminder else { return Err(self.failure(&report, cx)) };
            said = reminder;
        }
    }

    /// One turn, which is interrupted and awaited when the call is cancelled.
    async fn turn(&mut self, said: String, cx: &RunContext) -> Result<TurnReport, ToolError> {
        let turn = std::pin::pin!(self.agent.turn(vec![ContentBlock::text(said)], self.stop.clone()));
        let cancelled = std::pin::pin!(cx.cancellation().cancelled());
        let report = match select(turn, cancelled).await {
            Either::Left((report, _)) => report,
            Either::Right(((), turn)) => {
                self.stop.cancel();
                turn.await
            }
        };
        Ok(report?)
    }

    /// Why there is no answer.
    fn failure(&self, report: &TurnReport, cx: &RunContext) -> ToolError {
        if cx.is_cancelled() {
            return ToolError::aborted();
        }
        let why = match self.expected.as_ref().and_then(Expected::given_up) {
            Some(why) => why,
            None => {
                let reason = report.reason.as_deref().unwrap_or("it gave no answer");
                format!("the sub-agent did not finish: {reason}")
            }
        };
        let session = self.agent.session();
        let last = match report.text.trim() {
            "" => String::new(),
            said => format!("\nwhat it said last: {}", text::shortened(said, LAST_WORDS)),
        };
        ToolError::new(format!("{why}{last}\nits session is {session}"))
    }
}

/// Takes tools away from a sub-agent's scope. Nothing here can give it one.
fn restrict(
    scope: &Scope,
    parent: &Scope,
    tools: Option<Vec<String>>,
    is_deepest: bool,
) -> Result<(), ToolError> {
    let denied = (is_deepest && parent.get(NAME).is_some()).then_some(NAME);
    let restriction = match (tools, denied) {
        (None, None) => return Ok(()),
        (None, Some(denied)) => ToolRestriction::deny([denied]),
        (Some(tools), None) => ToolRestriction::allow(tools),
        (Some(tools), Some(denied)) => ToolRestriction::allow(tools).and_deny([denied]),
    };
    scope.restrict(restriction).map(drop).map_err(|error| {
        let names: Vec<String> = parent.tools().iter().map(|tool| tool.name().to_owned()).collect();
        invalid(format!("{error}\nhint: the tools that it can have are {}", names.join(", ")))
    })
}
