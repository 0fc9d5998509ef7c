//! Approval: who answers when a listener asks (rule P7). The service itself lives elsewhere.

use std::future::Future;

use super::HookResult;
use crate::tool::BoxFuture;
use crate::{Scope, ToolExecution};

/// The answer of an approver. Only one of them lets the call go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// This one call may run.
    AllowedOnce,
    /// No.
    Rejected,
    /// The question was taken back before it was answered.
    Cancelled,
    /// Nobody can be asked.
    Unavailable,
}

/// A question for an approver.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRequest<'a> {
    /// The call, with the very arguments that will run.
    pub call: &'a ToolExecution,
    /// The agent on whose behalf it runs.
    pub agent: &'a Scope,
    /// Why somebody should look, if the listener said so.
    pub reason: Option<&'a str>,
}

/// Answers questions of pre-execute listeners. Implement it with `async fn approve`.
///
/// An approver that waits observes the call's cancellation and then answers [`ApprovalOutcome::Cancelled`].
pub trait Approver: Send + Sync + 'static {
    /// Answers. An error fails the call closed.
    fn approve(
        &self,
        request: ApprovalRequest<'_>,
    ) -> impl Future<Output = HookResult<ApprovalOutcome>> + Send;
}

/// The same with its future boxed.
pub(crate) trait DynApprover: Send + Sync {
    /// The hook's type, for operators.
    fn type_name(&self) -> &'static str;

    fn approve<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, HookResult<ApprovalOutcome>>;
}

impl<A: Approver> DynApprover for A {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    fn approve<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, HookResult<ApprovalOutcome>> {
        Box::pin(Approver::approve(self, request))
    }
}
