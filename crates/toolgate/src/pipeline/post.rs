//! Policy after dispatch: the post-execute waterfall and what its decision does to the result (rule P16).

use super::dispatch::aborted_if_cancelled;
use super::{Flight, contained};
use crate::hook::stage::Post;
use crate::hook::{PostToolDecision, Replacement};
use crate::result::{FailureCause, ToolFailure, joined_text};
use crate::tool::{ContentBlock, UserMessage};
use crate::{JsonValue, Next, ToolExecution, ToolExecutionResult};

/// Asks post policy about a result and applies the answer.
pub(super) async fn ask_post_policy(flight: &Flight, result: ToolExecutionResult) -> ToolExecutionResult {
    let call = &flight.call;
    let result = aborted_if_cancelled(call, result);
    let decision = match call.view().post_execute() {
        [] => return result,
        listeners => Next::<Post>::new(listeners, (call, &result)).run().await,
    };
    match decision {
        Ok(PostToolDecision::Accept { replacement, additional_contexts }) => {
            match replace(call, result, replacement) {
                Ok(result) => aborted_if_cancelled(call, with_more_contexts(result, additional_contexts)),
                Err(failure) => ToolExecutionResult::from_failure(failure),
            }
        }
        Ok(PostToolDecision::Block { feedback, additional_contexts }) => {
            blocked(feedback).with_contexts(additional_contexts)
        }
        Err(error) => {
            ToolExecutionResult::from_failure(ToolFailure::from_error(error, FailureCause::HookFailed))
        }
    }
}

fn replace(
    call: &ToolExecution,
    mut result: ToolExecutionResult,
    replacement: Replacement,
) -> Result<ToolExecutionResult, ToolFailure> {
    match replacement {
        Replacement::Nothing => {}
        Replacement::Content(content) => result.replace_content(content.into()),
        Replacement::Value(value) => result = with_value(call, result, value)?,
    }
    Ok(result)
}

/// The result of the same call with another value, validated and projected like the body's own.
fn with_value(
    call: &ToolExecution,
    mut result: ToolExecutionResult,
    value: JsonValue,
) -> Result<ToolExecutionResult, ToolFailure> {
    if result.is_error() {
        return Err(ToolFailure::plain(
            FailureCause::InvalidDecision,
            "a policy replaced the value of a call that failed, and a failed call has none",
        ));
    }
    let tool = call.judge()?;
    let produced = contained(|| tool.behaviour().project(call, value))
        .map_err(|error| ToolFailure::from_error(error, FailureCause::InvalidOutput))?;
    let contexts = result.take_contexts();
    Ok(ToolExecutionResult::from_produced(produced, result.concludes_turn()).with_contexts(contexts))
}

fn with_more_contexts(mut result: ToolExecutionResult, more: Vec<UserMessage>) -> ToolExecutionResult {
    if more.is_empty() {
        return result;
    }
    let mut contexts = result.take_contexts();
    contexts.extend(more);
    result.with_contexts(contexts)
}

fn blocked(feedback: Vec<ContentBlock>) -> ToolExecutionResult {
    let message = match joined_text(&feedback) {
        text if text.is_empty() => "the result was blocked by a policy".to_owned(),
        text => text,
    };
    let mut result = ToolExecutionResult::from_failure(ToolFailure::plain(FailureCause::Blocked, message));
    if !feedback.is_empty() {
        result.replace_content(feedback.into());
    }
    result
}
