//! Scripts of post-execute listeners.

use std::sync::Arc;

use serde::Deserialize;
use toolgate::stage::Post;
use toolgate::{
    ContentBlock, HookResult, Next, PostExecute, PostToolDecision, ToolExecution, ToolExecutionResult,
};

use super::super::cases::{CaseValue, present};
use super::World;
use super::elements::HookSpec;
use super::op::{Op, Script};
use super::outcome::{contexts, outcome};
use super::stage::{Phase, Stage};

/// Operations that only post-execute listeners have.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum PostOp {
    Next {
        #[serde(default)]
        catch: bool,
    },
    Return {},
    Accept {
        content: Option<Vec<ContentBlock>>,
        #[serde(default, deserialize_with = "present")]
        value: Option<CaseValue>,
        #[serde(default)]
        contexts: Vec<String>,
    },
    Block {
        feedback: Vec<ContentBlock>,
        #[serde(default)]
        contexts: Vec<String>,
    },
    AddContexts {
        #[serde(default)]
        before: Vec<String>,
        #[serde(default)]
        after: Vec<String>,
    },
    Sees {},
}

/// A post-execute listener with its script.
pub(super) struct PostListener {
    pub(super) world: Arc<World>,
    pub(super) spec: HookSpec<Script<PostOp>>,
}

impl PostExecute for PostListener {
    async fn post_execute(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        if !self.spec.when.matches(call) {
            return next.run().await;
        }
        let stage = Stage { world: &self.world, call, phase: Phase::Post, actor: &self.spec.id };
        stage.trace(format_args!("enter {}", outcome(result)));
        let decision = self.decide(&stage, result, next).await;
        match &decision {
            Ok(decision) => stage.trace(format_args!("leave {}", word_of(decision))),
            Err(_) => stage.trace("throw"),
        }
        decision
    }
}

impl PostListener {
    async fn decide(
        &self,
        stage: &Stage<'_>,
        result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        let signal = stage.call.cancellation();
        let mut next = Some(next);
        let mut remembered: Option<PostToolDecision> = None;
        for op in &self.spec.script {
            match op {
                Op::Shared(op) => stage.instant(op, signal)?,
                Op::Own(Op::Shared(op)) => stage.waiting(op, signal).await?,
                Op::Own(Op::Own(op)) => match op {
                    PostOp::Next { catch } => {
                        let Some(next) = next.take() else {
                            return stage.malformed("a post-execute listener delegates once");
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
                    PostOp::Return {} => break,
                    PostOp::Accept { content, value, contexts: names } => {
                        let decision = accept(stage, content.as_ref(), value.as_ref())?;
                        return Ok(decision.with_contexts(contexts(names)));
                    }
                    PostOp::Block { feedback, contexts: names } => {
                        return Ok(PostToolDecision::block(feedback.clone()).with_contexts(contexts(names)));
                    }
                    PostOp::AddContexts { before, after } => {
                        remembered = remembered.map(|decision| surrounded(decision, before, after));
                    }
                    PostOp::Sees {} => match result.value() {
                        Some(value) => stage.trace(format_args!("sees {}", value.to_text())),
                        None => stage.trace("sees no-value"),
                    },
                },
            }
        }
        match remembered {
            Some(decision) => Ok(decision),
            None => stage.malformed("a post-execute script ends without a decision"),
        }
    }
}

fn accept(
    stage: &Stage<'_>,
    content: Option<&Vec<ContentBlock>>,
    value: Option<&CaseValue>,
) -> HookResult<PostToolDecision> {
    match (content, value) {
        (None, None) => Ok(PostToolDecision::accept()),
        (Some(content), None) => Ok(PostToolDecision::replace_content(content.clone())),
        (None, Some(value)) => Ok(PostToolDecision::replace_value(stage.need(value.to_lossless())?)),
        (Some(_), Some(_)) => {
            stage.malformed("a decision cannot replace both content and value; require `unchecked-decisions`")
        }
    }
}

/// The same decision with more contexts around its own.
fn surrounded(decision: PostToolDecision, before: &[String], after: &[String]) -> PostToolDecision {
    let own = decision.additional_contexts().to_vec();
    let all = contexts(before).into_iter().chain(own).chain(contexts(after)).collect();
    decision.with_contexts(all)
}

fn word_of(decision: &PostToolDecision) -> &'static str {
    match decision {
        PostToolDecision::Accept { .. } => "accept",
        PostToolDecision::Block { .. } => "block",
    }
}
