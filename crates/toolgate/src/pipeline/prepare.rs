//! Policy before dispatch: the pre-execute waterfall, approval, guards (rules P6–P8).

use super::approve::approve;
use super::{Flight, Gate, contained};
use crate::hook::HookResult;
use crate::hook::stage::Pre;
use crate::result::{FailureCause, ToolFailure};
use crate::{Next, PreToolDecision, ToolExecutionResult};

/// Asks everyone who may refuse the call. Whoever fails refuses it.
pub(super) async fn ask_policy(flight: &Flight) -> Gate {
    match verdict(flight).await {
        Err(error) => Gate::Failed(ToolExecutionResult::from_failure(ToolFailure::from_error(
            error,
            FailureCause::HookFailed,
        ))),
        Ok(Err(denial)) => Gate::Refused(ToolExecutionResult::from_failure(denial)),
        // A denial stands although the caller cancelled meanwhile; a permission does not (rule P8).
        Ok(Ok(())) if flight.call.cancellation().is_cancelled() => {
            Gate::Refused(ToolExecutionResult::from_failure(ToolFailure::aborted(false)))
        }
        Ok(Ok(())) => Gate::Admitted,
    }
}

/// The outer error is a hook that failed, the inner one a denial.
async fn verdict(flight: &Flight) -> HookResult<Result<(), ToolFailure>> {
    let view = flight.view();
    let decision = match view.pre_execute() {
        [] => PreToolDecision::Allow,
        listeners => Next::<Pre>::new(listeners, &flight.call).run().await?,
    };
    match decision {
        PreToolDecision::Allow => {}
        PreToolDecision::Deny { reason } => return Ok(Err(ToolFailure::plain(FailureCause::Denied, reason))),
        PreToolDecision::Ask { reason } => {
            if let Err(denial) = approve(&flight.call, reason.as_deref()).await? {
                return Ok(Err(denial));
            }
        }
    }
    for guard in flight.view().guards() {
        if let Some(reason) = contained(|| guard.check(&flight.call))? {
            return Ok(Err(ToolFailure::plain(FailureCause::GuardDenied, reason)));
        }
    }
    Ok(Ok(()))
}
