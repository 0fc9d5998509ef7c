//! The calls of one model step, run through the pipeline on a lane.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use futures_util::stream;

use super::lane::{Lane, LaneWork};
use super::mode::ToolExecutionMode;
use crate::tool::BoxFuture;
use crate::{CallId, Cancellation, DispatchedCall, ToolCall, ToolExecutionResult, ToolRuntime};

/// The result of one call of a batch.
#[derive(Clone, Debug)]
pub struct BatchResult {
    /// The call.
    pub call: CallId,
    /// Its result.
    pub result: ToolExecutionResult,
    /// Whether the call entered the pipeline. One that did not has a synthetic `ABORTED_BEFORE_DISPATCH` (rule Q3),
    /// which no observer saw.
    pub was_started: bool,
}

/// The calls of one model step; made by `Scope::batch` and `ToolRuntime::batch`.
#[derive(Debug)]
#[must_use = "a batch does nothing until it is run"]
pub struct CallBatch {
    runtime: ToolRuntime,
    calls: Vec<ToolCall>,
    cap: NonZeroUsize,
    cancellation: Cancellation,
}

impl CallBatch {
    pub(crate) fn new(runtime: &ToolRuntime, calls: Vec<ToolCall>, cancellation: Cancellation) -> Self {
        Self { runtime: runtime.clone(), calls, cap: Lane::DEFAULT_CAP, cancellation }
    }

    /// The same batch, in which at most `cap` calls overlap.
    pub fn with_cap(mut self, cap: NonZeroUsize) -> Self {
        self.cap = cap;
        self
    }

    /// Runs the batch. To stop it, cancel it and await it; dropping the future drops its calls, as dropping a call's
    /// future does. `on_commit` sees each result as it enters the record; results come in model order, and every
    /// call has exactly one.
    pub async fn run(self, on_commit: impl FnMut(&BatchResult) + Send) -> Vec<BatchResult> {
        let mut work =
            BatchWork { runtime: self.runtime, results: Vec::with_capacity(self.calls.len()), on_commit };
        let lane = Lane::new(self.cap, self.cancellation);
        match lane.run(stream::iter(self.calls), &mut work).await {
            Ok(()) => work.results,
            Err(never) => match never {},
        }
    }
}

struct BatchWork<F> {
    runtime: ToolRuntime,
    results: Vec<BatchResult>,
    on_commit: F,
}

impl<F: FnMut(&BatchResult) + Send> BatchWork<F> {
    fn record(&mut self, result: BatchResult) {
        (self.on_commit)(&result);
        self.results.push(result);
    }
}

impl<F: FnMut(&BatchResult) + Send> LaneWork for BatchWork<F> {
    type Call = ToolCall;
    type Running = BoxFuture<'static, DispatchedCall>;
    type Done = DispatchedCall;
    type Error = Infallible;

    fn mode(&mut self, call: &ToolCall) -> ToolExecutionMode {
        self.runtime.execution_mode(call)
    }

    async fn start(&mut self, call: ToolCall) -> Result<Self::Running, Infallible> {
        let prepared = self.runtime.prepare(call).await;
        Ok(Box::pin(prepared.dispatch()))
    }

    async fn commit(&mut self, done: DispatchedCall) -> Result<(), Infallible> {
        let call = done.call().call_id().clone();
        let result = done.finish().await;
        self.record(BatchResult { call, result, was_started: true });
        Ok(())
    }

    async fn skip(&mut self, call: ToolCall) -> Result<(), Infallible> {
        let result = ToolExecutionResult::not_started();
        self.record(BatchResult { call: call.id, result, was_started: false });
        Ok(())
    }
}
