//! What a running body may do besides its own work.

use std::sync::Arc;

use super::{Cancellation, ToolCall, ToolExecution, UncheckedJson};
use crate::hook::Report;
use crate::pipeline::contained;
use crate::tool::UserMessage;
use crate::{ToolExecutionResult, ToolRuntime};

/// A handle of a running body on its own execution.
///
/// Cheap to clone, and owned, so that a body can move it into what it starts. It is good while the body runs:
/// afterwards [`defer_context`](Self::defer_context) and [`conclude_turn`](Self::conclude_turn) do nothing, and
/// a `tracing` warning says so.
#[derive(Clone, Debug)]
pub struct RunContext {
    execution: ToolExecution,
    /// What the body sees where a wrapper put a signal beside the caller's.
    substitute: Option<Cancellation>,
    attempt: u32,
}

impl RunContext {
    pub(crate) fn new(execution: ToolExecution, substitute: Option<Cancellation>, attempt: u32) -> Self {
        Self { execution, substitute, attempt }
    }

    /// The execution that the body belongs to.
    #[must_use]
    pub fn call(&self) -> &ToolExecution {
        &self.execution
    }

    /// The request to stop. A body that works for long, waits, or starts something observes it, and returns once
    /// what it started has come to rest: nobody ends it by force (rule P14).
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        self.substitute.as_ref().unwrap_or_else(|| self.execution.cancellation())
    }

    /// Whether the body should stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation().is_cancelled()
    }

    /// The runtime that runs the body.
    #[must_use]
    pub fn runtime(&self) -> &ToolRuntime {
        self.execution.runtime()
    }

    /// Leaves a message for the next model request, after this call's result (rule P15). It is kept even when the
    /// body then fails.
    pub fn defer_context(&self, context: UserMessage) {
        if !self.execution.body().defer(self.attempt, context) {
            self.report_late("defer_context");
        }
    }

    /// Ends the agent's turn with this batch, if the call succeeds (rule P20).
    pub fn conclude_turn(&self) {
        if !self.execution.body().conclude(self.attempt) {
            self.report_late("conclude_turn");
        }
    }

    /// Tells those who watch the call something, such as how far it has come. Nobody may be watching, and nobody's
    /// answer is waited for.
    pub fn report(&self, report: &Report) {
        for observer in self.execution.view().report_observers() {
            let told = contained(|| {
                observer.reported(&self.execution, report);
                Ok(())
            });
            if let Err(error) = told {
                tracing::error!(
                    target: "toolgate",
                    call = %self.execution.call_id(),
                    tool = self.execution.name(),
                    "a report observer failed: {error}"
                );
            }
        }
    }

    /// A call of another tool on behalf of this one: same agent, same root call, this execution as parent, and the
    /// cancellation that this body sees. Execute it with [`ToolRuntime::execute`]; its contexts and its conclusion
    /// reach this call's result only where the body passes them on.
    pub fn nested_call(&self, name: impl Into<Arc<str>>, arguments: impl Into<UncheckedJson>) -> ToolCall {
        let call = ToolCall::new(name, arguments, self.cancellation().clone())
            .with_root(self.execution.root_call_id().clone())
            .with_parent(self.execution.token());
        match self.execution.scope() {
            Some(scope) => call.in_scope(scope.clone()),
            None => call,
        }
    }

    /// Passes on what a nested call left: its contexts, in order, and the conclusion of a success.
    pub fn forward(&self, nested: &ToolExecutionResult) {
        for context in nested.additional_contexts() {
            self.defer_context(context.clone());
        }
        if nested.concludes_turn() {
            self.conclude_turn();
        }
    }

    fn report_late(&self, what: &'static str) {
        tracing::warn!(
            target: "toolgate",
            call = %self.execution.call_id(),
            tool = self.execution.name(),
            "{what} was used after its call had settled, and did nothing"
        );
    }
}
