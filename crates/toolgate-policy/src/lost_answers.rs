//! Lost answers: what becomes of a call when nobody knows whether it was done.
//!
//! A wrapper around the body. It calls a tool again where its declared effect makes that safe, and nowhere else.

use std::num::NonZeroU32;

use toolgate::prelude::*;
use toolgate::result::code;

/// Calls a tool again whose answer was lost (`ANSWER_LOST`), where doing it twice is the same as doing it once: `pure`,
/// `idempotent`, and `keyed`, because every attempt has the call's own id. For any other tool the failure says that
/// its effect is unknown.
///
/// Every attempt is a whole one: wrappers that are registered later run again. A cancelled call is not tried again.
#[derive(Clone, Copy, Debug)]
pub struct LostAnswers {
    attempts: NonZeroU32,
}

impl LostAnswers {
    /// Two attempts in all.
    #[must_use]
    pub fn new() -> Self {
        Self::with_attempts(NonZeroU32::MIN.saturating_add(1))
    }

    /// So many attempts in all.
    #[must_use]
    pub fn with_attempts(attempts: NonZeroU32) -> Self {
        Self { attempts }
    }
}

impl Default for LostAnswers {
    fn default() -> Self {
        Self::new()
    }
}

impl Execute for LostAnswers {
    async fn execute(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let mut attempt = 1;
        loop {
            let result = next.run().await?;
            let Some(error) = result.error().filter(|error| error.code() == Some(code::ANSWER_LOST)) else {
                return Ok(result);
            };
            // A tool that is gone declares nothing.
            let effect = call.definition().map(|tool| tool.effect()).unwrap_or_default();
            match effect {
                ToolEffect::NonIdempotent => {
                    let message =
                        format!("effect unknown: {}; look before you call it again", error.message());
                    return Ok(ToolExecutionResult::failure(ToolError::answer_lost(message)));
                }
                ToolEffect::Pure | ToolEffect::Idempotent | ToolEffect::Keyed => {
                    if attempt >= self.attempts.get() || next.cancellation().is_cancelled() {
                        return Ok(result);
                    }
                    attempt += 1;
                }
            }
        }
    }
}
