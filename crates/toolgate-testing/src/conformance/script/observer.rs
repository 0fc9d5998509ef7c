//! Scripts of result observers.

use std::sync::Arc;

use toolgate::{ResultObserver, ToolExecution, ToolExecutionResult};

use super::World;
use super::elements::HookSpec;
use super::op::{InstantOp, fail_by_panic};
use super::outcome::outcome;
use super::stage::{Phase, Stage};

/// A result observer with its script.
pub(super) struct Observer {
    pub(super) world: Arc<World>,
    pub(super) spec: HookSpec<Vec<InstantOp>>,
}

impl ResultObserver for Observer {
    fn observe(&self, call: &ToolExecution, result: &ToolExecutionResult) {
        if !self.spec.when.matches(call) {
            return;
        }
        let stage = Stage { world: &self.world, call, phase: Phase::Result, actor: &self.spec.id };
        stage.trace(outcome(result));
        for op in &self.spec.script {
            if let Err(error) = stage.instant(op, call.cancellation()) {
                fail_by_panic(error.message().to_owned());
            }
        }
    }
}
