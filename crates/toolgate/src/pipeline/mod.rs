//! The order of a call (rule P4), top to bottom:
//!
//! ```text
//! prepare    arguments cross the boundary ─ cancelled before entry? ─ refused by presentation mode?
//!            pre-execute waterfall ─ approval of an ask ─ guards ─ cancelled meanwhile?
//! dispatch   execute waterfall ─ resolve the tool again ─ body ─ validate, render, project
//!            ─ accept what a wrapper made ─ cancelled meanwhile?
//! finish     post-execute waterfall ─ apply its decision ─ cancelled meanwhile?
//!            the tool's content finaliser ─ result observers
//! ```
//!
//! The three stages are functions on owned values. `execute` is their composition; the scheduling lane calls them one
//! by one, because only dispatch may overlap (rule Q2). A refusal by policy skips dispatch; a hook that fails skips
//! post-execute as well. Every call that enters leaves through the finaliser and the observers, exactly once, also
//! when its future is dropped (rule P22).

mod approve;
mod contain;
mod dispatch;
mod flight;
mod post;
mod prepare;

use crate::{ToolCall, ToolExecutionResult, ToolRuntime};

pub(crate) use contain::{ContainedFuture, contained, contained_future, release};
pub(crate) use dispatch::Dispatching;
use flight::Flight;

/// A call that policy has seen: admitted, or refused with the result it will have.
#[must_use = "a prepared call is dispatched; dropping it aborts the call"]
#[derive(Debug)]
pub struct PreparedCall {
    flight: Flight,
    gate: Gate,
}

/// A call whose body has come to rest, or that never had one.
#[must_use = "a dispatched call is finished; dropping it aborts the call"]
#[derive(Debug)]
pub struct DispatchedCall {
    flight: Flight,
    settled: Settled,
}

/// What policy said.
#[derive(Debug)]
enum Gate {
    Admitted,
    /// A denial or an abort: no dispatch, but post policy sees it.
    Refused(ToolExecutionResult),
    /// A failure of the pipeline itself: it goes straight to the finaliser.
    Failed(ToolExecutionResult),
}

/// What dispatch gave.
#[derive(Debug)]
enum Settled {
    /// A normalised result for post policy.
    Normal(ToolExecutionResult),
    /// A failure of the pipeline itself: it goes straight to the finaliser.
    Failed(ToolExecutionResult),
}

/// What policy before dispatch says of a call that is not made; see [`ToolRuntime::review`].
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyReview {
    /// The call would be let through.
    Allowed,
    /// The call would be let through if somebody allowed it.
    Asks {
        /// Why a person should look.
        reason: Option<String>,
    },
    /// The call would be refused before its body: a denial, a hook that fails, or no such tool.
    Refused(crate::ToolFailure),
}

/// Asks policy about a call that is not made.
pub(crate) async fn review(runtime: ToolRuntime, call: ToolCall) -> PolicyReview {
    match Flight::identify(runtime, call) {
        (call, Ok(())) => prepare::review_policy(&call).await,
        (_, Err(failure)) => PolicyReview::Refused(failure),
    }
}

/// Runs a call from end to end.
pub(crate) async fn execute(runtime: ToolRuntime, call: ToolCall) -> ToolExecutionResult {
    prepare(runtime, call).await.dispatch().await.finish().await
}

/// Takes a call in and asks policy.
pub(crate) async fn prepare(runtime: ToolRuntime, call: ToolCall) -> PreparedCall {
    let (flight, entry) = Flight::enter(runtime, call);
    let gate = match entry {
        Ok(()) => prepare::ask_policy(&flight).await,
        Err(failure) => Gate::Failed(ToolExecutionResult::from_failure(failure)),
    };
    PreparedCall { flight, gate }
}

impl PreparedCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &crate::ToolExecution {
        &self.flight.call
    }

    /// Runs the wrappers and the body, unless policy refused. The only stage that may overlap with those of sibling
    /// calls.
    pub async fn dispatch(self) -> DispatchedCall {
        let Self { flight, gate } = self;
        let settled = match gate {
            Gate::Admitted => dispatch::dispatch(&flight).await,
            Gate::Refused(result) => Settled::Normal(result),
            Gate::Failed(result) => Settled::Failed(result),
        };
        DispatchedCall { flight, settled }
    }
}

impl DispatchedCall {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &crate::ToolExecution {
        &self.flight.call
    }

    /// Asks post policy, finalises the content and notifies the observers. Gives the result that they saw.
    pub async fn finish(self) -> ToolExecutionResult {
        let Self { flight, settled } = self;
        let result = match settled {
            Settled::Normal(result) => post::ask_post_policy(&flight, result).await,
            Settled::Failed(result) => result,
        };
        flight.publish(result)
    }
}
