//! Before dispatch: the first and extensible part of policy.

use std::future::Future;

use super::{HookResult, Next, stage::Pre};
use crate::ToolExecution;
use crate::tool::BoxFuture;

/// What a pre-execute listener decides.
///
/// There is no way to change the arguments: what was logged and shown is what runs (rule P9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreToolDecision {
    /// Go on to the guards.
    Allow,
    /// Refuse; the model reads the reason.
    Deny {
        /// Why.
        reason: String,
    },
    /// Go on only if somebody allows it. Without an approver or an agent this is a denial (rule P7).
    Ask {
        /// Why a person should look.
        reason: Option<String>,
    },
}

impl PreToolDecision {
    /// A denial with its reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }

    /// A question with its reason.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::Ask { reason: Some(reason.into()) }
    }
}

/// A listener before dispatch. Implement it with `async fn pre_execute`.
///
/// A listener that waits observes the call's cancellation: the runtime never drops it (rule P22). It may be asked about
/// a call that is then not made ([`ToolRuntime::review`](crate::ToolRuntime::review)): it judges, and does not count.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a listener",
    note = "write a type that implements `PreExecute` with `async fn pre_execute(…)`; a closure cannot borrow across its awaits"
)]
pub trait PreExecute: Send + Sync + 'static {
    /// Decides, or delegates with `next.run().await`.
    ///
    /// # Errors
    /// Anything that keeps the listener from deciding. The call then fails closed, unless a listener further out
    /// handles the error that its `next` gave.
    fn pre_execute(
        &self,
        call: &ToolExecution,
        next: Next<'_, Pre>,
    ) -> impl Future<Output = HookResult<PreToolDecision>> + Send;
}

/// The same with its future boxed.
pub trait DynPreExecute: Send + Sync {
    /// The hook's type, for operators.
    fn type_name(&self) -> &'static str;

    fn pre_execute<'a>(
        &'a self,
        call: &'a ToolExecution,
        next: Next<'a, Pre>,
    ) -> BoxFuture<'a, HookResult<PreToolDecision>>;
}

impl<L: PreExecute> DynPreExecute for L {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    fn pre_execute<'a>(
        &'a self,
        call: &'a ToolExecution,
        next: Next<'a, Pre>,
    ) -> BoxFuture<'a, HookResult<PreToolDecision>> {
        Box::pin(PreExecute::pre_execute(self, call, next))
    }
}
