//! Scripts of listeners on what the log keeps of a program's sub-calls. They leave no lines of their own in the trace.

use std::sync::Arc;

use serde::Deserialize;
use toolgate::stage::DispatchLog;
use toolgate::{CodeDispatchLog, CodeDispatchLogListener, ContentBlock, HookResult, Next};

use super::World;
use super::elements::HookSpec;
use super::op::{Op, Script};
use super::stage::{Phase, Stage};

/// Operations that only these listeners have.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum DispatchLogOp {
    Next {
        #[serde(default)]
        catch: bool,
    },
    Return {},
    Content {
        content: Vec<ContentBlock>,
    },
}

/// A listener on the logged copy with its script.
pub(super) struct LogListener {
    pub(super) world: Arc<World>,
    pub(super) spec: HookSpec<Script<DispatchLogOp>>,
}

impl CodeDispatchLogListener for LogListener {
    async fn log_content(
        &self,
        dispatch: &CodeDispatchLog,
        next: Next<'_, DispatchLog>,
    ) -> HookResult<Vec<ContentBlock>> {
        if !self.spec.when.names(&dispatch.name, dispatch.sub_call_id.as_str()) {
            return next.run().await;
        }
        let call = &dispatch.outer;
        let stage = Stage { world: &self.world, call, phase: Phase::DispatchLog, actor: &self.spec.id };
        let signal = call.cancellation();
        let mut next = Some(next);
        let mut remembered = None;
        for op in &self.spec.script {
            match op {
                Op::Shared(op) => stage.instant(op, signal)?,
                Op::Own(Op::Shared(op)) => stage.waiting(op, signal).await?,
                Op::Own(Op::Own(op)) => match op {
                    DispatchLogOp::Next { catch } => {
                        let Some(next) = next.take() else {
                            return stage.malformed("a dispatch-log listener delegates once");
                        };
                        match next.run().await {
                            Ok(content) => remembered = Some(content),
                            Err(_) if *catch => {}
                            Err(error) => return Err(error),
                        }
                    }
                    DispatchLogOp::Return {} => break,
                    DispatchLogOp::Content { content } => return Ok(content.clone()),
                },
            }
        }
        match remembered {
            Some(content) => Ok(content),
            None => stage.malformed("a dispatch-log script ends without content"),
        }
    }
}
