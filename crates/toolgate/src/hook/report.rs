//! Reports: what a running call tells those who watch it. Live only: nothing of it is logged, shown to a model or
//! part of a result.

use crate::{JsonValue, ToolExecution};

/// Something that a running call tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// How far it has come.
    Progress(Progress),
    /// What happened on the way.
    Message(ReportedMessage),
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done, in any unit. It should grow from one report to the next.
    pub done: f64,
    /// How much there is to do, in the same unit, where that is known.
    pub total: Option<f64>,
    /// What is being done, in a few words.
    pub message: Option<String>,
}

/// A message for the operator of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMessage {
    /// How much it matters.
    pub severity: Severity,
    /// The part of the tool that speaks, where it says so.
    pub source: Option<String>,
    /// What it says: a text, or anything that can be read by programs.
    pub data: JsonValue,
}

/// How much a message matters, by the levels of RFC 5424, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of the RFC")]
pub enum Severity {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// Sees the reports of calls while they run, synchronously, on the thread of the body.
///
/// Implemented by closures `Fn(&ToolExecution, &Report)`. It sees the calls of its scope and of those below it,
/// sub-calls of programs included; [`ToolExecution::root_call_id`] says which call of a model they belong to. It must
/// not wait. A panic is contained and told to operators.
pub trait ReportObserver: Send + Sync + 'static {
    /// Looks at a report.
    fn reported(&self, call: &ToolExecution, report: &Report);
}

impl<F> ReportObserver for F
where
    F: Fn(&ToolExecution, &Report) + Send + Sync + 'static,
{
    fn reported(&self, call: &ToolExecution, report: &Report) {
        self(call, report);
    }
}
