//! After dispatch: inspect the result, replace one projection of it, attach context, or block it.

use std::future::Future;

use super::{HookResult, Next, stage::Post};
use crate::tool::{BoxFuture, ContentBlock, UserMessage};
use crate::{JsonValue, ToolExecution, ToolExecutionResult};

/// What a post-execute listener decides (rule P16).
#[derive(Clone, Debug, PartialEq)]
pub enum PostToolDecision {
    /// Let the result pass, possibly with one projection replaced.
    Accept {
        /// What is replaced.
        replacement: Replacement,
        /// Messages for the next model request, after those of the result.
        additional_contexts: Vec<UserMessage>,
    },
    /// Turn the result into a failure whose content is the feedback. The value and the result's own contexts go.
    Block {
        /// What the model reads instead.
        feedback: Vec<ContentBlock>,
        /// Messages for the next model request.
        additional_contexts: Vec<UserMessage>,
    },
}

/// What an accepting decision puts in the place of the result's own. Replacing both content and value is not
/// possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Replacement {
    /// Nothing.
    Nothing,
    /// What the model reads; value and metadata stay. This is presentation: a program still gets the value.
    Content(Vec<ContentBlock>),
    /// The value. It is validated again, and content and metadata are made anew. On a failure this is an error.
    Value(JsonValue),
}

impl PostToolDecision {
    /// Accepts the result as it is.
    #[must_use]
    pub fn accept() -> Self {
        Self::Accept { replacement: Replacement::Nothing, additional_contexts: Vec::new() }
    }

    /// Accepts the result with other content.
    #[must_use]
    pub fn replace_content(content: Vec<ContentBlock>) -> Self {
        Self::Accept { replacement: Replacement::Content(content), additional_contexts: Vec::new() }
    }

    /// Accepts the result with another value.
    #[must_use]
    pub fn replace_value(value: JsonValue) -> Self {
        Self::Accept { replacement: Replacement::Value(value), additional_contexts: Vec::new() }
    }

    /// Blocks the result.
    #[must_use]
    pub fn block(feedback: Vec<ContentBlock>) -> Self {
        Self::Block { feedback, additional_contexts: Vec::new() }
    }

    /// The messages that the decision attaches.
    #[must_use]
    pub fn additional_contexts(&self) -> &[UserMessage] {
        match self {
            Self::Accept { additional_contexts, .. } | Self::Block { additional_contexts, .. } => {
                additional_contexts
            }
        }
    }

    /// The same decision with these messages in place of its own.
    #[must_use]
    pub fn with_contexts(mut self, contexts: Vec<UserMessage>) -> Self {
        match &mut self {
            Self::Accept { additional_contexts, .. } | Self::Block { additional_contexts, .. } => {
                *additional_contexts = contexts;
            }
        }
        self
    }
}

/// A listener after dispatch. Implement it with `async fn post_execute`. Failures and denials reach it as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a listener",
    note = "write a type that implements `PostExecute` with `async fn post_execute(…)`; a closure cannot borrow across its awaits"
)]
pub trait PostExecute: Send + Sync + 'static {
    /// Decides about `result`, or delegates with `next.run().await`.
    ///
    /// # Errors
    /// Anything that keeps the listener from deciding. The call then fails closed, unless a listener further out
    /// handles the error that its `next` gave.
    fn post_execute(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> impl Future<Output = HookResult<PostToolDecision>> + Send;
}

/// The same with its future boxed.
pub trait DynPostExecute: Send + Sync {
    /// The hook's type, for operators.
    fn type_name(&self) -> &'static str;

    fn post_execute<'a>(
        &'a self,
        call: &'a ToolExecution,
        result: &'a ToolExecutionResult,
        next: Next<'a, Post>,
    ) -> BoxFuture<'a, HookResult<PostToolDecision>>;
}

impl<L: PostExecute> DynPostExecute for L {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    fn post_execute<'a>(
        &'a self,
        call: &'a ToolExecution,
        result: &'a ToolExecutionResult,
        next: Next<'a, Post>,
    ) -> BoxFuture<'a, HookResult<PostToolDecision>> {
        Box::pin(PostExecute::post_execute(self, call, result, next))
    }
}
