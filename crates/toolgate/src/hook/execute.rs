//! Around the body: timeouts, retries, caches, metrics.

use std::future::Future;

use super::{HookResult, Next, stage::Dispatch};
use crate::tool::BoxFuture;
use crate::{ToolExecution, ToolExecutionResult};

/// A wrapper around the body. Implement it with `async fn execute`.
///
/// A wrapper may answer without delegating, answer with something else, delegate again, or put a signal of its own
/// beside the caller's. A success that it made itself is validated and rendered by the tool's own output declaration
/// (rule P11).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a listener",
    note = "write a type that implements `Execute` with `async fn execute(…)`; a closure cannot borrow across its awaits"
)]
pub trait Execute: Send + Sync + 'static {
    /// Answers, or delegates with `next.run().await` or `next.run_with(signal).await`.
    ///
    /// # Errors
    /// Anything that keeps the listener from deciding. The call then fails closed, unless a listener further out
    /// handles the error that its `next` gave.
    fn execute(
        &self,
        call: &ToolExecution,
        next: Next<'_, Dispatch>,
    ) -> impl Future<Output = HookResult<ToolExecutionResult>> + Send;
}

/// The same with its future boxed.
pub trait DynExecute: Send + Sync {
    /// The hook's type, for operators.
    fn type_name(&self) -> &'static str;

    fn execute<'a>(
        &'a self,
        call: &'a ToolExecution,
        next: Next<'a, Dispatch>,
    ) -> BoxFuture<'a, HookResult<ToolExecutionResult>>;
}

impl<L: Execute> DynExecute for L {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    fn execute<'a>(
        &'a self,
        call: &'a ToolExecution,
        next: Next<'a, Dispatch>,
    ) -> BoxFuture<'a, HookResult<ToolExecutionResult>> {
        Box::pin(Execute::execute(self, call, next))
    }
}
