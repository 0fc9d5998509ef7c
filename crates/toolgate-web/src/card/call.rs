//! [`RecordedCall`]: one call of a session, read from the few records that are about it.

use std::sync::Arc;

use jiff::Timestamp;
use toolgate::{ContentBlock, FailureCause, JsonValue, ToolCallView, ToolDefinition, ToolResultView};
use toolgate_session::replay::{Card, cards};
use toolgate_session::{ApprovalDecided, Event, Record, RecordedError, SessionId, Settlement};

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Policy looks at it.
    Beginning,
    /// A person is asked.
    Asking,
    /// Its body runs.
    Running,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// Policy or a person refused it.
    Refused,
    /// It was stopped.
    Stopped,
    /// Its process was gone before it had a result.
    Lost,
}

impl Progress {
    /// In a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Beginning => "starting",
            Self::Asking => "waits for you",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }

    /// The class of its elements.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Beginning | Self::Running => "live",
            Self::Asking => "asks",
            Self::Done => "ok",
            Self::Failed | Self::Lost => "bad",
            Self::Refused | Self::Stopped => "off",
        }
    }
}

/// A call and what is known of it.
#[derive(Debug)]
pub(crate) struct RecordedCall {
    name: String,
    arguments: JsonValue,
    normalized: Vec<String>,
    is_sub_call: bool,
    began: Arc<Record>,
    body: Option<Arc<Record>>,
    asked: Option<Arc<Record>>,
    decided: Option<ApprovalDecided>,
    settled: Option<Arc<Record>>,
    is_error: bool,
    error: Option<RecordedError>,
    settlement: Option<Settlement>,
    subagent: Option<SessionId>,
    views: Option<Card>,
}

impl RecordedCall {
    /// The call that these records are about, the first of which began it. `definition` gives the tool of a name, for its
    /// cards.
    pub(crate) fn new(
        records: &[Arc<Record>],
        definition: impl Fn(&str) -> Option<ToolDefinition>,
    ) -> Option<Self> {
        let (first, rest) = records.split_first()?;
        let mut call = Self::begin(first)?;
        rest.iter().for_each(|record| call.note(record));
        call.views = cards(records.iter().map(|record| &record.event), definition).into_iter().next();
        Some(call)
    }

    fn begin(record: &Arc<Record>) -> Option<Self> {
        let (name, arguments, normalized, is_sub_call) = if let Event::ToolCall(call) = &record.event {
            (&call.name, &call.arguments, call.normalized.clone(), false)
        } else if let Event::CodeDispatchStart(call) = &record.event {
            (&call.name, &call.arguments, Vec::new(), true)
        } else {
            return None;
        };
        Some(Self {
            name: name.clone(),
            arguments: arguments.clone(),
            normalized,
            is_sub_call,
            began: Arc::clone(record),
            body: None,
            asked: None,
            decided: None,
            settled: None,
            is_error: false,
            error: None,
            settlement: None,
            subagent: None,
            views: None,
        })
    }

    fn note(&mut self, record: &Arc<Record>) {
        let shared = || Some(Arc::clone(record));
        match &record.event {
            Event::BodyStarted(_) => self.body = self.body.take().or_else(shared),
            Event::ApprovalAsked(_) => (self.asked, self.decided) = (shared(), None),
            Event::ApprovalDecided(decided) => self.decided = Some(decided.clone()),
            Event::ToolResult(result) => {
                self.settled = shared();
                self.is_error = result.error.is_some();
                self.error.clone_from(&result.error);
                self.settlement = result.settlement;
            }
            Event::CodeDispatch(call) => (self.settled, self.is_error) = (shared(), call.is_error),
            Event::TurnStart(_)
            | Event::UserMessage(_)
            | Event::AssistantMessage(_)
            | Event::ToolCall(_)
            | Event::BodyEnded(_)
            | Event::CodeDispatchStart(_)
            | Event::TurnEnd(_) => {}
            Event::SubagentStarted(started) => self.subagent = Some(started.session),
        }
    }

    /// The tool.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The arguments that run.
    pub(crate) fn arguments(&self) -> &JsonValue {
        &self.arguments
    }

    /// What was done to the arguments before they were JSON.
    pub(crate) fn normalized(&self) -> &[String] {
        &self.normalized
    }

    /// How the tool wants its call to be shown.
    pub(crate) fn call_view(&self) -> Option<&ToolCallView> {
        self.views.as_ref().map(|card| &card.call)
    }

    /// How the tool wants its result to be shown.
    pub(crate) fn result_view(&self) -> Option<&ToolResultView> {
        self.views.as_ref()?.result.as_ref()
    }

    /// What the model read; none while there is no result.
    pub(crate) fn content(&self) -> Option<&[ContentBlock]> {
        self.settled.as_ref().map(|record| said(&record.event))
    }

    /// The record of its result.
    pub(crate) fn settled_by(&self) -> Option<&Record> {
        self.settled.as_deref()
    }

    /// What came of the question whether it may run.
    pub(crate) fn decided(&self) -> Option<&ApprovalDecided> {
        self.decided.as_ref()
    }

    /// Why it failed. The log of a sub-call does not say.
    pub(crate) fn error(&self) -> Option<&RecordedError> {
        self.error.as_ref()
    }

    /// The session of the agent that works on it.
    pub(crate) fn subagent(&self) -> Option<SessionId> {
        self.subagent
    }

    /// Why a lost call has the result that it has.
    pub(crate) fn settlement(&self) -> Option<Settlement> {
        self.settlement
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> Progress {
        if self.settlement.is_some() {
            return Progress::Lost;
        }
        if self.settled.is_some() {
            return if self.is_error { self.failed() } else { Progress::Done };
        }
        if self.asked.is_some() && self.decided.is_none() {
            return Progress::Asking;
        }
        // The log does not say when the body of a sub-call begins.
        if self.body.is_some() || self.is_sub_call { Progress::Running } else { Progress::Beginning }
    }

    fn failed(&self) -> Progress {
        let cause = self.error.as_ref().and_then(|error| FailureCause::named(&error.cause));
        match cause {
            Some(FailureCause::Aborted | FailureCause::AbortedBeforeDispatch) => Progress::Stopped,
            Some(
                FailureCause::Denied
                | FailureCause::GuardDenied
                | FailureCause::ApprovalUnavailable
                | FailureCause::ApprovalRejected
                | FailureCause::ApprovalCancelled,
            ) => Progress::Refused,
            None if self.decided.as_ref().is_some_and(|decided| decided.outcome != ALLOWED) => {
                Progress::Refused
            }
            Some(_) | None => Progress::Failed,
        }
    }

    /// When its clock began to run: with its body, where the log says when that was.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        self.body.as_ref().unwrap_or(&self.began).time.parse().ok()
    }

    /// How many milliseconds it took.
    pub(crate) fn took(&self) -> Option<i64> {
        let until: Timestamp = self.settled.as_ref()?.time.parse().ok()?;
        Some(until.as_millisecond().saturating_sub(self.since()?.as_millisecond()).max(0))
    }
}

/// The outcome of an approval that lets a call run.
const ALLOWED: &str = "allowed-once";

/// What an event says or shows to a model.
pub(crate) fn said(event: &Event) -> &[ContentBlock] {
    match event {
        Event::UserMessage(message) => &message.content,
        Event::AssistantMessage(message) => &message.content,
        Event::ToolResult(result) => &result.content,
        Event::CodeDispatch(call) => &call.content,
        Event::TurnStart(_)
        | Event::ToolCall(_)
        | Event::BodyStarted(_)
        | Event::BodyEnded(_)
        | Event::CodeDispatchStart(_)
        | Event::ApprovalAsked(_)
        | Event::ApprovalDecided(_)
        | Event::SubagentStarted(_)
        | Event::TurnEnd(_) => &[],
    }
}
