//! The stages of every call as events, seen from outside of all other listeners.

use std::sync::Arc;

use toolgate::stage::{Post, Pre};
use toolgate::{
    HookResult, Next, PostExecute, PostToolDecision, PreExecute, PreToolDecision, Registrar as _,
    ToolExecution, ToolExecutionResult, ToolRuntime,
};

use super::super::script::World;

/// Notes `pre`, `gate`, `post` and `result` of every call from now on. Called last, so that whole stages are seen.
pub(super) fn log_stages(runtime: &ToolRuntime, world: &Arc<World>) {
    runtime.first().on_pre_execute(Log(Arc::clone(world)));
    runtime.first().on_post_execute(Log(Arc::clone(world)));
    let log = Arc::clone(world);
    runtime.first().on_result(move |call: &ToolExecution, _: &ToolExecutionResult| {
        log.event(format!("result {}", call.call_id()));
    });
}

/// The outermost listener of both stages.
struct Log(Arc<World>);

impl PreExecute for Log {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        self.0.event(format!("pre {}", call.call_id()));
        let decision = next.run().await;
        self.0.event(format!("gate {}", call.call_id()));
        decision
    }
}

impl PostExecute for Log {
    async fn post_execute(
        &self,
        call: &ToolExecution,
        _result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        self.0.event(format!("post {}", call.call_id()));
        next.run().await
    }
}
