//! Results in the words of a case: their outcome in the trace, their contexts by name, and results that a case wrote.

use serde::Deserialize;
use toolgate::{ContentBlock, ToolExecutionResult, UserMessage};

use super::super::cases::{CaseValue, Malformed, present};
use super::op::Failure;

/// The outcome as the trace writes it.
pub(super) fn outcome(result: &ToolExecutionResult) -> String {
    match (result.is_error(), result.code()) {
        (false, _) => "ok".to_owned(),
        (true, None) => "error".to_owned(),
        (true, Some(code)) => format!("error:{code}"),
    }
}

/// The message that a context name stands for.
pub(super) fn context(name: &str) -> UserMessage {
    UserMessage::text(name, format!("context {name}"))
}

pub(super) fn contexts(names: &[String]) -> Vec<UserMessage> {
    names.iter().map(|name| context(name)).collect()
}

/// The names of the messages that a result left.
pub(crate) fn context_names(contexts: &[UserMessage]) -> Vec<String> {
    contexts.iter().map(|context| context.source().to_owned()).collect()
}

/// A result that a wrapper answers with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AuthoredResult {
    is_error: bool,
    #[serde(default, deserialize_with = "present")]
    value: Option<CaseValue>,
    error: Option<Failure>,
    content: Option<Vec<ContentBlock>>,
    #[serde(default, deserialize_with = "present")]
    meta: Option<CaseValue>,
    #[serde(default)]
    contexts: Vec<String>,
    #[serde(default)]
    concludes_turn: bool,
}

impl AuthoredResult {
    pub(super) fn to_result(&self) -> Result<ToolExecutionResult, Malformed> {
        let mut result = match (self.is_error, &self.value, &self.error) {
            (false, Some(value), None) => ToolExecutionResult::success(value.to_lossless()?),
            (true, None, Some(error)) => ToolExecutionResult::failure(error.to_error()),
            _ => return Err(Malformed::new("an authored result has either `value` or `error`")),
        };
        if self.concludes_turn {
            result = result.concluding_turn();
        }
        Patch { content: self.content.as_ref(), meta: self.meta.as_ref(), contexts: &self.contexts }
            .apply(result)
    }
}

/// What is put into a result besides its value.
pub(super) struct Patch<'a> {
    pub(super) content: Option<&'a Vec<ContentBlock>>,
    pub(super) meta: Option<&'a CaseValue>,
    pub(super) contexts: &'a [String],
}

impl Patch<'_> {
    pub(super) fn apply(self, mut result: ToolExecutionResult) -> Result<ToolExecutionResult, Malformed> {
        if let Some(content) = self.content {
            result = result.with_content(content.clone());
        }
        if let Some(meta) = self.meta {
            result = result.with_meta(Some(meta.to_lossless()?));
        }
        Ok(contexts(self.contexts).into_iter().fold(result, ToolExecutionResult::with_context))
    }
}
