//! Who may read what is kept: the policy of the call that it came from.
//!
//! Kept content is the result of a call, so reading it is having made that call. Three questions decide, in this order,
//! each time anew:
//!
//! 1. Whose is it? Only the scope that made the call and those below it know of the handle; for anybody else it does
//!    not exist. What nobody's agent called is for nobody's agent.
//! 2. Does the reader see the tool? One that was removed, or is masked for the reader, lets nothing through.
//! 3. Would policy let the reader make the same call, name and arguments, now? The pre-execute listeners and guards
//!    of the reader's scope are asked ([`ToolRuntime::review`](toolgate::ToolRuntime::review)). A denial refuses, and so
//!    does a listener that fails. An `ask` does not: the question was answered when the call was made, and its
//!    answer covers the whole result, of which the model has seen a part.
//!
//! What a policy itself said when it refused a call belongs to no tool; there the first question is the only one.
//! The call of the reading tool goes through policy as well, like every call.

use std::sync::Arc;

use toolgate::{PolicyReview, RunContext};

use super::blocking::off_thread;
use super::entry::{Access, Entry};
use super::error::SpillError;
use super::handle::{SpillHandle, SpillHandleError};
use super::store::SpillStore;

/// What is kept under a handle, if the caller may read it.
pub(super) async fn open(
    store: &Arc<SpillStore>,
    handle: &str,
    cx: &RunContext,
) -> Result<Entry, SpillError> {
    let handle: SpillHandle = handle.parse().map_err(|error: SpillHandleError| SpillError::Arguments {
        what: format!("`handle` is none: {error}"),
        hint: "copy the handle from the notice in the result that was cut".to_owned(),
    })?;
    let (keeper, scope) = (Arc::clone(store), cx.call().scope().cloned());
    let found = off_thread(move || {
        let entry = keeper.find(handle, scope.as_ref())?;
        let arguments = match entry.access {
            Access::Policy => Some(keeper.arguments(&entry)?),
            Access::Scope => None,
        };
        Ok((entry, arguments))
    });
    let (entry, arguments) = found.await.unwrap_or(Err(SpillError::Stopped))?;
    let Some(arguments) = arguments else { return Ok(entry) };
    match cx.runtime().review(cx.nested_call(Arc::clone(&entry.tool), arguments)).await {
        PolicyReview::Allowed | PolicyReview::Asks { .. } => Ok(entry),
        PolicyReview::Refused(_) if cx.is_cancelled() => Err(SpillError::Stopped),
        PolicyReview::Refused(failure) => Err(SpillError::Refused { reason: failure.message().to_owned() }),
    }
}
