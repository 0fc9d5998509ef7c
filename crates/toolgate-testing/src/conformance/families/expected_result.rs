//! The result of a call as a pipeline case expects it.

use serde::Deserialize;
use serde_json::Value;
use toolgate::{ContentBlock, ErrorInfo, JsonValue, ToolExecutionResult, ToolFailure};

use super::super::cases::{CaseValue, present};
use super::super::compare::Comparison;
use super::super::script::context_names;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExpectedResult {
    pub(super) call: String,
    is_error: bool,
    #[serde(default, deserialize_with = "present")]
    value: Option<CaseValue>,
    error: Option<ExpectedError>,
    content: Vec<Value>,
    #[serde(default, deserialize_with = "present")]
    meta: Option<CaseValue>,
    contexts: Vec<String>,
    concludes_turn: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedError {
    /// `null` where the failure has no structured information.
    #[serde(deserialize_with = "Option::deserialize")]
    code: Option<String>,
    name: Option<String>,
    message: Option<String>,
}

impl ExpectedResult {
    pub(super) fn compare(&self, got: &ToolExecutionResult, comparison: &mut Comparison) {
        let place = |field: &str| format!("results[{}].{field}", self.call);
        comparison.json(&place("isError"), &Value::from(self.is_error), &Value::from(got.is_error()));
        let value = self.value.as_ref().map(CaseValue::as_value);
        comparison.optional(&place("value"), value, got.value().map(JsonValue::as_value));
        match (&self.error, got.error()) {
            (Some(expected), Some(got)) => expected.compare(&place("error"), got, comparison),
            (None, Some(got)) => comparison.differs(place("error"), "(absent)", got.message()),
            (Some(_), None) => comparison.differs(place("error"), "a failure", "(absent)"),
            (None, None) => {}
        }
        let message = got.error().map(ToolFailure::message);
        compare_content(&place("content"), &self.content, got.content(), message, comparison);
        let meta = self.meta.as_ref().map(CaseValue::as_value);
        comparison.optional(&place("meta"), meta, got.meta().map(JsonValue::as_value));
        comparison.lines(&place("contexts"), &self.contexts, &context_names(got.additional_contexts()));
        let concludes = Value::from(got.concludes_turn());
        comparison.json(&place("concludesTurn"), &Value::from(self.concludes_turn), &concludes);
    }
}

impl ExpectedError {
    fn compare(&self, place: &str, got: &ToolFailure, comparison: &mut Comparison) {
        let mut compare = |field: &str, expected: Option<&String>, got: Option<&str>| {
            let expected = expected.map_or(Value::Null, |text| Value::from(text.as_str()));
            comparison.json(&format!("{place}.{field}"), &expected, &got.map_or(Value::Null, Value::from));
        };
        compare("code", self.code.as_ref(), got.code());
        if self.name.is_some() {
            compare("name", self.name.as_ref(), got.info().map(ErrorInfo::name));
        }
        if self.message.is_some() {
            compare("message", self.message.as_ref(), Some(got.message()));
        }
    }
}

/// Compares content with blocks and matchers. `message` is that of the failure whose content it is.
pub(super) fn compare_content(
    place: &str,
    expected: &[Value],
    got: &[ContentBlock],
    message: Option<&str>,
    comparison: &mut Comparison,
) {
    if !content_matches(expected, got, message) {
        let got = JsonValue::encode(got).map_or_else(|error| error.to_string(), |got| got.to_text());
        comparison.differs(place, &Value::from(expected.to_vec()).to_string(), &got);
    }
}

/// Whether content is what blocks and matchers expect.
pub(super) fn content_matches(expected: &[Value], got: &[ContentBlock], message: Option<&str>) -> bool {
    expected.len() == got.len()
        && expected.iter().zip(got).all(|(expected, got)| block_matches(expected, got, message))
}

/// Whether a block is the one expected, or is what a matcher in its place stands for.
fn block_matches(expected: &Value, got: &ContentBlock, message: Option<&str>) -> bool {
    let text = got.as_text().filter(|_| got.kind() == "text");
    let is = |matcher: &str| expected.get(matcher) == Some(&Value::Bool(true));
    if is("$envelope") {
        message.is_some() && text.and_then(|text| text.strip_prefix("Error: ")) == message
    } else if is("$anyError") {
        text.is_some_and(|text| text.starts_with("Error: "))
    } else if is("$anyText") {
        text.is_some()
    } else {
        JsonValue::encode(got).is_ok_and(|got| got == *expected)
    }
}
