//! Policy before dispatch: the pre-execute waterfall, approval, guards (rules P6–P8).

use super::approve::approve;
use super::{Flight, Gate, contained};
use crate::hook::HookResult;
use crate::hook::stage::Pre;
use crate::result::{FailureCause, ToolFailure};
use crate::{Next, PreToolDecision, ToolExecution, ToolExecutionResult};

/// Asks everyone who may refuse the call. Whoever fails refuses it.
pub(super) async fn ask_policy(flight: &Flight) -> Gate {
    let call = &flight.call;
    if call.view().has_no_policy() {
        return Gate::Admitted;
    }
    match verdict(call).await {
        Err(error) => Gate::Failed(ToolExecutionResult::from_failure(ToolFailure::from_error(
            error,
            FailureCause::HookFailed,
        ))),
        Ok(Err(denial)) => Gate::Refused(ToolExecutionResult::from_failure(denial)),
        // A denial stands although the caller cancelled meanwhile; a permission does not (rule P8).
        Ok(Ok(())) if call.cancellation().is_cancelled() => {
            Gate::Refused(ToolExecutionResult::from_failure(ToolFailure::aborted(false)))
        }
        Ok(Ok(())) => Gate::Admitted,
    }
}

/// The outer error is a hook that failed, the inner one a denial.
async fn verdict(call: &ToolExecution) -> HookResult<Result<(), ToolFailure>> {
    let decision = match call.view().pre_execute() {
        [] => PreToolDecision::Allow,
        listeners => Next::<Pre>::new(listeners, call).run().await?,
    };
    match decision {
        PreToolDecision::Allow => {}
        PreToolDecision::Deny { reason } => return Ok(Err(ToolFailure::plain(FailureCause::Denied, reason))),
        PreToolDecision::Ask { reason } => {
            if let Err(denial) = approve(call, reason.as_deref()).await? {
                return Ok(Err(denial));
            }
        }
    }
    for guard in call.view().guards() {
        let checked = contained(|| guard.check(call)).map_err(|error| error.of_hook(guard.type_name()));
        if let Some(reason) = checked? {
            return Ok(Err(ToolFailure::plain(FailureCause::GuardDenied, reason)));
        }
    }
    Ok(Ok(()))
}
