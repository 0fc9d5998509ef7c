//! One step's calls on the ordered lane (rules Q1–Q5), each in the log before it enters the pipeline and after it is
//! settled.
//!
//! Called by the turn with what the model asked for. It decides nothing about a call: that is the pipeline's.

use std::collections::HashMap;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;

use futures_util::stream;
use toolgate::schedule::{Lane, LaneWork};
use toolgate::{
    CallId, CancellationToken, DispatchedCall, JsonValue, Scope, ToolCall, ToolError, ToolExecutionMode,
    ToolExecutionResult, UncheckedJson,
};
use toolgate_session::{Event, LogError, RecordedError, RequestedCall, ToolCallRecorded, ToolResultRecorded};

use crate::arguments::{Normalization, read_arguments};
use crate::body_log::Attempts;
use crate::recorder::Recorder;

/// What a step needs besides its calls.
pub(crate) struct Step<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) recorder: &'a Recorder,
    pub(crate) attempts: &'a Attempts,
    /// Results of then, where nothing is to be run.
    pub(crate) recorded: Option<&'a HashMap<CallId, ToolResultRecorded>>,
    /// The call whose tree these calls belong to, where this is a sub-agent.
    pub(crate) root: Option<&'a CallId>,
    /// The settled results, in model order.
    pub(crate) results: Vec<ToolResultRecorded>,
}

/// A call that was not made yet.
pub(crate) struct Planned {
    call: ToolCall,
    record: ToolCallRecorded,
}

impl Planned {
    /// Reads the arguments of what the model asks for. A text that is no object of arguments makes a call that fails at the
    /// boundary, so that observers and the log see it like any other.
    fn new(requested: &RequestedCall, is_cut_off: bool, step: &Step<'_>, stop: &CancellationToken) -> Self {
        let scope = step.scope;
        let read = read_arguments(&requested.arguments, is_cut_off);
        let (arguments, value, normalized) = match read {
            Ok(read) => (UncheckedJson::from(read.value.clone()), read.value, read.normalized),
            Err(refused) => (UncheckedJson::unreadable(refused.to_string()), JsonValue::null(), None),
        };
        let call = ToolCall::new(requested.name.as_str(), arguments, stop.clone())
            .with_id(requested.call_id.clone())
            .in_scope(scope.clone());
        let call = match step.root {
            Some(root) => call.with_root(root.clone()),
            None => call,
        };
        let record = ToolCallRecorded {
            call_id: requested.call_id.clone(),
            name: requested.name.clone(),
            arguments: value,
            normalized: normalized.map(Normalization::as_str).map(str::to_owned).into_iter().collect(),
            effect: scope.get(&requested.name).map(|tool| tool.effect()),
        };
        Self { call, record }
    }
}

/// A call that has come to rest.
pub(crate) enum Rested {
    Dispatched(Box<DispatchedCall>),
    Recorded(Box<ToolResultRecorded>),
}

/// What a replay says of a call that nobody made then.
fn never_recorded() -> ToolExecutionResult {
    ToolExecutionResult::failure(ToolError::new("the log holds no result of this call"))
}

impl Step<'_> {
    /// Makes the calls of one answer. `is_cut_off` says that the answer ended at the limit of its output.
    pub(crate) async fn run(
        &mut self,
        calls: &[RequestedCall],
        is_cut_off: bool,
        cap: NonZeroUsize,
        stop: &CancellationToken,
    ) -> Result<(), LogError> {
        let last = calls.len().saturating_sub(1);
        let planned: Vec<Planned> = calls
            .iter()
            .enumerate()
            .map(|(place, call)| Planned::new(call, is_cut_off && place == last, self, stop))
            .collect();
        Lane::new(cap, stop.clone()).run(stream::iter(planned), self).await
    }
}

impl LaneWork for Step<'_> {
    type Call = Planned;
    type Running = Pin<Box<dyn Future<Output = Rested> + Send>>;
    type Done = Rested;
    type Error = LogError;

    fn mode(&mut self, planned: &Planned) -> ToolExecutionMode {
        self.scope.execution_mode(&planned.call)
    }

    async fn start(&mut self, planned: Planned) -> Result<Self::Running, LogError> {
        let Planned { call, record } = planned;
        self.recorder.append(Event::ToolCall(record)).await?;
        if let Some(recorded) = self.recorded {
            let record = recorded.get(call.id()).cloned();
            let record = record.unwrap_or_else(|| recorded_result(call.id().clone(), &never_recorded()));
            return Ok(Box::pin(std::future::ready(Rested::Recorded(Box::new(record)))));
        }
        let prepared = self.scope.prepare(call).await;
        Ok(Box::pin(async { Rested::Dispatched(Box::new(prepared.dispatch().await)) }))
    }

    async fn commit(&mut self, rested: Rested) -> Result<(), LogError> {
        let record = match rested {
            Rested::Recorded(record) => *record,
            Rested::Dispatched(done) => {
                let call = done.call().clone();
                let result = done.finish().await;
                self.attempts.forget(call.token());
                recorded_result(call.call_id().clone(), &result)
            }
        };
        let call_id = record.call_id.clone();
        let record = match self.recorder.append(Event::ToolResult(record.clone())).await {
            Ok(()) => record,
            // The call keeps its one result, which says that the other was lost.
            Err(LogError::TooLarge { bytes, .. }) => {
                let record = too_large(call_id, bytes);
                self.recorder.append(Event::ToolResult(record.clone())).await?;
                record
            }
            Err(error @ (LogError::Failed(_) | LogError::Crowded | LogError::Closed)) => return Err(error),
        };
        self.results.push(record);
        Ok(())
    }

    async fn skip(&mut self, planned: Planned) -> Result<(), LogError> {
        let result = recorded_result(planned.record.call_id.clone(), &ToolExecutionResult::not_started());
        let pair = vec![Event::ToolCall(planned.record), Event::ToolResult(result.clone())];
        self.recorder.append_all(pair).await?;
        self.results.push(result);
        Ok(())
    }
}

/// The durable part of a result (rule P21).
fn recorded_result(call_id: CallId, result: &ToolExecutionResult) -> ToolResultRecorded {
    ToolResultRecorded {
        call_id,
        content: result.content().to_vec(),
        error: result.error().map(|error| RecordedError {
            message: error.message().to_owned(),
            name: error.info().map(|info| info.name().to_owned()),
            code: error.code().map(str::to_owned),
            cause: error.cause().as_str().to_owned(),
        }),
        meta: result.meta().cloned(),
        contexts: result.additional_contexts().to_vec(),
        concludes_turn: result.concludes_turn(),
        settlement: None,
    }
}

/// The result of a call whose own result no log keeps.
fn too_large(call_id: CallId, bytes: usize) -> ToolResultRecorded {
    let message = format!(
        "the tool succeeded or failed with a result of {bytes} bytes, which is more than is kept; what it did remains\n         hint: ask for less at once"
    );
    recorded_result(call_id, &ToolExecutionResult::failure(ToolError::new(message)))
}
