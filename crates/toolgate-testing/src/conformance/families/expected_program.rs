//! What a code-mode case expects of its runs, and what was seen of them.

use serde::Deserialize;
use serde_json::Value;
use toolgate::{ContentBlock, JsonValue, ToolExecutionResult, ToolFailure, UserMessage};
use toolgate_sandbox::Outcome;

use super::super::cases::{CaseValue, Malformed, copy, present};
use super::super::compare::Comparison;
use super::code_record::ExpectedDispatch;
use super::constraint::Constraint;
use super::expected_result::{compare_content, content_matches};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) runs: Vec<ExpectedRun>,
    pub(super) dispatches: Vec<ExpectedDispatch>,
    #[serde(default)]
    pub(super) constraints: Vec<Constraint>,
    pub(super) trace: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExpectedRun {
    call: String,
    is_error: bool,
    code: Option<String>,
    message: Option<String>,
    failure: Option<ExpectedFailure>,
    /// Absent: not compared.
    logs: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: Option<CaseValue>,
    #[serde(default, deserialize_with = "present")]
    value: Option<CaseValue>,
    /// Absent: not compared.
    content: Option<Vec<Value>>,
    contexts: Vec<ExpectedContext>,
    concludes_turn: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFailure {
    kind: String,
    #[serde(default)]
    mentions: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ExpectedContext {
    Named(String),
    Forwarded(ForwardedContent),
}

/// Content of a sub-call that is carried along.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ForwardedContent {
    forwarded_content: Vec<Value>,
}

/// What only one of the two sorts of runs has.
#[derive(Default)]
pub(super) struct Seen<'a> {
    logs: Option<Value>,
    result: Option<&'a Value>,
    failure: Option<&'static str>,
    value: Option<&'a Value>,
}

impl<'a> Seen<'a> {
    /// Of a direct call.
    pub(super) fn of_call(result: &'a ToolExecutionResult) -> Self {
        Self { value: result.value().map(JsonValue::as_value), ..Self::default() }
    }

    /// Of a program. What a failed one had printed, only the log is told.
    pub(super) fn of_program(result: &'a ToolExecutionResult, outcome: Option<&Outcome>) -> Self {
        let failure = outcome.and_then(|outcome| outcome.failure.as_ref());
        let failure = failure.map(|failure| failure.kind.as_str());
        match result.value() {
            Some(value) => {
                Self { logs: value.get("logs").cloned(), result: value.get("result"), failure, value: None }
            }
            None => Self {
                logs: outcome.map(|outcome| outcome.logs.iter().map(String::as_str).collect()),
                failure,
                ..Self::default()
            },
        }
    }
}

impl Expected {
    /// Refuses expectations that could never be compared.
    pub(super) fn check_form<'a>(
        &self,
        runs: impl Iterator<Item = &'a str>,
        is_traced: bool,
    ) -> Result<(), Malformed> {
        if !runs.eq(self.runs.iter().map(|run| run.call.as_str())) {
            return Err(Malformed::new("`expect.runs` must have one entry for each run, in order"));
        }
        if self.trace.is_some() != is_traced {
            return Err(Malformed::new("`expect.trace` goes with `traced`"));
        }
        self.constraints.iter().try_for_each(|constraint| constraint.refuse(&["commit"]))
    }
}

impl ExpectedRun {
    pub(super) fn compare(
        &self,
        got: &ToolExecutionResult,
        seen: &Seen<'_>,
        mentions: &[String],
        comparison: &mut Comparison,
    ) {
        let place = |field: &str| format!("runs[{}].{field}", self.call);
        let text = |text: &str| Value::from(text);
        comparison.json(&place("isError"), &Value::from(self.is_error), &Value::from(got.is_error()));
        let code = self.code.as_deref().map(text);
        comparison.optional(&place("code"), code.as_ref(), got.code().map(text).as_ref());
        let message = got.error().map(ToolFailure::message);
        if let Some(expected) = &self.message {
            comparison.optional(&place("message"), Some(&text(expected)), message.map(text).as_ref());
        }
        let kind = self.failure.as_ref().map(|failure| text(&failure.kind));
        comparison.optional(&place("failure.kind"), kind.as_ref(), seen.failure.map(text).as_ref());
        let expected = self.failure.iter().flat_map(|failure| &failure.mentions);
        for words in expected.chain(mentions) {
            if !message.is_some_and(|message| message.contains(words)) {
                comparison.differs(place("failure.mentions"), words, message.unwrap_or("(absent)"));
            }
        }
        if self.logs.is_some() {
            comparison.optional(&place("logs"), self.logs.as_ref(), seen.logs.as_ref());
        }
        let result = self.result.as_ref().map(CaseValue::as_value);
        comparison.optional(&place("result"), result, seen.result);
        comparison.optional(&place("value"), self.value.as_ref().map(CaseValue::as_value), seen.value);
        if let Some(content) = &self.content {
            compare_content(&place("content"), content, got.content(), message, comparison);
        }
        let contexts: Vec<_> = self.contexts.iter().map(ExpectedContext::to_line).collect();
        let got_contexts: Vec<_> = got
            .additional_contexts()
            .iter()
            .enumerate()
            .map(|(index, got)| {
                self.contexts.get(index).map_or_else(|| name_of(got), |expected| expected.line_of(got))
            })
            .collect();
        comparison.lines(&place("contexts"), &contexts, &got_contexts);
        let concludes = Value::from(got.concludes_turn());
        comparison.json(&place("concludesTurn"), &Value::from(self.concludes_turn), &concludes);
    }
}

impl ExpectedContext {
    fn to_line(&self) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::Forwarded(expected) => copy(&Value::from(expected.forwarded_content.clone())).to_string(),
        }
    }

    /// The line of the message that was got in its place: the same where it is the one expected.
    fn line_of(&self, got: &UserMessage) -> String {
        match self {
            Self::Named(_) => name_of(got),
            Self::Forwarded(expected)
                if content_matches(&expected.forwarded_content, got.content(), None) =>
            {
                self.to_line()
            }
            Self::Forwarded(_) => content_text(got.content()),
        }
    }
}

fn name_of(message: &UserMessage) -> String {
    message.source().to_owned()
}

fn content_text(content: &[ContentBlock]) -> String {
    JsonValue::encode(content).map_or_else(|error| error.to_string(), |content| content.to_text())
}
