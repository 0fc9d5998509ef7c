//! Observers: they see what happened and change nothing (rules P18, R8).

use crate::{ToolExecution, ToolExecutionResult};

/// Sees the final result of a call, synchronously, before the caller does.
///
/// Implemented by closures `Fn(&ToolExecution, &ToolExecutionResult)`. A panic is contained and reported; the other
/// observers still run.
pub trait ResultObserver: Send + Sync + 'static {
    /// Looks at a result.
    fn observe(&self, call: &ToolExecution, result: &ToolExecutionResult);
}

impl<F> ResultObserver for F
where
    F: Fn(&ToolExecution, &ToolExecutionResult) + Send + Sync + 'static,
{
    fn observe(&self, call: &ToolExecution, result: &ToolExecutionResult) {
        self(call, result);
    }
}

/// Hears that what some scope can see has changed: a tool came or went, a restriction or a presentation mode was set
/// or lifted (rule R8).
///
/// Implemented by closures `Fn()`. Called once for each change, synchronously, when the new state is visible. It is
/// not filtered by scope, because a change of the runtime concerns every scope.
pub trait ChangeObserver: Send + Sync + 'static {
    /// Hears of a change.
    fn changed(&self);
}

impl<F: Fn() + Send + Sync + 'static> ChangeObserver for F {
    fn changed(&self) {
        self();
    }
}
