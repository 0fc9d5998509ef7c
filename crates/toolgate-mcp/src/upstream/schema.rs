//! The whole of JSON Schema, for schemas of servers: arguments before they leave, and structured results that the enforced
//! subset cannot describe (rule S7).
//!
//! The work is bounded: a value has at most 120 levels, a schema that would let the checker go round in circles is refused
//! before it is used, and so is a value that a schema would have looked at too often. The regular expressions of a server
//! have a bound together (`patterns`).

use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use toolgate::JsonValue;
use toolgate::text::shortened;

use super::offer::levels_exceed;
use super::patterns::Patterns;
use super::schema_cost::Cost;

/// Levels of a value that is checked, and that goes to a server.
pub(crate) const MOST_VALUE_LEVELS: usize = 120;
/// How many violations a message lists.
const SHOWN: usize = 10;
/// How much of one violation a message shows, in characters.
const SHOWN_CHARACTERS: usize = 300;

/// A schema in the draft that it names, 2020-12 where it names none.
pub(crate) struct FullSchema {
    validator: Validator,
    cost: Cost,
}

impl FullSchema {
    /// Compiles a schema, or says why it cannot be used. References leave the schema for the published drafts only;
    /// nothing is fetched.
    pub(crate) fn compile(schema: &JsonValue, patterns: &mut Patterns) -> Result<Self, String> {
        let cost = Cost::of(schema)?;
        let validator = patterns.compile(schema.as_value())?;
        Ok(Self { validator, cost })
    }

    /// Says what of a value is not as the schema says, in a bounded text.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        if levels_exceed(value, MOST_VALUE_LEVELS) {
            return Err(format!("the value has more than {MOST_VALUE_LEVELS} levels"));
        }
        self.cost.check(value)?;
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let mut violations: Vec<String> =
            self.validator.iter_errors(value).take(SHOWN + 1).map(|e| in_words(&e)).collect();
        if violations.len() > SHOWN {
            violations.truncate(SHOWN);
            violations.push("and more".to_owned());
        }
        Err(violations.join("; "))
    }
}

/// Why a schema cannot be compiled.
pub(super) fn fault_of(error: &ValidationError<'_>) -> String {
    shortened(&error.masked().to_string(), SHOWN_CHARACTERS)
}

/// One violation with its place. A small value is part of the text, a large one is not.
fn in_words(error: &ValidationError<'_>) -> String {
    let text = match &**error.instance() {
        Value::Null | Value::Bool(_) | Value::Number(_) => error.to_string(),
        Value::String(text) if text.len() <= 64 => error.to_string(),
        Value::String(_) | Value::Array(_) | Value::Object(_) => error.masked_with("the value").to_string(),
    };
    let text = shortened(&text, SHOWN_CHARACTERS);
    let path = error.instance_path().as_str();
    if path.is_empty() { text } else { format!("`{}`: {text}", dotted(path)) }
}

/// A JSON pointer as `items[3].name`.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for segment in pointer.split('/').skip(1) {
        if segment.bytes().all(|byte| byte.is_ascii_digit()) && !segment.is_empty() {
            path.push_str(&format!("[{segment}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&segment.replace("~1", "/").replace("~0", "~"));
        }
    }
    shortened(&path, SHOWN_CHARACTERS)
}
