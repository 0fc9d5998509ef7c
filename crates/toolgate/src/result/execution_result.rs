//! The outcome of one call, as wrappers, post policy, observers and the caller see it.

use std::sync::Arc;

use super::{FailureCause, ToolFailure};
use crate::tool::{ContentBlock, Produced, UserMessage};
use crate::{ExecutionToken, JsonValue, ToolError};

/// Whether a call succeeded, and what only one of the two has.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    /// The tool did its work.
    Success {
        /// The canonical value. It lives for this execution only and is never stored (rule P21).
        value: JsonValue,
        /// Whether the agent's turn ends with this batch (rule P20).
        concludes_turn: bool,
    },
    /// The call failed; there is no value.
    Failure {
        /// Why.
        error: ToolFailure,
    },
}

/// The result of one call.
///
/// Cheap to clone. A changed copy is no longer the result that the registry made: a wrapper that gives it back has
/// its value validated and rendered again (rule P11).
#[derive(Clone, Debug, PartialEq)]
pub struct ToolExecutionResult {
    outcome: ToolOutcome,
    content: Arc<[ContentBlock]>,
    meta: Option<JsonValue>,
    additional_contexts: Vec<UserMessage>,
    origin: Option<ExecutionToken>,
}

impl ToolExecutionResult {
    /// A success of a wrapper that answers without the body. Content and metadata come from the tool's own output
    /// declaration, to which the value must conform.
    #[must_use]
    pub fn success(value: JsonValue) -> Self {
        Self::new(ToolOutcome::Success { value, concludes_turn: false }, Arc::new([]))
    }

    /// A failure of a wrapper. Its content is `Error: ` and the message until [`with_content`](Self::with_content)
    /// replaces it.
    #[must_use]
    pub fn failure(error: ToolError) -> Self {
        Self::from_failure(ToolFailure::from_error(error, FailureCause::WrapperFailed))
    }

    /// Success or failure, with what belongs to it.
    #[must_use]
    pub fn outcome(&self) -> &ToolOutcome {
        &self.outcome
    }

    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self.outcome, ToolOutcome::Failure { .. })
    }

    /// The canonical value of a success.
    #[must_use]
    pub fn value(&self) -> Option<&JsonValue> {
        match &self.outcome {
            ToolOutcome::Success { value, .. } => Some(value),
            ToolOutcome::Failure { .. } => None,
        }
    }

    /// Why the call failed.
    #[must_use]
    pub fn error(&self) -> Option<&ToolFailure> {
        match &self.outcome {
            ToolOutcome::Success { .. } => None,
            ToolOutcome::Failure { error } => Some(error),
        }
    }

    /// The code of a failure that has one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.error().and_then(ToolFailure::code)
    }

    /// Whether this success ends the agent's turn.
    #[must_use]
    pub fn concludes_turn(&self) -> bool {
        matches!(self.outcome, ToolOutcome::Success { concludes_turn: true, .. })
    }

    /// What the model reads.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    /// The text blocks of the content, joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        joined_text(&self.content)
    }

    /// Presentation metadata of the tool, for cards.
    #[must_use]
    pub fn meta(&self) -> Option<&JsonValue> {
        self.meta.as_ref()
    }

    /// Messages for the next model request, in order.
    #[must_use]
    pub fn additional_contexts(&self) -> &[UserMessage] {
        &self.additional_contexts
    }

    /// This result with other content.
    #[must_use]
    pub fn with_content(mut self, content: Vec<ContentBlock>) -> Self {
        self.content = content.into();
        self.changed()
    }

    /// This result with other presentation metadata.
    #[must_use]
    pub fn with_meta(mut self, meta: Option<JsonValue>) -> Self {
        self.meta = meta;
        self.changed()
    }

    /// This result, as a success of another value. On a failure it is the failure that goes away.
    #[must_use]
    pub fn with_value(mut self, value: JsonValue) -> Self {
        let concludes_turn = self.concludes_turn();
        self.outcome = ToolOutcome::Success { value, concludes_turn };
        self.changed()
    }

    /// This result with one more message for the next model request.
    #[must_use]
    pub fn with_context(mut self, context: UserMessage) -> Self {
        self.additional_contexts.push(context);
        self.changed()
    }

    /// This success, ending the agent's turn. A failure cannot and stays as it is.
    #[must_use]
    pub fn concluding_turn(mut self) -> Self {
        if let ToolOutcome::Success { concludes_turn, .. } = &mut self.outcome {
            *concludes_turn = true;
        }
        self.changed()
    }

    /// The whole result as one line of JSON: `isError`, `value` or `error`, `content`, and where there are some
    /// `meta`, `additionalContexts` and `concludesTurn`. Works at any depth.
    #[must_use]
    pub fn to_record_text(&self) -> String {
        super::record::text_of(self)
    }

    fn new(outcome: ToolOutcome, content: Arc<[ContentBlock]>) -> Self {
        Self { outcome, content, meta: None, additional_contexts: Vec::new(), origin: None }
    }

    fn changed(mut self) -> Self {
        self.origin = None;
        self
    }

    pub(crate) fn from_failure(error: ToolFailure) -> Self {
        let content = Arc::new([ContentBlock::text(format!("Error: {}", error.message()))]);
        Self::new(ToolOutcome::Failure { error }, content)
    }

    pub(crate) fn from_produced(produced: Produced, concludes_turn: bool) -> Self {
        let Produced { value, content, meta } = produced;
        Self { meta, ..Self::new(ToolOutcome::Success { value, concludes_turn }, content) }
    }

    /// The result of a call that a lane skipped, because it was cancelled first (rule Q3): for the schedulers of calls.
    /// Such a call never entered the pipeline, and no observer saw it.
    #[must_use]
    pub fn not_started() -> Self {
        Self::from_failure(ToolFailure::aborted(false))
    }

    pub(crate) fn made_for(mut self, token: ExecutionToken) -> Self {
        self.origin = Some(token);
        self
    }

    pub(crate) fn is_made_for(&self, token: ExecutionToken) -> bool {
        self.origin == Some(token)
    }

    pub(crate) fn with_contexts(mut self, contexts: Vec<UserMessage>) -> Self {
        self.additional_contexts = contexts;
        self
    }

    pub(crate) fn take_contexts(&mut self) -> Vec<UserMessage> {
        std::mem::take(&mut self.additional_contexts)
    }

    pub(crate) fn replace_content(&mut self, content: Arc<[ContentBlock]>) {
        self.content = content;
    }
}

/// The text blocks of some content, joined by newlines.
pub(crate) fn joined_text(content: &[ContentBlock]) -> String {
    let mut text = String::new();
    for part in content.iter().filter_map(ContentBlock::as_text) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}
