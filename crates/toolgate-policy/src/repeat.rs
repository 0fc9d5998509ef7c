//! The repeat reminder: tells a model that makes the same call again and again that nothing changes.
//!
//! A listener after dispatch. It looks at the direct calls of each agent and changes no result.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use toolgate::prelude::*;
use toolgate::registry::ScopeId;
use toolgate::text::Line;

/// How many agents are remembered. Beyond that all of them are forgotten at once, which only delays a reminder.
const MOST_AGENTS: usize = 1_000;

/// Attaches a reminder when an agent makes the same call with the same arguments and gets the same result several times
/// in a row: at the third, and again at the sixth, the ninth and so on.
///
/// Only direct calls count; what a program calls in a loop is the program's. Of each agent one fingerprint is kept,
/// never arguments or results.
#[derive(Debug)]
pub struct RepeatReminder {
    times: NonZeroU32,
    last: Mutex<HashMap<Option<ScopeId>, Run>>,
}

/// Equal calls in a row.
#[derive(Debug)]
struct Run {
    fingerprint: u64,
    length: u32,
}

impl RepeatReminder {
    /// A reminder at each third equal call.
    #[must_use]
    pub fn new() -> Self {
        Self::after(NonZeroU32::MIN.saturating_add(2))
    }

    /// A reminder after each so many equal calls.
    #[must_use]
    pub fn after(times: NonZeroU32) -> Self {
        Self { times, last: Mutex::default() }
    }

    /// Counts a call; gives the length of its run where it is time for a reminder.
    fn count(&self, agent: Option<ScopeId>, fingerprint: u64) -> Option<u32> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() >= MOST_AGENTS && !last.contains_key(&agent) {
            last.clear();
        }
        let run = last.entry(agent).or_insert(Run { fingerprint, length: 0 });
        if run.fingerprint != fingerprint {
            *run = Run { fingerprint, length: 0 };
        }
        run.length = run.length.saturating_add(1);
        (run.length % self.times == 0).then_some(run.length)
    }
}

impl Default for RepeatReminder {
    fn default() -> Self {
        Self::new()
    }
}

impl PostExecute for RepeatReminder {
    async fn post_execute(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        if call.parent().is_some() {
            return next.run().await;
        }
        let repeated = self.count(call.scope().map(Scope::id), fingerprint(call, result));
        let decision = next.run().await?;
        Ok(match repeated {
            None => decision,
            Some(length) => {
                let mut contexts = decision.additional_contexts().to_vec();
                contexts.push(reminder(call.name(), length));
                decision.with_contexts(contexts)
            }
        })
    }
}

fn reminder(name: &str, length: u32) -> UserMessage {
    UserMessage::text(
        "repeat-reminder",
        format!(
            "This was call {length} of `{}` in a row with the same arguments, and the result was the same each time. \
             Calling it again will not change that: try other arguments, another tool, or say what is in the way.",
            Line(name)
        ),
    )
}

/// A number that equal calls with equal results share, and others practically do not.
fn fingerprint(call: &ToolExecution, result: &ToolExecutionResult) -> u64 {
    let mut hashed = Hashed(DefaultHasher::new());
    call.name().hash(&mut hashed.0);
    result.is_error().hash(&mut hashed.0);
    // Writing into a hasher does not fail.
    let _ = write!(hashed, "{}", call.arguments());
    for block in result.content() {
        match block {
            ContentBlock::Text { text } => text.hash(&mut hashed.0),
            ContentBlock::Image { data, mime_type } => (data, mime_type).hash(&mut hashed.0),
            ContentBlock::Other(other) => {
                let _ = write!(hashed, "{}", other.json());
            }
        }
    }
    hashed.0.finish()
}

/// A hasher that text is written into, so that no text need be made.
struct Hashed(DefaultHasher);

impl fmt::Write for Hashed {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.write(part.as_bytes());
        Ok(())
    }
}
