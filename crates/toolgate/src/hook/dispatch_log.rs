//! The durable copy of a program's sub-call: what the log keeps of its content (rule C5).

use std::future::Future;

use super::{HookResult, Next, stage::DispatchLog};
use crate::tool::{BoxFuture, ContentBlock};
use crate::{CallId, JsonValue, Scope, ToolExecution};

/// A settled sub-call of a `run_code` program that is about to be logged.
///
/// Only the logged copy of the content can be changed: the program has its value already, and the model sees neither.
#[derive(Clone, Debug)]
pub struct CodeDispatchLog {
    /// The outer execution of `run_code`.
    pub outer: ToolExecution,
    /// The sub-call, `<parent>:code:<n>`.
    pub sub_call_id: CallId,
    /// The tool that was called.
    pub name: String,
    /// The arguments it was called with.
    pub arguments: JsonValue,
    /// Whether the sub-call failed.
    pub is_error: bool,
    /// The sub-call's complete content: what is logged unless a listener says otherwise.
    pub content: Vec<ContentBlock>,
}

impl CodeDispatchLog {
    /// The scope of the agent on whose behalf the program runs.
    #[must_use]
    pub fn agent(&self) -> Option<&Scope> {
        self.outer.scope()
    }
}

/// A listener that may keep another copy in the log, such as a preview and a place to find the rest. Implement it with
/// `async fn log_content`.
pub trait CodeDispatchLogListener: Send + Sync + 'static {
    /// Gives the content to log, or delegates with `next.run().await`. An error falls back to the original.
    fn log_content(
        &self,
        dispatch: &CodeDispatchLog,
        next: Next<'_, DispatchLog>,
    ) -> impl Future<Output = HookResult<Vec<ContentBlock>>> + Send;
}

/// The same with its future boxed.
pub trait DynCodeDispatchLogListener: Send + Sync {
    /// The hook's type, for operators.
    fn type_name(&self) -> &'static str;

    fn log_content<'a>(
        &'a self,
        dispatch: &'a CodeDispatchLog,
        next: Next<'a, DispatchLog>,
    ) -> BoxFuture<'a, HookResult<Vec<ContentBlock>>>;
}

impl<L: CodeDispatchLogListener> DynCodeDispatchLogListener for L {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    fn log_content<'a>(
        &'a self,
        dispatch: &'a CodeDispatchLog,
        next: Next<'a, DispatchLog>,
    ) -> BoxFuture<'a, HookResult<Vec<ContentBlock>>> {
        Box::pin(CodeDispatchLogListener::log_content(self, dispatch, next))
    }
}
