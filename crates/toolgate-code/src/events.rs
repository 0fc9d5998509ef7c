//! What a log is told of a program and its sub-calls (rule C5).
//!
//! Called by the bridge, in the order of the sub-calls. The durable log is somebody else's; this is its place.

use std::future::Future;

use toolgate::{CallId, ContentBlock, JsonValue, ToolError, ToolExecution};
use toolgate_sandbox::Outcome;

/// A sub-call is about to enter the pipeline: the event `tool/code-dispatch-start`.
#[derive(Clone, Debug)]
pub struct DispatchStarted {
    /// The execution of `run_code` that the program belongs to.
    pub outer: ToolExecution,
    /// The sub-call, `<parent>:code:<n>`.
    pub sub_call_id: CallId,
    /// The tool.
    pub tool: String,
    /// The arguments that will run.
    pub arguments: JsonValue,
}

/// A sub-call has settled: the event `tool/code-dispatch`.
#[derive(Clone, Debug)]
pub struct DispatchSettled {
    /// What was said at its start.
    pub started: DispatchStarted,
    /// Whether it failed.
    pub is_error: bool,
    /// Its complete content, or the copy that the `code-dispatch-log` listeners want to be kept.
    pub content: Vec<ContentBlock>,
}

/// Where the events of a run go. Runs of nobody's agent tell nothing.
///
/// An error of `started` or `settled` ends the run: nothing more is started, and what runs is awaited (rule Q4).
pub trait DispatchSink: Send + Sync + 'static {
    /// A sub-call is about to enter the pipeline.
    fn started(&self, event: &DispatchStarted) -> impl Future<Output = Result<(), ToolError>> + Send;

    /// A sub-call has settled; its program has not been told yet.
    fn settled(&self, event: &DispatchSettled) -> impl Future<Output = Result<(), ToolError>> + Send;

    /// The program has ended. Its sub-calls that still ran have settled.
    fn ended(&self, outer: &ToolExecution, outcome: &Outcome) -> impl Future<Output = ()> + Send {
        let _ = (outer, outcome);
        async {}
    }
}

/// A sink that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSink;

impl DispatchSink for NoSink {
    async fn started(&self, _event: &DispatchStarted) -> Result<(), ToolError> {
        Ok(())
    }

    async fn settled(&self, _event: &DispatchSettled) -> Result<(), ToolError> {
        Ok(())
    }
}
