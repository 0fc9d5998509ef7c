//! Dispatch: wrappers, the body, and what is made of the wrappers' answer (rules P10–P15).

use super::{Flight, Settled, contained, contained_future};
use crate::hook::stage::Dispatch;
use crate::result::{FailureCause, ToolFailure, ToolOutcome};
use crate::tool::{Produced, UserMessage};
use crate::{Cancellation, Next, RunContext, ToolError, ToolExecution, ToolExecutionResult};

/// Runs the wrappers around the body.
pub(super) async fn dispatch(flight: &Flight) -> Settled {
    let call = &flight.call;
    let dispatching = Dispatching { call, substitute: None };
    let answer = match call.view().execute() {
        // The body's own result needs no second look; post policy asks whether the caller has cancelled.
        [] => return Settled::Normal(dispatching.run_body().await),
        wrappers => Next::<Dispatch>::new(wrappers, dispatching).run().await,
    };
    match answer.and_then(|answer| accept(call, answer)) {
        Ok(result) => Settled::Normal(result),
        Err(error) => Settled::Failed(ToolExecutionResult::from_failure(ToolFailure::from_error(
            error,
            FailureCause::HookFailed,
        ))),
    }
}

/// Replaces a success by an abort where the caller has cancelled; its contexts stay (rule P14).
pub(super) fn aborted_if_cancelled(
    call: &ToolExecution,
    mut result: ToolExecutionResult,
) -> ToolExecutionResult {
    if result.is_error() || !call.cancellation().is_cancelled() {
        return result;
    }
    let contexts = result.take_contexts();
    ToolExecutionResult::from_failure(ToolFailure::aborted(call.body().was_started())).with_contexts(contexts)
}

/// Takes what the outermost wrapper answered. A success that covers a body which a wrapper dropped before its end is
/// no success: nobody knows what that body had done (rule P14). The registry's own result for this execution is taken as it is;
/// anything else is checked like a value of the body (rule P11). An error bypasses post policy.
fn accept(call: &ToolExecution, mut answer: ToolExecutionResult) -> Result<ToolExecutionResult, ToolError> {
    let is_own = answer.is_made_for(call.token());
    let contexts = joined_contexts(call, answer.take_contexts());
    let result = match answer.outcome() {
        ToolOutcome::Success { .. } if call.body().was_abandoned() => {
            ToolExecutionResult::from_failure(ToolFailure::aborted(true))
        }
        ToolOutcome::Success { .. } if is_own => answer,
        ToolOutcome::Failure { .. } => answer,
        ToolOutcome::Success { value, concludes_turn } => match call.judge() {
            Ok(tool) => {
                let produced = contained(|| tool.behaviour().project(call, value.clone()))?;
                ToolExecutionResult::from_produced(produced, *concludes_turn)
            }
            Err(unknown) => ToolExecutionResult::from_failure(unknown),
        },
    };
    Ok(result.with_contexts(contexts))
}

/// The contexts that the body deferred, then those that only the wrapper's answer has (rule P15).
fn joined_contexts(call: &ToolExecution, answered: Vec<UserMessage>) -> Vec<UserMessage> {
    let mut contexts = call.body().contexts();
    let deferred = contexts.len();
    for context in answered {
        if !contexts.iter().take(deferred).any(|known| known.is_same(&context)) {
            contexts.push(context);
        }
    }
    contexts
}

/// The time in which a body may add to its call's result.
struct OpenAttempt<'a> {
    call: &'a ToolExecution,
    is_abandoned: bool,
}

impl OpenAttempt<'_> {
    /// The body has come to its end.
    fn close(mut self) {
        self.is_abandoned = false;
    }
}

impl Drop for OpenAttempt<'_> {
    fn drop(&mut self) {
        self.call.body().end();
        if self.is_abandoned {
            self.call.body().abandon();
        }
    }
}

/// The input of the execute waterfall: the call, and the cancellation that wrappers have put beside the caller's.
#[derive(Clone)]
pub struct Dispatching<'a> {
    call: &'a ToolExecution,
    substitute: Option<Cancellation>,
}

impl<'a> Dispatching<'a> {
    pub(crate) fn call(&self) -> &'a ToolExecution {
        self.call
    }

    pub(crate) fn cancellation(&self) -> &Cancellation {
        self.substitute.as_ref().unwrap_or_else(|| self.call.cancellation())
    }

    pub(crate) fn with_substitute(&self, cancellation: Cancellation) -> Self {
        Self { call: self.call, substitute: Some(cancellation) }
    }

    /// The end of the waterfall: resolves the tool again, runs its body and normalises what comes of it.
    pub(crate) async fn run_body(self) -> ToolExecutionResult {
        let call = self.call;
        if self.cancellation().is_cancelled() {
            // A retry that is stopped does not undo what an earlier attempt did.
            return self.settled(Err(ToolFailure::aborted(call.body().was_started())));
        }
        let tool = match call.resolve_to_run() {
            Ok(tool) => tool,
            Err(unknown) => return self.settled(Err(unknown)),
        };
        let attempt = call.body().begin();
        // A wrapper may drop this future; what the body holds of its context is void then as well.
        let open = OpenAttempt { call, is_abandoned: true };
        let cx = RunContext::new(call.clone(), self.substitute.clone(), attempt);
        let outcome = contained_future(|| tool.behaviour().run(call, cx)).await;
        open.close();
        self.settled(outcome.map_err(|error| ToolFailure::from_error(error, FailureCause::BodyFailed)))
    }

    /// The same for wrappers, who see a success that was cancelled meanwhile as the abort that it is.
    pub(crate) async fn run_body_for_wrappers(self) -> ToolExecutionResult {
        let this = self.clone();
        let result = self.run_body().await;
        if result.is_error() || !this.cancellation().is_cancelled() {
            return result;
        }
        this.settled(Err(ToolFailure::aborted(true)))
    }

    fn settled(&self, outcome: Result<Produced, ToolFailure>) -> ToolExecutionResult {
        let notes = self.call.body();
        let result = match outcome {
            Ok(produced) => ToolExecutionResult::from_produced(produced, notes.concludes_turn()),
            Err(failure) => ToolExecutionResult::from_failure(failure),
        };
        result.with_contexts(notes.contexts()).made_for(self.call.token())
    }
}
