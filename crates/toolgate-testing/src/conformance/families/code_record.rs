//! What a log is told of programs and their sub-calls, and whether it is told as it must be: of each sub-call that
//! starts one start and one settlement, alike, both while the outer call runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use toolgate::{ContentBlock, JsonValue, ToolError, ToolExecution};
use toolgate_code::{DispatchSettled, DispatchSink, DispatchStarted};
use toolgate_sandbox::Outcome;

use super::super::cases::CaseValue;
use super::super::compare::Comparison;
use super::super::script::World;
use super::expected_result::compare_content;

/// The durable record of a sub-call as a case expects it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExpectedDispatch {
    id: String,
    parent: String,
    tool: String,
    arguments: CaseValue,
    is_error: bool,
    content: Vec<Value>,
}

/// The log of a scenario.
pub(super) struct Recorder {
    pub(super) world: Arc<World>,
    pub(super) record: Arc<DispatchRecord>,
}

impl DispatchSink for Recorder {
    async fn started(&self, event: &DispatchStarted) -> Result<(), ToolError> {
        self.world.event(format!("start {}", event.sub_call_id));
        self.record.open().start(SubCall::new(event));
        Ok(())
    }

    async fn settled(&self, event: &DispatchSettled) -> Result<(), ToolError> {
        self.world.event(format!("settle {}", event.started.sub_call_id));
        let end = End { is_error: event.is_error, content: event.content.clone() };
        self.record.open().settle(&SubCall::new(&event.started), end);
        Ok(())
    }

    async fn ended(&self, outer: &ToolExecution, outcome: &Outcome) {
        self.record.open().end(outer.call_id().as_str(), outcome.clone());
    }
}

/// What the log of a scenario was told.
#[derive(Debug, Default)]
pub(super) struct DispatchRecord(Mutex<Told>);

impl DispatchRecord {
    /// From now on this call runs.
    pub(super) fn begin(&self, outer: &str) {
        self.open().running = Some(outer.to_owned());
    }

    /// The call has returned. Gives how its program ended, where that was told.
    pub(super) fn finish(&self, outer: &str) -> Option<Outcome> {
        self.open().finish(outer)
    }

    /// Compares the sub-calls, in the order of their starts.
    pub(super) fn compare(&self, expected: &[ExpectedDispatch], comparison: &mut Comparison) {
        let told = self.open();
        for fault in &told.faults {
            comparison.differs("dispatches", "one start and one settlement while the outer call runs", fault);
        }
        let ids: Vec<_> = expected.iter().map(|dispatch| dispatch.id.clone()).collect();
        let got_ids: Vec<_> = told.dispatches.iter().map(|(sub_call, _)| sub_call.id.clone()).collect();
        comparison.lines("dispatches", &ids, &got_ids);
        for (expected, (sub_call, end)) in expected.iter().zip(&told.dispatches) {
            expected.compare(sub_call, end.as_ref(), comparison);
        }
    }

    fn open(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sub-call as both events tell of it.
#[derive(Clone, Debug, PartialEq)]
struct SubCall {
    id: String,
    parent: String,
    tool: String,
    arguments: JsonValue,
}

impl SubCall {
    fn new(event: &DispatchStarted) -> Self {
        Self {
            id: event.sub_call_id.to_string(),
            parent: event.outer.call_id().to_string(),
            tool: event.tool.clone(),
            arguments: event.arguments.clone(),
        }
    }
}

/// How a sub-call settled.
#[derive(Clone, Debug)]
struct End {
    is_error: bool,
    content: Vec<ContentBlock>,
}

#[derive(Debug, Default)]
struct Told {
    /// The outer call that runs.
    running: Option<String>,
    /// The sub-calls in the order of their starts.
    dispatches: Vec<(SubCall, Option<End>)>,
    /// The end of the program of the outer call that runs.
    outcome: Option<Outcome>,
    /// What must not be told, or not then.
    faults: Vec<String>,
}

impl Told {
    fn start(&mut self, sub_call: SubCall) {
        self.check_time("start", &sub_call.id, &sub_call.parent);
        if self.dispatches.iter().any(|(known, _)| known.id == sub_call.id) {
            self.faults.push(format!("{} starts twice", sub_call.id));
        }
        self.dispatches.push((sub_call, None));
    }

    fn settle(&mut self, sub_call: &SubCall, end: End) {
        self.check_time("settlement", &sub_call.id, &sub_call.parent);
        match self.dispatches.iter_mut().find(|(known, _)| known == sub_call) {
            Some((_, open @ None)) => *open = Some(end),
            Some((_, Some(_))) => self.faults.push(format!("{} settles twice", sub_call.id)),
            None => self.faults.push(format!("{} settles and has not started like that", sub_call.id)),
        }
    }

    fn end(&mut self, outer: &str, outcome: Outcome) {
        self.check_time("end", "the program", outer);
        if self.outcome.replace(outcome).is_some() {
            self.faults.push(format!("the program of {outer} ends twice"));
        }
    }

    fn finish(&mut self, outer: &str) -> Option<Outcome> {
        self.running = None;
        for (sub_call, end) in &self.dispatches {
            if sub_call.parent == outer && end.is_none() {
                self.faults.push(format!("{} has not settled when {outer} returns", sub_call.id));
            }
        }
        self.outcome.take()
    }

    fn check_time(&mut self, what: &str, of: &str, outer: &str) {
        if self.running.as_deref() != Some(outer) {
            self.faults.push(format!("the {what} of {of} is told while {outer} does not run"));
        }
    }
}

impl ExpectedDispatch {
    fn compare(&self, sub_call: &SubCall, end: Option<&End>, comparison: &mut Comparison) {
        let place = |field: &str| format!("dispatches[{}].{field}", self.id);
        let SubCall { id: _, parent, tool, arguments } = sub_call;
        comparison.json(&place("parent"), &Value::from(self.parent.as_str()), &Value::from(parent.as_str()));
        comparison.json(&place("tool"), &Value::from(self.tool.as_str()), &Value::from(tool.as_str()));
        comparison.json(&place("arguments"), self.arguments.as_value(), arguments.as_value());
        if let Some(End { is_error, content }) = end {
            comparison.json(&place("isError"), &Value::from(self.is_error), &Value::from(*is_error));
            compare_content(&place("content"), &self.content, content, None, comparison);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{End, JsonValue, Outcome, SubCall, Told};

    fn call(id: &str, tool: &str) -> SubCall {
        let arguments = JsonValue::empty_object();
        SubCall { id: id.to_owned(), parent: "p".to_owned(), tool: tool.to_owned(), arguments }
    }

    fn end() -> End {
        End { is_error: false, content: Vec::new() }
    }

    fn faults_of(story: impl FnOnce(&mut Told)) -> String {
        let mut told = Told { running: Some("p".to_owned()), ..Told::default() };
        story(&mut told);
        told.faults.join("; ")
    }

    #[test]
    fn a_record_that_is_not_kept_as_it_must_be_is_noticed() {
        let good = faults_of(|told| {
            told.start(call("p:code:1", "t"));
            told.settle(&call("p:code:1", "t"), end());
            told.end("p", Outcome::default());
            told.finish("p");
        });
        assert_eq!(good, "");

        let unsettled = faults_of(|told| {
            told.start(call("p:code:1", "t"));
            told.finish("p");
        });
        assert_eq!(unsettled, "p:code:1 has not settled when p returns");

        let twice = faults_of(|told| {
            told.start(call("p:code:1", "t"));
            told.start(call("p:code:1", "t"));
            told.settle(&call("p:code:1", "t"), end());
            told.settle(&call("p:code:1", "t"), end());
            told.end("p", Outcome::default());
            told.end("p", Outcome::default());
        });
        assert_eq!(twice, "p:code:1 starts twice; p:code:1 settles twice; the program of p ends twice");

        let other = faults_of(|told| {
            told.start(call("p:code:1", "t"));
            told.settle(&call("p:code:1", "u"), end());
        });
        assert_eq!(other, "p:code:1 settles and has not started like that");

        let late = faults_of(|told| {
            told.finish("p");
            told.start(call("p:code:1", "t"));
        });
        assert_eq!(late, "the start of p:code:1 is told while p does not run");
    }
}
