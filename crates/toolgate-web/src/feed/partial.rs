//! [`Partial`]: the answer of a model as far as it has come. Nothing of it is in the log yet.

use serde_json::{Value, json};
use toolgate_agent::Delta;

/// How much of it a browser that comes late is shown.
const MOST_BYTES: usize = 256 << 10;

/// How many calls are named.
const MOST_CALLS: usize = 100;

/// An answer under way.
#[derive(Debug, Default)]
pub(super) struct Partial {
    /// Counts the pieces, so that a browser that got the whole takes no piece twice.
    number: u64,
    text: String,
    calls: Vec<String>,
}

impl Partial {
    /// Takes a piece, and gives what to tell of it; nothing where there is nothing to see.
    pub(super) fn push(&mut self, delta: &Delta) -> Option<Value> {
        match delta {
            Delta::Text(text) => {
                if self.text.len() + text.len() > MOST_BYTES {
                    return None;
                }
                self.number += 1;
                self.text.push_str(text);
                Some(json!({ "n": self.number, "text": shown(text) }))
            }
            Delta::Call { place, name, .. } => {
                // Only the first fragment of a call says something new.
                if *place < self.calls.len() || self.calls.len() >= MOST_CALLS {
                    return None;
                }
                self.number += 1;
                self.calls.push(name.clone());
                Some(json!({ "n": self.number, "call": shown(name) }))
            }
        }
    }

    /// Forgets it: the answer is in the log, or was given up.
    pub(super) fn clear(&mut self) {
        self.number += 1;
        self.text.clear();
        self.calls.clear();
    }

    /// All of it.
    pub(super) fn whole(&self) -> Value {
        let calls: Vec<_> = self.calls.iter().map(|name| shown(name)).collect();
        json!({ "n": self.number, "text": shown(&self.text), "calls": calls })
    }
}

fn shown(text: &str) -> String {
    toolgate::text::Text(text).to_string()
}
