//! Host calls of a sandbox as calls on the ordered lane (rules C3, C4, C6, C7).
//!
//! Made by a run, driven by the lane. It decides nothing about a call: policy, guards and hooks are the pipeline's.

use std::collections::BTreeMap;
use std::pin::Pin;

use tokio_util::sync::CancellationToken;
use toolgate::schedule::LaneWork;
use toolgate::{
    CallId, CodeDispatchLog, DispatchedCall, RunContext, ToolCall, ToolError, ToolExecutionMode,
    ToolExecutionResult, UserMessage,
};
use toolgate_sandbox::{HostCall, HostReply, Reply};

use crate::events::{DispatchSettled, DispatchSink, DispatchStarted};

/// The sub-calls of one run.
pub(crate) struct Bridge<'a, K> {
    cx: &'a RunContext,
    sink: &'a K,
    /// How each started or abandoned sub-call ended, by its number.
    fates: BTreeMap<u64, SubCall>,
}

/// One sub-call and its end.
pub(crate) struct SubCall {
    pub(crate) id: CallId,
    pub(crate) tool: String,
    pub(crate) fate: Fate,
}

/// How a sub-call ended.
pub(crate) enum Fate {
    NeverStarted,
    Succeeded,
    /// With its message.
    Failed(String),
}

/// A host call with the call that it becomes.
pub(crate) struct Submitted {
    number: u64,
    call: ToolCall,
    started: DispatchStarted,
    reply: Reply,
}

/// A sub-call whose body has come to rest.
pub(crate) struct Rested {
    number: u64,
    dispatched: DispatchedCall,
    started: DispatchStarted,
    reply: Reply,
}

impl<'a, K: DispatchSink> Bridge<'a, K> {
    pub(crate) fn new(cx: &'a RunContext, sink: &'a K) -> Self {
        Self { cx, sink, fates: BTreeMap::new() }
    }

    /// How the sub-call of a number ended.
    pub(crate) fn fate_of(&self, number: u64) -> Option<&SubCall> {
        self.fates.get(&number)
    }

    /// The sub-calls that entered the pipeline, as far as they have settled.
    pub(crate) fn started(&self) -> impl Iterator<Item = &SubCall> {
        self.fates.values().filter(|sub_call| !matches!(sub_call.fate, Fate::NeverStarted))
    }

    /// The call that a host call becomes: a sub-call of this run, stopped when the run settles (rule C6).
    pub(crate) fn submitted(cx: &RunContext, abort: &CancellationToken, call: HostCall) -> Submitted {
        let HostCall { number, name, arguments, reply } = call;
        let sub_call_id = CallId::new(format!("{}:code:{number}", cx.call().call_id()));
        let started = DispatchStarted {
            outer: cx.call().clone(),
            sub_call_id: sub_call_id.clone(),
            tool: name.clone(),
            arguments: arguments.clone(),
        };
        let call = cx.nested_call(name, arguments).with_id(sub_call_id).stopped_by(abort.clone());
        Submitted { number, call, started, reply }
    }

    /// A run of nobody's agent has no log to tell.
    fn is_logged(&self) -> bool {
        self.cx.call().scope().is_some()
    }

    async fn log(&self, started: DispatchStarted, result: &ToolExecutionResult) -> Result<(), ToolError> {
        if !self.is_logged() {
            return Ok(());
        }
        let dispatch = CodeDispatchLog {
            outer: started.outer.clone(),
            sub_call_id: started.sub_call_id.clone(),
            name: started.tool.clone(),
            arguments: started.arguments.clone(),
            is_error: result.is_error(),
            content: result.content().to_vec(),
        };
        let content = self.cx.runtime().logged_content(&dispatch).await;
        self.sink.settled(&DispatchSettled { started, is_error: result.is_error(), content }).await
    }

    /// Passes on to the outer result what a sub-call left: contexts, a conclusion, and images, which a program cannot
    /// show (rule C7).
    fn forward(&self, tool: &str, result: &ToolExecutionResult) {
        self.cx.forward(result);
        if !result.is_error() && result.content().iter().any(toolgate::ContentBlock::is_image) {
            self.cx.defer_context(UserMessage::new(tool, result.content().to_vec()));
        }
    }
}

impl<K: DispatchSink> LaneWork for Bridge<'_, K> {
    type Call = Submitted;
    type Running = Pin<Box<dyn Future<Output = Rested> + Send>>;
    type Done = Rested;
    type Error = ToolError;

    fn mode(&mut self, submitted: &Submitted) -> ToolExecutionMode {
        self.cx.runtime().execution_mode(&submitted.call)
    }

    async fn start(&mut self, submitted: Submitted) -> Result<Self::Running, ToolError> {
        let Submitted { number, call, started, reply } = submitted;
        if self.is_logged() {
            self.sink.started(&started).await?;
        }
        let prepared = self.cx.runtime().prepare(call).await;
        Ok(Box::pin(async move { Rested { number, dispatched: prepared.dispatch().await, started, reply } }))
    }

    async fn commit(&mut self, rested: Rested) -> Result<(), ToolError> {
        let Rested { number, dispatched, started, reply } = rested;
        let result = dispatched.finish().await;
        self.forward(&started.tool, &result);
        let (fate, answer) = match (result.value(), result.error()) {
            (Some(value), _) => (Fate::Succeeded, HostReply::Ok(value.clone())),
            (None, error) => {
                let message = error.map(|error| error.message().to_owned()).unwrap_or_default();
                (Fate::Failed(message.clone()), HostReply::Err(message))
            }
        };
        let sub_call = SubCall { id: started.sub_call_id.clone(), tool: started.tool.clone(), fate };
        self.fates.insert(number, sub_call);
        self.log(started, &result).await?;
        reply.send(answer);
        Ok(())
    }

    async fn skip(&mut self, submitted: Submitted) -> Result<(), ToolError> {
        let Submitted { number, started, .. } = submitted;
        let sub_call = SubCall { id: started.sub_call_id, tool: started.tool, fate: Fate::NeverStarted };
        self.fates.insert(number, sub_call);
        Ok(())
    }
}
