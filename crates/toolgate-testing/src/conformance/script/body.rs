//! Scripts of tool bodies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::Deserialize;
use serde_json::Value;
use toolgate::{HookResult, JsonValue, RunContext, ToolExecutionResult, UncheckedJson};
use toolgate_schema::RawJson;

use super::super::cases::{CaseValue, copy};
use super::World;
use super::op::{Failure, Op, Script};
use super::outcome::context;
use super::stage::{Phase, Stage};

/// Operations that only bodies have.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum BodyOp {
    Defer {
        context: String,
    },
    Conclude {},
    Return {
        value: CaseValue,
    },
    ReturnArgument {
        name: String,
    },
    ReturnArguments {},
    ReturnCallId {},
    Call {
        id: String,
        tool: String,
        arguments: Option<CaseValue>,
        #[serde(default)]
        forward_contexts: bool,
        #[serde(default)]
        forward_conclusion: bool,
    },
    ReturnNested {
        otherwise: Option<CaseValue>,
    },
    ThrowUntilAttempt {
        attempt: u32,
        message: String,
        code: Option<String>,
    },
}

/// The body of a tool with its script.
pub(super) struct Body {
    pub(super) world: Arc<World>,
    pub(super) tool: String,
    pub(super) script: Arc<Script<BodyOp>>,
    pub(super) runs: AtomicU32,
}

impl Body {
    pub(super) async fn run(&self, arguments: &JsonValue, cx: &RunContext) -> HookResult<UncheckedJson> {
        let stage = Stage { world: &self.world, call: cx.call(), phase: Phase::Body, actor: &self.tool };
        let run = self.runs.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        stage.trace("enter");
        self.world.event(format!("body {}", cx.call().call_id()));
        let value = self.value(&stage, arguments, cx, run).await;
        stage.trace(if value.is_ok() { "leave" } else { "throw" });
        self.world.event(format!("done {}", cx.call().call_id()));
        value
    }

    async fn value(
        &self,
        stage: &Stage<'_>,
        arguments: &JsonValue,
        cx: &RunContext,
        run: u32,
    ) -> HookResult<UncheckedJson> {
        let mut nested: Option<ToolExecutionResult> = None;
        for op in self.script.iter() {
            match op {
                Op::Shared(op) => stage.instant(op, cx.cancellation())?,
                Op::Own(Op::Shared(op)) => stage.waiting(op, cx.cancellation()).await?,
                Op::Own(Op::Own(op)) => match op {
                    BodyOp::Defer { context: name } => cx.defer_context(context(name)),
                    BodyOp::Conclude {} => cx.conclude_turn(),
                    BodyOp::Return { value } => return Ok(value.to_raw().into()),
                    BodyOp::ReturnArgument { name } => {
                        return Ok(arguments.get(name).map(copy).unwrap_or_default().into());
                    }
                    BodyOp::ReturnArguments {} => return Ok(arguments.clone().into()),
                    BodyOp::ReturnCallId {} => return Ok(Value::from(cx.call().call_id().as_str()).into()),
                    BodyOp::Call { id, tool, arguments, forward_contexts, forward_conclusion } => {
                        let arguments: UncheckedJson = match arguments {
                            Some(arguments) => arguments.to_raw().into(),
                            None => JsonValue::empty_object().into(),
                        };
                        let call = cx.nested_call(tool.as_str(), arguments).with_id(id.as_str());
                        let result = cx.runtime().execute(call).await;
                        if *forward_contexts {
                            result.additional_contexts().iter().for_each(|c| cx.defer_context(c.clone()));
                        }
                        if *forward_conclusion && result.concludes_turn() {
                            cx.conclude_turn();
                        }
                        nested = Some(result);
                    }
                    BodyOp::ReturnNested { otherwise } => {
                        return Ok(match nested.as_ref().and_then(ToolExecutionResult::value) {
                            Some(value) => value.clone().into(),
                            None => otherwise.as_ref().map(CaseValue::to_raw).unwrap_or_default().into(),
                        });
                    }
                    BodyOp::ThrowUntilAttempt { attempt, message, code } => {
                        if run < *attempt {
                            let failure =
                                Failure { message: message.clone(), code: code.clone(), name: None };
                            return Err(failure.to_error());
                        }
                    }
                },
            }
        }
        Ok(RawJson::default().into())
    }
}
