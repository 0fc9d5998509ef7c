//! [`Patterns`]: what the regular expressions in the schemas of one server may take, all of them together.
//!
//! Used while a generation of tools is made. A compiled expression is linear in time, but a short text can make one of
//! megabytes, and a schema has room for thousands of those. So each is compiled under the smallest limit that it fits, and
//! the limits are counted before anything is compiled.

use std::collections::HashSet;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::schema::fault_of;

/// How large a compiled expression may be: one size after the other is tried, in bytes.
const SIZES: [usize; 3] = [64 << 10, 512 << 10, 2 << 20];
/// How much all of one server may be together, in bytes; attempts count.
const ALL: usize = 256 << 20;

/// What is left for the expressions of one server.
#[derive(Debug)]
pub(crate) struct Patterns {
    left: usize,
}

impl Patterns {
    /// The whole of it.
    pub(crate) fn new() -> Self {
        Self { left: ALL }
    }

    /// Compiles a schema, which has been found to end, or says why it cannot be used.
    pub(super) fn compile(&mut self, schema: &Value) -> Result<Validator, String> {
        let count = count_of(schema);
        let mut fault = String::new();
        for size in SIZES {
            let cost = size.saturating_mul(count);
            self.left = self.left.checked_sub(cost).ok_or("its regular expressions take too much memory")?;
            let patterns = PatternOptions::regex().size_limit(size);
            let mut options = jsonschema::options().with_pattern_options(patterns);
            if schema.get("$schema").is_none() {
                options = options.with_draft(Draft::Draft202012);
            }
            match options.build(schema) {
                Ok(validator) => return Ok(validator),
                Err(error) => fault = fault_of(&error),
            }
            if count == 0 {
                break;
            }
        }
        Err(fault)
    }
}

/// How many different expressions a schema may have; whatever could be one counts.
fn count_of(schema: &Value) -> usize {
    let mut expressions = HashSet::new();
    let mut waiting = vec![schema];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(members) => {
                expressions.extend(members.get("pattern").and_then(Value::as_str));
                let named = members.get("patternProperties").and_then(Value::as_object);
                expressions.extend(named.into_iter().flatten().map(|(expression, _)| expression.as_str()));
                waiting.extend(members.values());
            }
            Value::Array(items) => waiting.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    expressions.len()
}
