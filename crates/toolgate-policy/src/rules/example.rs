//! The examples that rules carry, as calls.

use std::fmt;

use serde_json::{Map, Value};

use super::call_pattern::{CallPattern, Place};
use super::config::ExampleConfig;
use super::subject::Subject;

/// An example as a call.
pub(super) struct Example {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl Example {
    /// Reads an example of a rule.
    ///
    /// # Errors
    /// It leaves open which tool or argument is meant; in words, with a hint.
    pub(super) fn read(example: &ExampleConfig, pattern: &CallPattern) -> Result<Self, String> {
        match example {
            ExampleConfig::Text(text) => Self::of_text(text, pattern),
            ExampleConfig::Call(call) => {
                let tool = call.tool.as_deref().or_else(|| pattern.tool.literal());
                let Some(tool) = tool else {
                    return Err("an example does not say its tool; hint: add `tool = \"…\"` to it".to_owned());
                };
                Ok(Self { tool: tool.to_owned(), arguments: Value::Object(call.arguments.clone()) })
            }
        }
    }

    fn of_text(text: &str, pattern: &CallPattern) -> Result<Self, String> {
        if pattern.conditions.is_empty()
            && pattern.tool.literal().is_none_or(|tool| Subject::of(tool).is_none())
        {
            return Ok(Self { tool: text.to_owned(), arguments: Value::Object(Map::new()) });
        }
        let subject = match (pattern.conditions.as_slice(), pattern.tool.literal()) {
            ([condition], Some(tool)) => match condition.place {
                Place::Subject(subject) => Some((tool, subject)),
                Place::Pointer(_) => None,
            },
            ([], Some(tool)) => Subject::of(tool).map(|subject| (tool, subject)),
            (_, Some(_) | None) => None,
        };
        let Some((tool, subject)) = subject else {
            return Err(format!(
                "the example {text:?} does not say which argument it is; hint: write `{{ arguments = {{ … }} }}`"
            ));
        };
        let fields = [(subject.argument().to_owned(), Value::from(text))];
        Ok(Self { tool: tool.to_owned(), arguments: Value::Object(fields.into_iter().collect()) })
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{} {}`", self.tool, self.arguments)
    }
}
