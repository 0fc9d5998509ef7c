//! Scripts of wrappers around the body.

use std::sync::Arc;

use serde::Deserialize;
use toolgate::stage::Dispatch;
use toolgate::{
    CancellationToken, ContentBlock, Execute, HookResult, Next, ToolExecution, ToolExecutionResult,
};

use super::super::cases::{CaseValue, present};
use super::World;
use super::elements::HookSpec;
use super::op::{Op, Script};
use super::outcome::{AuthoredResult, Patch, outcome};
use super::stage::{Phase, Stage};

/// Operations that only wrappers have.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum AroundOp {
    Next {
        #[serde(default)]
        catch: bool,
    },
    RetryOnError {},
    SetSignal {
        signal: String,
    },
    RestoreSignal {},
    Return {},
    Result {
        result: AuthoredResult,
    },
    Patch {
        #[serde(default, deserialize_with = "present")]
        value: Option<CaseValue>,
        content: Option<Vec<ContentBlock>>,
        #[serde(default, deserialize_with = "present")]
        meta: Option<CaseValue>,
        #[serde(default)]
        add_contexts: Vec<String>,
    },
}

/// A wrapper with its script.
pub(super) struct Wrapper {
    pub(super) world: Arc<World>,
    pub(super) spec: HookSpec<Script<AroundOp>>,
}

impl Execute for Wrapper {
    async fn execute(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        if !self.spec.when.matches(call) {
            return next.run().await;
        }
        let stage = Stage { world: &self.world, call, phase: Phase::Around, actor: &self.spec.id };
        stage.trace("enter");
        let answer = self.answer(&stage, next).await;
        match &answer {
            Ok(result) => stage.trace(format_args!("leave {}", outcome(result))),
            Err(_) => stage.trace("throw"),
        }
        answer
    }
}

impl Wrapper {
    async fn answer(&self, stage: &Stage<'_>, next: Next<'_, Dispatch>) -> HookResult<ToolExecutionResult> {
        let mut delegate = Delegate { stage, next, substitute: None };
        let mut remembered = None;
        for op in &self.spec.script {
            let signal = match &delegate.substitute {
                Some(substitute) => delegate.next.cancellation().or(substitute.clone()),
                None => delegate.next.cancellation().clone(),
            };
            match op {
                Op::Shared(op) => stage.instant(op, &signal)?,
                Op::Own(Op::Shared(op)) => stage.waiting(op, &signal).await?,
                Op::Own(Op::Own(op)) => match op {
                    AroundOp::Next { catch } => match delegate.run().await {
                        Ok(result) => remembered = Some(result),
                        Err(_) if *catch => {}
                        Err(error) => return Err(error),
                    },
                    AroundOp::RetryOnError {} => {
                        if remembered.as_ref().is_some_and(ToolExecutionResult::is_error) {
                            remembered = Some(delegate.run().await?);
                        }
                    }
                    AroundOp::SetSignal { signal } => {
                        delegate.substitute = Some(stage.need(stage.world.signal(Some(signal)))?);
                    }
                    AroundOp::RestoreSignal {} => delegate.substitute = None,
                    AroundOp::Return {} => break,
                    AroundOp::Result { result } => return stage.need(result.to_result()),
                    AroundOp::Patch { value, content, meta, add_contexts } => {
                        let Some(mut result) = remembered else { break };
                        if let Some(value) = value {
                            result = result.with_value(stage.need(value.to_lossless())?);
                        }
                        let patch =
                            Patch { content: content.as_ref(), meta: meta.as_ref(), contexts: add_contexts };
                        return stage.need(patch.apply(result));
                    }
                },
            }
        }
        match remembered {
            Some(result) => Ok(result),
            None => stage.malformed("a wrapper's script ends without a result"),
        }
    }
}

/// The rest of the waterfall, with the signal that the script has put beside the others.
struct Delegate<'a, 'n> {
    stage: &'a Stage<'a>,
    next: Next<'n, Dispatch>,
    substitute: Option<CancellationToken>,
}

impl Delegate<'_, '_> {
    async fn run(&mut self) -> HookResult<ToolExecutionResult> {
        let result = match self.substitute.clone() {
            Some(signal) => self.next.run_with(signal).await,
            None => self.next.run().await,
        };
        match &result {
            Ok(result) => self.stage.trace(format_args!("next {}", outcome(result))),
            Err(_) => self.stage.trace("next failure"),
        }
        result
    }
}
