//! What becomes of an `ask` (rule P7): only an approver's `AllowedOnce` goes on.

use super::contained_future;
use crate::ToolExecution;
use crate::hook::{ApprovalOutcome, ApprovalRequest, HookResult};
use crate::result::{FailureCause, ToolFailure};
use crate::tool::tool_label;

/// The outer error is an approver that failed, the inner one a denial.
pub(super) async fn approve(
    call: &ToolExecution,
    reason: Option<&str>,
) -> HookResult<Result<(), ToolFailure>> {
    let refuse = |cause, otherwise: &str| {
        let message = match (cause, reason) {
            // Nobody was asked, so the listener's own reason is all there is to say.
            (FailureCause::ApprovalUnavailable, Some(reason)) => reason.to_owned(),
            (_, Some(reason)) => format!("{otherwise}: {reason}"),
            (_, None) => otherwise.to_owned(),
        };
        Ok(Err(ToolFailure::plain(cause, message)))
    };
    let name = tool_label(call.name());
    let (Some(approver), Some(agent)) = (call.runtime().approver(), call.scope()) else {
        return refuse(
            FailureCause::ApprovalUnavailable,
            &format!("the call of {name} needs an approval, and nobody can be asked"),
        );
    };
    let answer = contained_future(|| approver.approve(ApprovalRequest { call, agent, reason }));
    match answer.of_hook(approver.type_name()).await? {
        ApprovalOutcome::AllowedOnce => Ok(Ok(())),
        ApprovalOutcome::Rejected => {
            refuse(FailureCause::ApprovalRejected, &format!("the call of {name} was rejected"))
        }
        // The question went away together with the caller, so this is an abort and no denial (rule P8).
        ApprovalOutcome::Cancelled if call.cancellation().is_cancelled() => {
            Ok(Err(ToolFailure::aborted(false)))
        }
        ApprovalOutcome::Cancelled => refuse(
            FailureCause::ApprovalCancelled,
            &format!("the question whether {name} may run was taken back, so it did not run"),
        ),
        ApprovalOutcome::Unavailable => refuse(
            FailureCause::ApprovalUnavailable,
            &format!("the call of {name} needs an approval, and nobody could be asked"),
        ),
    }
}
