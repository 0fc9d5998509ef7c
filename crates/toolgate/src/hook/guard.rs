//! Guards: the last word before dispatch. They can deny and can never allow.

use std::sync::Arc;

use super::HookResult;
use crate::ToolExecution;

/// A guard as authors write it: a reason denies the call, `None` leaves it as it is.
pub(crate) type Guard = Arc<dyn GuardFn>;

/// A synchronous check of an execution.
pub(crate) trait GuardFn: Send + Sync {
    /// The guard's type, for operators.
    fn type_name(&self) -> &'static str;
    fn check(&self, call: &ToolExecution) -> HookResult<Option<String>>;
}

impl<F> GuardFn for F
where
    F: Fn(&ToolExecution) -> HookResult<Option<String>> + Send + Sync,
{
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    fn check(&self, call: &ToolExecution) -> HookResult<Option<String>> {
        self(call)
    }
}
