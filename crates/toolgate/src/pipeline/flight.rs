//! A call under way: the state that its stages hand on, and the promise that it has exactly one outcome.

use super::{contained, release};
use crate::call::{ExecutionParts, ExecutionToken, Unrepresentable};
use crate::registry::MOST_LISTENERS;
use crate::result::{FailureCause, ToolFailure};
use crate::tool::{ToolError, tool_label};
use crate::{JsonValue, Scope, ToolCall, ToolExecution, ToolExecutionResult, ToolRuntime};

/// A call from its entry to its outcome. Dropping it before the outcome publishes an abort (rule P22).
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) call: ToolExecution,
    is_published: bool,
}

impl Flight {
    /// Takes a call in. An error is the failure of a call that no policy will see.
    pub(super) fn enter(runtime: ToolRuntime, call: ToolCall) -> (Self, Result<(), ToolFailure>) {
        let (call, entry) = Self::identify(runtime, call);
        (Self { call, is_published: false }, entry)
    }

    /// The execution that a call would be. It is not under way yet: it owes nobody an outcome.
    pub(super) fn identify(runtime: ToolRuntime, call: ToolCall) -> (ToolExecution, Result<(), ToolFailure>) {
        let ToolCall { id, root, name, arguments, scope, parent, cancellation } = call;
        let (arguments, lossy) = match arguments {
            Ok(arguments) => (arguments, None),
            Err(error) => (JsonValue::null(), Some(error)),
        };
        let is_foreign = scope.as_ref().is_some_and(|scope| !scope.belongs_to(&runtime));
        let scope = scope.filter(|_| !is_foreign);
        let view = scope.as_ref().map_or_else(|| runtime.view(), Scope::view);
        let entered_as = view.locate_for(&name, parent);
        let is_collapsed = view.is_collapsed(&name, parent);
        let is_overcrowded = view.is_overcrowded();
        let call = ToolExecution::new(ExecutionParts {
            id,
            root,
            name,
            arguments,
            scope,
            runtime,
            parent,
            token: ExecutionToken::fresh(),
            cancellation,
            view,
            entered_as,
            body: Default::default(),
        });
        // A failing argument wins over a cancellation, which wins over everything that a policy could say (rule P5).
        let entry = match lossy {
            Some(error) => Err(refused_arguments(*error)),
            None if call.cancellation().is_cancelled() => Err(ToolFailure::aborted(false)),
            None if is_overcrowded => Err(ToolFailure::plain(
                FailureCause::HookFailed,
                format!(
                    "the call cannot be judged: one of its stages has more than {MOST_LISTENERS} listeners"
                ),
            )),
            None if is_foreign => Err(ToolFailure::unknown_tool(format!(
                "{} was called in a scope of another runtime, which sees no tool of this one",
                tool_label(call.name())
            ))),
            None if is_collapsed => Err(call.view().not_found(call.name(), parent)),
            None => Ok(()),
        };
        (call, entry)
    }

    /// Gives the call its outcome: the finaliser has its word, the observers see the result.
    pub(super) fn publish(mut self, result: ToolExecutionResult) -> ToolExecutionResult {
        let result = self.publish_once(result);
        // The call may hold the last handle on a tool that is gone, whose destructor is somebody else's code.
        release(self);
        result
    }

    fn publish_once(&mut self, result: ToolExecutionResult) -> ToolExecutionResult {
        self.is_published = true;
        self.call.body().end();
        let result = self.finalize(result).made_for(self.call.token());
        for observer in self.call.view().observers() {
            if let Err(error) = contained(|| {
                observer.observe(&self.call, &result);
                Ok(())
            }) {
                tracing::error!(
                    target: "toolgate",
                    call = %self.call.call_id(),
                    tool = self.call.name(),
                    "a result observer failed: {error}"
                );
            }
        }
        result
    }

    fn finalize(&self, mut result: ToolExecutionResult) -> ToolExecutionResult {
        let Some(definition) = self.call.entered_as() else { return result };
        match contained(|| Ok(definition.behaviour().finalize_content(&self.call, &result))) {
            Ok(None) => result,
            Ok(Some(content)) => {
                result.replace_content(content.into());
                result
            }
            Err(error) => ToolExecutionResult::from_failure(ToolFailure::plain(
                FailureCause::FinalizerFailed,
                error.message(),
            )),
        }
    }
}

/// The failure of a call whose arguments are no value.
fn refused_arguments(error: Unrepresentable) -> ToolFailure {
    match error {
        Unrepresentable::Unreadable(message) => {
            ToolFailure::from_error(ToolError::invalid_arguments(message), FailureCause::InvalidArguments)
        }
        lossy @ (Unrepresentable::NotLossless(_) | Unrepresentable::Encode(_)) => ToolFailure::plain(
            FailureCause::ArgumentsNotLossless,
            format!("the arguments cannot be carried as JSON: {lossy}"),
        ),
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.is_published {
            let aborted = ToolFailure::aborted(self.call.body().was_started());
            self.publish_once(ToolExecutionResult::from_failure(aborted));
        }
    }
}
