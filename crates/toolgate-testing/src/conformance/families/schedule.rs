//! How the calls of one step overlap, and in what order everything else happens.

use std::num::NonZeroUsize;

use serde::Deserialize;
use serde_json::Value;
use toolgate::schedule::BatchResult;
use toolgate::{CancellationToken, ContentBlock, JsonValue, ToolCall};

use super::super::apart::Played;
use super::super::cases::{Case, CaseValue, Malformed};
use super::super::compare::Comparison;
use super::super::script::{Elements, Scenario, World, context_names, play};
use super::constraint::{Constraint, Events};
use super::stage_log::log_stages;

/// The agent for which all calls run.
const AGENT: &str = "agent";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Call {
    id: String,
    tool: String,
    arguments: Option<CaseValue>,
    arguments_text: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    results: Vec<ExpectedResult>,
    contexts: Vec<String>,
    concluded: bool,
    cancelled: bool,
    constraints: Vec<Constraint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExpectedResult {
    call: String,
    is_error: bool,
    code: Option<String>,
    text: Option<String>,
    #[serde(default)]
    skipped: bool,
}

pub(super) fn run(case: &Case) -> Played {
    let mut fields = case.fields()?;
    let calls: Vec<Call> = fields.take("calls")?;
    let expect: Expected = fields.take("expect")?;
    expect.constraints.iter().try_for_each(|constraint| constraint.refuse(&["start", "settle"]))?;
    let cap: Option<NonZeroUsize> = fields.optional("cap")?;
    let cancelled = fields.optional("cancelled")?.unwrap_or(false);
    let elements: Elements = fields.rest()?;
    play(elements.with_scope(AGENT), async |Scenario { world, runtime }| {
        let source = CancellationToken::new();
        if cancelled {
            source.cancel();
        }
        world.set_caller(source.clone());
        log_stages(&runtime, &world);
        let calls = calls.into_iter().map(|call| input(&world, call, &source)).collect::<Result<_, _>>()?;
        let mut batch = runtime.batch(calls, source.clone());
        if let Some(cap) = cap {
            batch = batch.with_cap(cap);
        }
        let results = batch.run(|committed| world.event(format!("commit {}", committed.call))).await;
        let mut comparison = Comparison::default();
        expect.compare(&results, source.is_cancelled(), &Events::new(world.take_events()), &mut comparison);
        Ok(comparison.into_mismatches())
    })
}

fn input(world: &World, call: Call, source: &CancellationToken) -> Result<ToolCall, Malformed> {
    let input = match (call.arguments, call.arguments_text) {
        (Some(arguments), None) => ToolCall::new(call.tool, arguments.to_raw(), source.clone()),
        (None, Some(text)) => {
            let arguments = JsonValue::parse(&text);
            // What becomes of text that is no JSON is the agent loop's decision, which comes before the batch.
            let arguments = arguments.map_err(|error| Malformed::new(format!("`argumentsText`: {error}")))?;
            ToolCall::new(call.tool, arguments, source.clone())
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Malformed::new("a call has either `arguments` or `argumentsText`"));
        }
    };
    Ok(input.with_id(call.id).in_scope(world.scope(AGENT)?))
}

impl Expected {
    fn compare(&self, got: &[BatchResult], cancelled: bool, events: &Events, comparison: &mut Comparison) {
        let calls: Vec<_> = self.results.iter().map(|result| result.call.clone()).collect();
        let got_calls: Vec<_> = got.iter().map(|result| result.call.to_string()).collect();
        comparison.lines("results", &calls, &got_calls);
        for (expected, got) in self.results.iter().zip(got) {
            expected.compare(got, comparison);
        }
        let contexts: Vec<_> =
            got.iter().flat_map(|result| context_names(result.result.additional_contexts())).collect();
        comparison.lines("contexts", &self.contexts, &contexts);
        let concluded =
            !cancelled && got.iter().any(|result| result.was_started && result.result.concludes_turn());
        comparison.json("concluded", &Value::from(self.concluded), &Value::from(concluded));
        comparison.json("cancelled", &Value::from(self.cancelled), &Value::from(cancelled));
        events.compare(&self.constraints, comparison);
    }
}

impl ExpectedResult {
    fn compare(&self, got: &BatchResult, comparison: &mut Comparison) {
        let place = |field: &str| format!("results[{}].{field}", self.call);
        let text = |text: Option<&str>| text.map_or(Value::Null, Value::from);
        let result = &got.result;
        comparison.json(&place("isError"), &Value::from(self.is_error), &Value::from(result.is_error()));
        comparison.json(&place("skipped"), &Value::from(self.skipped), &Value::from(!got.was_started));
        comparison.json(&place("code"), &text(self.code.as_deref()), &text(result.code()));
        if self.text.is_some() {
            let first = result.content().iter().find_map(ContentBlock::as_text);
            comparison.json(&place("text"), &text(self.text.as_deref()), &text(first));
        }
    }
}
