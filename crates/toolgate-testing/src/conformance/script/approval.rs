//! The scripted approval service.

use std::sync::Arc;

use serde::Deserialize;
use toolgate::{ApprovalOutcome, ApprovalRequest, Approver, HookResult};

use super::World;
use super::op::{NoOp, Op, Script};
use super::stage::{Phase, Stage};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalSpec {
    outcome: Outcome,
    #[serde(default, rename = "do")]
    script: Script<NoOp>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    AllowedOnce,
    Rejected,
    Cancelled,
    Unavailable,
}

/// An approval service that gives one answer to every question, after its script.
pub(super) struct ScriptedApprover {
    pub(super) world: Arc<World>,
    pub(super) spec: ApprovalSpec,
}

impl Approver for ScriptedApprover {
    async fn approve(&self, request: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        let ApprovalRequest { call, agent: _, reason } = request;
        let stage = Stage { world: &self.world, call, phase: Phase::Approval, actor: "approver" };
        stage.trace(format_args!("request {} {}", call.name(), reason.unwrap_or("-")));
        let signal = call.cancellation();
        for op in &self.spec.script {
            match op {
                Op::Shared(op) => stage.instant(op, signal)?,
                Op::Own(Op::Shared(op)) => stage.waiting(op, signal).await?,
                Op::Own(Op::Own(never)) => match *never {},
            }
        }
        Ok(match self.spec.outcome {
            Outcome::AllowedOnce => ApprovalOutcome::AllowedOnce,
            Outcome::Rejected => ApprovalOutcome::Rejected,
            Outcome::Cancelled => ApprovalOutcome::Cancelled,
            Outcome::Unavailable => ApprovalOutcome::Unavailable,
        })
    }
}
