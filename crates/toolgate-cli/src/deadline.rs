//! The time limit of a call: one wrapper around the body.
//!
//! Registered by `commands::call`, from `--timeout` or from what the tool itself declares. It asks the body to stop
//! and then waits for it, because a started body is never abandoned (rule P14).

use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;
use toolgate::prelude::*;
use toolgate::result::code;

use crate::duration;

/// Cancels a body that takes longer than its limit, and says so with `TOOL_TIMEOUT`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    limit: Duration,
}

impl Deadline {
    /// A deadline `limit` after the body is asked to begin.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit }
    }

    fn exceeded(&self) -> ToolExecutionResult {
        ToolExecutionResult::failure(ToolError::coded(
            code::TOOL_TIMEOUT_ERROR,
            code::TOOL_TIMEOUT,
            format!(
                "the tool did not finish within {} and was stopped; what it had done may remain",
                duration::text_of(self.limit)
            ),
        ))
    }
}

impl Execute for Deadline {
    async fn execute(
        &self,
        _call: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let caller = next.cancellation().clone();
        let too_late = CancellationToken::new();
        let mut body = pin!(next.run_with(too_late.clone()));
        if let Ok(answer) = timeout(self.limit, body.as_mut()).await {
            return answer;
        }
        let caller_was_first = caller.is_cancelled();
        too_late.cancel();
        let result = body.await?;
        // A failure with another code says more than that time ran out, and stays.
        let is_abort = matches!(result.code(), Some(code::ABORTED | code::ABORTED_BEFORE_DISPATCH));
        Ok(if is_abort && !caller_was_first { self.exceeded() } else { result })
    }
}

#[cfg(test)]
mod tests {
    use toolgate::ToolDefinition;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Body {
        IsQuick,
        StopsWhenAsked,
        FailsWhenAsked,
        TakesItsTime,
    }

    async fn call(body: Body, limit: Duration, caller: CancellationToken) -> ToolExecutionResult {
        let tool = ToolDefinition::raw("work", "Works.").output_schema(JsonValue::empty_object()).body(
            move |_args: JsonValue, cx: RunContext| async move {
                match body {
                    Body::IsQuick => {}
                    Body::TakesItsTime => tokio::time::sleep(Duration::from_millis(30)).await,
                    Body::StopsWhenAsked => cx.cancellation().cancelled().await,
                    Body::FailsWhenAsked => {
                        cx.cancellation().cancelled().await;
                        return Err(ToolError::coded("DiskError", "DISK_FULL", "no space"));
                    }
                }
                cx.defer_context(UserMessage::text("work", "left behind"));
                Ok(JsonValue::from(1))
            },
        );
        let runtime = ToolRuntime::builder().tool(tool).on_execute(Deadline::new(limit)).build().unwrap();
        runtime.execute(ToolCall::new("work", JsonValue::empty_object(), caller)).await
    }

    fn outcome(body: Body, limit: Duration, caller: CancellationToken) -> (Option<String>, usize) {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let result = tokio.block_on(call(body, limit, caller));
        (result.code().map(str::to_owned), result.additional_contexts().len())
    }

    #[test]
    fn only_a_body_that_is_late_times_out() {
        let (short, long) = (Duration::from_millis(5), Duration::from_secs(60));
        for (body, limit, code, contexts) in [
            (Body::IsQuick, long, None, 1),
            (Body::StopsWhenAsked, short, Some("TOOL_TIMEOUT"), 1),
            // Awaited to its end, although it does not listen; its success comes too late.
            (Body::TakesItsTime, short, Some("TOOL_TIMEOUT"), 1),
            (Body::TakesItsTime, long, None, 1),
            (Body::FailsWhenAsked, short, Some("DISK_FULL"), 0),
        ] {
            let (got, left) = outcome(body, limit, CancellationToken::new());
            assert_eq!((got.as_deref(), left), (code, contexts), "{body:?} within {limit:?}");
        }
    }

    #[test]
    fn the_caller_is_heard_first() {
        let caller = CancellationToken::new();
        caller.cancel();
        let (code, _) = outcome(Body::StopsWhenAsked, Duration::from_secs(60), caller);
        assert_eq!(code.as_deref(), Some("ABORTED_BEFORE_DISPATCH"));
    }
}
