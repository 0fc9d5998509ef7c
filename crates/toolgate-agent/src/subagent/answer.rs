//! The answer that a sub-agent owes: an object that matches a schema, handed over through a tool of its own.
//!
//! Used by `child`. A mismatch is told to the sub-agent, which may try again a bounded number of times.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolgate::{CancellationToken, CompiledSchema, JsonValue, ToolDefinition, ToolEffect, ToolError};
use toolgate_schema::{PathRoot, check_object_root};

use super::invalid;

/// The tool by which the answer is given.
pub(super) const SUBMIT: &str = "submit_answer";

/// How many violations are told at once.
const SHOWN: usize = 10;

/// An answer that is waited for. Clones wait for the same one.
#[derive(Clone)]
pub(super) struct Expected {
    schema: CompiledSchema,
    attempts: u32,
    /// Ends the sub-agent's turn when there are no attempts left.
    stop: CancellationToken,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    given: Option<JsonValue>,
    refused: u32,
    /// Why the last one was refused.
    why: String,
}

impl Expected {
    /// The schema of an answer, as a call gives it.
    pub(super) fn schema(raw: JsonValue) -> Result<CompiledSchema, ToolError> {
        let violations = check_object_root(raw.as_value());
        if !violations.is_empty() {
            return Err(invalid(format!("the schema of the answer cannot be used: {}", list(&violations))));
        }
        CompiledSchema::compile(raw).map_err(|error| invalid(error.to_string()))
    }

    pub(super) fn new(schema: CompiledSchema, attempts: u32, stop: CancellationToken) -> Self {
        Self { schema, attempts, stop, state: Arc::default() }
    }

    /// The answer, once it was given.
    pub(super) fn given(&self) -> Option<JsonValue> {
        self.lock().given.clone()
    }

    /// Why the sub-agent was stopped, where it has used up its attempts.
    pub(super) fn given_up(&self) -> Option<String> {
        let state = self.lock();
        (state.given.is_none() && state.refused >= self.attempts).then(|| {
            format!(
                "the sub-agent gave {} answers that do not match the schema; the last one: {}",
                state.refused, state.why
            )
        })
    }

    /// The sub-agent ended its turn without an answer. The message for it, or none where there are no attempts left.
    pub(super) fn reminder(&self) -> Option<String> {
        let mut state = self.lock();
        state.refused += 1;
        if state.why.is_empty() {
            state.why = format!("it ended without calling `{SUBMIT}`");
        }
        (state.refused < self.attempts).then(|| {
            format!("You stopped without giving your answer. Call `{SUBMIT}` with it now; what you only say is lost.")
        })
    }

    /// The tool that takes the answer. Its parameters are the schema.
    pub(super) fn tool(&self) -> ToolDefinition {
        let expected = self.clone();
        let raw = ToolDefinition::raw(SUBMIT, "Give your answer. This ends your work.");
        raw.raw_parameters(self.schema.raw().clone())
            .output_schema(JsonValue::object([("type".to_owned(), JsonValue::from("string"))]))
            .effect(ToolEffect::Idempotent)
            .body(move |args, cx| {
                let taken = expected.take(args);
                if taken.is_ok() {
                    cx.conclude_turn();
                }
                std::future::ready(taken)
            })
    }

    fn take(&self, answer: JsonValue) -> Result<JsonValue, ToolError> {
        let mut state = self.lock();
        if state.given.is_some() {
            return Err(ToolError::new("an answer was given already, and it stands"));
        }
        let Err(violations) = self.schema.check_value(&answer, PathRoot::Arguments) else {
            state.given = Some(answer);
            return Ok(JsonValue::from("taken"));
        };
        state.refused += 1;
        state.why = list(&violations);
        if state.refused >= self.attempts {
            self.stop.cancel();
        }
        let why = &state.why;
        Err(invalid(format!(
            "the answer does not match its schema: {why}\nhint: correct it and call `{SUBMIT}` again"
        )))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Held for plain assignments only.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn list<V: std::fmt::Display>(violations: &[V]) -> String {
    let shown: Vec<String> = violations.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = violations.len().saturating_sub(SHOWN);
    if more == 0 { shown.join("; ") } else { format!("{}; and {more} more", shown.join("; ")) }
}
