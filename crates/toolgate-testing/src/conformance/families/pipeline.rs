//! What happens to a call: calls one after the other, their results and the trace of everything that ran.

use std::time::Duration;

use serde::Deserialize;
use toolgate::{CancellationToken, ToolCall, ToolExecutionResult};

use super::super::apart::Played;
use super::super::cases::{Case, CaseValue, Malformed};
use super::super::compare::Comparison;
use super::super::script::{Elements, Scenario, parent_token, play};
use super::expected_result::ExpectedResult;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Call {
    id: String,
    tool: String,
    #[serde(default = "CaseValue::empty_object")]
    arguments: CaseValue,
    agent: Option<String>,
    root: Option<String>,
    #[serde(default)]
    nested: bool,
    #[serde(default)]
    cancelled: bool,
    cancel_after_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    results: Vec<ExpectedResult>,
    trace: Vec<String>,
}

pub(super) fn run(case: &Case) -> Played {
    let mut fields = case.fields()?;
    let calls: Vec<Call> = fields.take("calls")?;
    let expect: Expected = fields.take("expect")?;
    let elements: Elements = fields.rest()?;
    if !calls.iter().map(|call| &call.id).eq(expect.results.iter().map(|result| &result.call)) {
        return Err(Malformed::new("`results` must have one entry for each call, in order").into());
    }
    play(elements, async |scenario| {
        let mut comparison = Comparison::default();
        for (call, expected) in calls.into_iter().zip(&expect.results) {
            expected.compare(&execute(&scenario, call).await?, &mut comparison);
        }
        comparison.lines("trace", &expect.trace, &scenario.world.take_trace());
        Ok(comparison.into_mismatches())
    })
}

async fn execute(scenario: &Scenario, call: Call) -> Result<ToolExecutionResult, Malformed> {
    let caller = CancellationToken::new();
    if call.cancelled {
        caller.cancel();
    }
    scenario.world.set_caller(caller.clone());
    let mut input = ToolCall::new(call.tool, call.arguments.to_raw(), caller.clone()).with_id(call.id);
    if let Some(root) = call.root {
        input = input.with_root(root);
    }
    if call.nested {
        input = input.with_parent(parent_token().await?);
    }
    if let Some(agent) = call.agent {
        input = input.in_scope(scenario.world.scope(&agent)?);
    }
    let mut running = std::pin::pin!(scenario.runtime.execute(input));
    if let Some(ms) = call.cancel_after_ms {
        tokio::select! {
            result = &mut running => return Ok(result),
            () = tokio::time::sleep(Duration::from_millis(ms)) => caller.cancel(),
        }
    }
    Ok(running.await)
}
