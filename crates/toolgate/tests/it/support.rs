//! What several tests need: a counting tool and shorthands.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{ToolDefinition, UncheckedJson};

pub(crate) fn call(name: &str, arguments: impl Into<UncheckedJson>) -> ToolCall {
    ToolCall::new(name, arguments, CancellationToken::new()).with_id("c1")
}

pub(crate) fn json_value(value: Value) -> JsonValue {
    JsonValue::new(value).expect("lossless")
}

/// A tool that returns its arguments and counts how often its body ran.
pub(crate) fn echo(name: &str, runs: &Counter) -> ToolDefinition {
    let runs = runs.clone();
    ToolDefinition::raw(name, "returns its arguments").output_schema(JsonValue::empty_object()).body(
        move |args, _cx| {
            runs.add();
            async move { Ok(args) }
        },
    )
}

#[derive(Clone, Default)]
pub(crate) struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// What observers and hooks saw, in order.
#[derive(Clone, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().expect("no panic under the lock").push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no panic under the lock").clone()
    }

    /// An observer that notes how each call ended.
    pub(crate) fn observer(&self) -> impl ResultObserver + use<> {
        let journal = self.clone();
        move |call: &ToolExecution, result: &ToolExecutionResult| {
            let outcome = result.error().map_or("ok".to_owned(), |error| match error.code() {
                Some(code) => code.to_owned(),
                None => error.cause().to_string(),
            });
            journal.note(format!("{} {outcome}", call.call_id()));
        }
    }
}

pub(crate) fn nobody() -> Value {
    json!({})
}
