//! A request and the call that it began, or takes up again, until there is something to answer: the result, or questions
//! for the person behind the client.

use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::FuturesUnordered;
use rmcp::model::{
    CallToolResponse, ElicitRequest, ErrorData, InputRequest, InputRequiredResult, InputResponses,
    ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use toolgate::{Progress, Report, ReportedMessage, Severity, ToolExecutionResult};

use super::asking::Ask;
use super::call::RunningCall;
use super::parked::Waiting;
use super::shared::Shared;
use super::{form, messages, outcome};

/// Which lifecycle a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Up to 2025-11-25: the server asks the client with requests of its own.
    Sessions,
    /// From 2026-07-28: the server answers with its questions, and the client asks again.
    Rounds,
}

impl Era {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        match context.protocol_version() {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => Self::Rounds,
            Some(_) | None => Self::Sessions,
        }
    }
}

/// A request that waits for a call.
pub(super) struct Drive<'a> {
    pub(super) shared: &'a Shared,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) era: Era,
    pub(super) caller: u64,
}

impl Drive<'_> {
    /// Takes a call up with the answers of a client, and goes on with it.
    pub(super) async fn resume(
        &self,
        waiting: Waiting,
        responses: &InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        let Waiting { call, asks, caller: _ } = waiting;
        let mut open = Vec::new();
        for (key, ask) in asks {
            match responses.get(&key) {
                Some(response) => {
                    let answer = serde_json::from_value(response.clone()).ok();
                    let answer = answer.and_then(|result| form::answer(&ask.question, &result));
                    let _ = ask.answer.send(answer);
                }
                None => open.push((key, ask)),
            }
        }
        if open.is_empty() { self.run(call).await } else { self.park(call, open) }
    }

    /// Waits for the result of a call, telling the client of it meanwhile.
    pub(super) async fn run(&self, mut call: RunningCall) -> Result<CallToolResponse, ErrorData> {
        let mut asking: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        let mut told = Telling::new(self, call.session.severity());
        loop {
            tokio::select! {
                biased;
                () = self.context.ct.cancelled() => return self.give_up(call).await,
                Some(report) = call.reports.recv() => tokio::select! {
                    biased;
                    // A client that does not read may still cancel.
                    () = self.context.ct.cancelled() => return self.give_up(call).await,
                    () = told.tell(report.report, report.tool, report.is_direct) => {}
                },
                Some(ask) = call.asks.recv() => match self.era {
                    Era::Sessions => asking.push(ask_now(self.context.peer.clone(), ask).boxed()),
                    Era::Rounds => {
                        let mut asks = vec![ask];
                        while let Ok(ask) = call.asks.try_recv() {
                            asks.push(ask);
                        }
                        let asks = asks.into_iter().map(|ask| (ask.question.id.to_string(), ask)).collect();
                        return self.park(call, asks);
                    }
                },
                Some(()) = asking.next() => {}
                result = &mut call.done => return answer(&call, result.ok()),
            }
        }
    }

    /// The client does not wait any more. The call is stopped, and its request ends when it has come to rest.
    async fn give_up(&self, call: RunningCall) -> Result<CallToolResponse, ErrorData> {
        let RunningCall { done, stop, .. } = call;
        drop(stop);
        let _ = done.await;
        Err(ErrorData::internal_error("the call was cancelled", None))
    }

    fn park(&self, call: RunningCall, asks: Vec<(String, Ask)>) -> Result<CallToolResponse, ErrorData> {
        let requests = asks
            .iter()
            .filter_map(|(key, ask)| {
                let request = InputRequest::Elicitation(ElicitRequest::new(form::of(&ask.question)?));
                Some((key.clone(), request))
            })
            .collect();
        let waiting = Waiting { call, asks, caller: self.caller };
        let until = self.shared.cancelled.clone();
        match self.shared.parked.park(waiting, &self.shared.tasks, until) {
            Some(handle) => Ok(InputRequiredResult::new(Some(requests), Some(handle)).into()),
            None => Err(ErrorData::internal_error(
                "too many calls wait for an answer, so this one was cancelled\nhint: answer those that wait",
                None,
            )),
        }
    }
}

fn answer(call: &RunningCall, result: Option<ToolExecutionResult>) -> Result<CallToolResponse, ErrorData> {
    // The task of a call sends its result whatever happens, unless the runtime is going down.
    let result = result.ok_or_else(|| ErrorData::internal_error("the call was abandoned", None))?;
    outcome::response(call.tool.as_ref(), &result).map(CallToolResponse::Complete)
}

/// Asks the client with a request, until it answers or the question is closed.
async fn ask_now(peer: Peer<RoleServer>, ask: Ask) {
    let Ask { question, answer: mut reply } = ask;
    let Some(form) = form::of(&question) else { return };
    let answered = tokio::select! {
        answered = peer.create_elicitation(form) => answered,
        () = reply.closed() => return,
    };
    let answer = match answered {
        Ok(result) => form::answer(&question, &result),
        Err(error) => {
            tracing::warn!(target: "toolgate", call = question.call_id, "a client could not be asked: {error}");
            None
        }
    };
    let _ = reply.send(answer);
}

/// What a client hears of a call while it runs.
struct Telling<'a> {
    peer: &'a Peer<RoleServer>,
    token: Option<ProgressToken>,
    /// The last progress that it heard; the next one has to be greater.
    last: f64,
    /// The least severe messages that it wants; none where it wants no messages.
    severity: Option<Severity>,
}

impl<'a> Telling<'a> {
    fn new(drive: &'a Drive<'_>, severity: Severity) -> Self {
        let context = drive.context;
        let severity = match drive.era {
            Era::Sessions => Some(severity),
            Era::Rounds => context.meta.log_level().map(messages::severity_of),
        };
        Self {
            peer: &context.peer,
            token: context.meta.get_progress_token(),
            last: f64::NEG_INFINITY,
            severity,
        }
    }

    async fn tell(&mut self, report: Report, tool: String, is_direct: bool) {
        match report {
            Report::Progress(progress) if is_direct => self.tell_progress(progress).await,
            Report::Progress(_) => {}
            Report::Message(message) => self.tell_message(message, tool).await,
        }
    }

    async fn tell_progress(&mut self, Progress { done, total, message }: Progress) {
        let Some(token) = &self.token else { return };
        if !done.is_finite() || done <= self.last {
            return;
        }
        self.last = done;
        let mut told = ProgressNotificationParam::new(token.clone(), done);
        told.total = total.filter(|total| total.is_finite());
        told.message = message;
        // A client that is gone cancels the call, which is noticed elsewhere.
        let _ = self.peer.notify_progress(told).await;
    }

    async fn tell_message(&self, message: ReportedMessage, tool: String) {
        if self.severity.is_some_and(|wanted| message.severity >= wanted) {
            messages::tell(self.peer, message, tool).await;
        }
    }
}
