//! Finalisers of tools.

use std::sync::Arc;

use serde::Deserialize;
use toolgate::{ContentBlock, ToolExecution, ToolExecutionResult};

use super::World;
use super::op::fail_by_panic;
use super::outcome::outcome;
use super::stage::{Phase, Stage};

#[derive(Clone, Debug, Deserialize)]
pub(super) struct FinalizeSpec {
    #[serde(default)]
    cancel: bool,
    #[serde(flatten)]
    kind: FinalizeKind,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum FinalizeKind {
    Keep {},
    Replace {
        content: Vec<ContentBlock>,
    },
    OnError {
        content: Vec<ContentBlock>,
    },
    OnSuccess {
        content: Vec<ContentBlock>,
    },
    Append {
        content: Vec<ContentBlock>,
    },
    Truncate {
        chars: usize,
    },
    /// A finaliser fails by a panic, which has no room for the code that a case may give.
    Throw {
        message: String,
    },
}

impl FinalizeSpec {
    pub(super) fn finalize(
        &self,
        world: &Arc<World>,
        tool: &str,
        call: &ToolExecution,
        result: &ToolExecutionResult,
    ) -> Option<Vec<ContentBlock>> {
        let stage = Stage { world, call, phase: Phase::Finalize, actor: tool };
        stage.trace(outcome(result));
        if self.cancel
            && let Ok(caller) = world.signal(None)
        {
            caller.cancel();
        }
        match &self.kind {
            FinalizeKind::Keep {} => None,
            FinalizeKind::Replace { content } => Some(content.clone()),
            FinalizeKind::OnError { content } => result.is_error().then(|| content.clone()),
            FinalizeKind::OnSuccess { content } => (!result.is_error()).then(|| content.clone()),
            FinalizeKind::Append { content } => Some([result.content(), content].concat()),
            FinalizeKind::Truncate { chars } => {
                Some(result.content().iter().map(|block| truncated(block, *chars)).collect())
            }
            FinalizeKind::Throw { message } => fail_by_panic(message.clone()),
        }
    }
}

fn truncated(block: &ContentBlock, chars: usize) -> ContentBlock {
    match block.as_text() {
        Some(text) => ContentBlock::text(text.chars().take(chars).collect::<String>()),
        None => block.clone(),
    }
}
