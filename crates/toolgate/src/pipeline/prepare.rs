//! Policy before dispatch: the pre-execute waterfall, approval, guards (rules P6–P8).

use super::approve::approve;
use super::{Flight, Gate, PolicyReview, contained};
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

/// What policy says of a call that is not made: nobody is asked for approval, nothing runs, nothing is observed.
pub(super) async fn review_policy(call: &ToolExecution) -> PolicyReview {
    let reviewed = async {
        if let Err(unknown) = call.resolve() {
            return Ok(PolicyReview::Refused(unknown));
        }
        let asks = match decision(call).await? {
            PreToolDecision::Allow => None,
            PreToolDecision::Deny { reason } => return Ok(PolicyReview::Refused(denied(reason))),
            PreToolDecision::Ask { reason } => Some(PolicyReview::Asks { reason }),
        };
        Ok(match ask_guards(call)? {
            Err(denial) => PolicyReview::Refused(denial),
            Ok(()) => asks.unwrap_or(PolicyReview::Allowed),
        })
    };
    reviewed.await.unwrap_or_else(|error| {
        PolicyReview::Refused(ToolFailure::from_error(error, FailureCause::HookFailed))
    })
}

/// The outer error is a hook that failed, the inner one a denial.
async fn verdict(call: &ToolExecution) -> HookResult<Result<(), ToolFailure>> {
    match decision(call).await? {
        PreToolDecision::Allow => {}
        PreToolDecision::Deny { reason } => return Ok(Err(denied(reason))),
        PreToolDecision::Ask { reason } => {
            if let Err(denial) = approve(call, reason.as_deref()).await? {
                return Ok(Err(denial));
            }
        }
    }
    ask_guards(call)
}

async fn decision(call: &ToolExecution) -> HookResult<PreToolDecision> {
    match call.view().pre_execute() {
        [] => Ok(PreToolDecision::Allow),
        listeners => Next::<Pre>::new(listeners, call).run().await,
    }
}

fn ask_guards(call: &ToolExecution) -> HookResult<Result<(), ToolFailure>> {
    for guard in call.view().guards() {
        let checked = contained(|| guard.check(call)).map_err(|error| error.of_hook(guard.type_name()));
        if let Some(reason) = checked? {
            return Ok(Err(ToolFailure::plain(FailureCause::GuardDenied, reason)));
        }
    }
    Ok(Ok(()))
}

fn denied(reason: String) -> ToolFailure {
    ToolFailure::plain(FailureCause::Denied, reason)
}
