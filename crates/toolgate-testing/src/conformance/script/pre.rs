//! Scripts of pre-execute listeners.

use std::sync::Arc;

use serde::Deserialize;
use toolgate::stage::Pre;
use toolgate::{HookResult, Next, PreExecute, PreToolDecision, ToolExecution};

use super::World;
use super::elements::HookSpec;
use super::op::{Op, Script};
use super::stage::{Phase, Stage};

/// Operations that only pre-execute listeners have.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum PreOp {
    Next {
        #[serde(default)]
        catch: bool,
    },
    Return {},
    Allow {},
    Deny {
        reason: String,
    },
    Ask {
        reason: Option<String>,
    },
}

/// A pre-execute listener with its script.
pub(super) struct PreListener {
    pub(super) world: Arc<World>,
    pub(super) spec: HookSpec<Script<PreOp>>,
}

impl PreExecute for PreListener {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if !self.spec.when.matches(call) {
            return next.run().await;
        }
        let stage = Stage { world: &self.world, call, phase: Phase::Pre, actor: &self.spec.id };
        stage.trace("enter");
        let decision = self.decide(&stage, next).await;
        match &decision {
            Ok(decision) => stage.trace(format_args!("leave {}", word_of(decision))),
            Err(_) => stage.trace("throw"),
        }
        decision
    }
}

impl PreListener {
    async fn decide(&self, stage: &Stage<'_>, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        let signal = stage.call.cancellation();
        let mut next = Some(next);
        let mut remembered = None;
        for op in &self.spec.script {
            match op {
                Op::Shared(op) => stage.instant(op, signal)?,
                Op::Own(Op::Shared(op)) => stage.waiting(op, signal).await?,
                Op::Own(Op::Own(op)) => match op {
                    PreOp::Next { catch } => {
                        let Some(next) = next.take() else {
                            return stage.malformed("a pre-execute listener delegates once");
                        };
                        match next.run().await {
                            Ok(decision) => {
                                stage.trace(format_args!("next {}", word_of(&decision)));
                                remembered = Some(decision);
                            }
                            Err(error) => {
                                stage.trace("next failure");
                                if !catch {
                                    return Err(error);
                                }
                            }
                        }
                    }
                    PreOp::Return {} => break,
                    PreOp::Allow {} => return Ok(PreToolDecision::Allow),
                    PreOp::Deny { reason } => return Ok(PreToolDecision::deny(reason)),
                    PreOp::Ask { reason } => return Ok(PreToolDecision::Ask { reason: reason.clone() }),
                },
            }
        }
        match remembered {
            Some(decision) => Ok(decision),
            None => stage.malformed("a pre-execute script ends without a decision"),
        }
    }
}

fn word_of(decision: &PreToolDecision) -> &'static str {
    match decision {
        PreToolDecision::Allow => "allow",
        PreToolDecision::Deny { .. } => "deny",
        PreToolDecision::Ask { .. } => "ask",
    }
}
