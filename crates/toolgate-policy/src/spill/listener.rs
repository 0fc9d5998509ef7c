//! The two places where an oversized content is cut: the model's copy of a direct call's result, and the logged copy
//! of a program's sub-call.
//!
//! Neither touches the value, metadata or contexts. The content of a sub-call stays whole for the tool that made it,
//! whose own result is cut in turn. What cannot be kept stays in the result, and is reported to the operator.

use std::sync::Arc;

use toolgate::stage::{DispatchLog, Post};
use toolgate::{
    CodeDispatchLog, CodeDispatchLogListener, ContentBlock, FailureCause, HookResult, JsonValue, Next,
    PostExecute, PostToolDecision, Replacement, ToolExecution, ToolExecutionResult,
};

use super::blocking::off_thread;
use super::config::Limits;
use super::content::{Part, oversized, replaced};
use super::entry::{Access, Entry, File, Form, Origin};
use super::error::SpillError;
use super::notice;
use super::store::{KeepError, SpillStore};
use super::tools::is_reader;
use super::window::{read_from, read_tail};

/// Cuts what is too large. Cheap to clone.
#[derive(Clone)]
pub(super) struct Cutter {
    pub(super) store: Arc<SpillStore>,
    pub(super) limits: Arc<Limits>,
}

/// Why a content stays as it is although it is too large.
#[derive(Debug, thiserror::Error)]
enum NotCut {
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    Read(#[from] SpillError),
}

impl PostExecute for Cutter {
    async fn post_execute(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        let decision = next.run().await?;
        // A success of a call that was cancelled meanwhile will be an abort.
        let is_lost = call.cancellation().is_cancelled() && !result.is_error();
        if call.parent().is_some() || is_reader(call.name()) || is_lost {
            return Ok(decision);
        }
        let (content, value) = match &decision {
            PostToolDecision::Accept { replacement: Replacement::Nothing, .. } => {
                (result.content(), result.value())
            }
            // Another listener put this in the place of the value's own content, perhaps to hide something of it.
            PostToolDecision::Accept { replacement: Replacement::Content(content), .. } => {
                (content.as_slice(), None)
            }
            // The content of such a value is made after this stage.
            PostToolDecision::Accept { replacement: Replacement::Value(_), .. } => return Ok(decision),
            PostToolDecision::Block { feedback, .. } => (feedback.as_slice(), None),
        };
        let origin = || Origin {
            owner: call.scope().map(toolgate::Scope::id),
            tool: call.name().into(),
            arguments: call.arguments().clone(),
            access: access_to(result),
        };
        let Some(content) = self.cut(content, value, call.name(), call.call_id(), origin).await else {
            return Ok(decision);
        };
        Ok(match decision {
            PostToolDecision::Accept { additional_contexts, .. } => {
                PostToolDecision::Accept { replacement: Replacement::Content(content), additional_contexts }
            }
            PostToolDecision::Block { additional_contexts, .. } => {
                PostToolDecision::Block { feedback: content, additional_contexts }
            }
        })
    }
}

impl CodeDispatchLogListener for Cutter {
    async fn log_content(
        &self,
        dispatch: &CodeDispatchLog,
        next: Next<'_, DispatchLog>,
    ) -> HookResult<Vec<ContentBlock>> {
        let content = next.run().await?;
        if is_reader(&dispatch.name) {
            return Ok(content);
        }
        let origin = || Origin {
            owner: dispatch.agent().map(toolgate::Scope::id),
            tool: dispatch.name.as_str().into(),
            arguments: dispatch.arguments.clone(),
            access: Access::Policy,
        };
        let cut = self.cut(&content, None, &dispatch.name, &dispatch.sub_call_id, origin).await;
        Ok(cut.unwrap_or(content))
    }
}

impl Cutter {
    /// The content with excerpts in it; none where it stays as it is.
    async fn cut(
        &self,
        content: &[ContentBlock],
        value: Option<&JsonValue>,
        tool: &str,
        call: &toolgate::CallId,
        origin: impl FnOnce() -> Origin,
    ) -> Option<Vec<ContentBlock>> {
        if !self.may_be_large(content) {
            return None;
        }
        let parts = Arc::new(oversized(content, value, tool, &self.limits));
        if parts.is_empty() {
            return None;
        }
        let (cutter, origin, work) = (self.clone(), origin(), Arc::clone(&parts));
        match off_thread(move || cutter.keep_all(&origin, &work)).await? {
            Ok(excerpts) => Some(replaced(content, &parts, excerpts)),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|source| format!(": {source}"));
                tracing::error!(
                    target: "toolgate",
                    %call,
                    tool,
                    "an oversized result stays whole, because it cannot be kept elsewhere: {error}{}",
                    cause.unwrap_or_default()
                );
                None
            }
        }
    }

    /// A quick look, so that ordinary results cost next to nothing.
    fn may_be_large(&self, content: &[ContentBlock]) -> bool {
        let mut bytes = 0_usize;
        for block in content {
            bytes = bytes.saturating_add(match block {
                ContentBlock::Text { text } => text.len() + 1,
                ContentBlock::Image { data, .. } => data.len(),
                ContentBlock::Other(_) => return true,
            });
        }
        bytes > self.limits.smallest()
    }

    /// Keeps every part, or none, and gives what to show of each.
    fn keep_all(&self, origin: &Origin, parts: &[Part]) -> Result<Vec<Vec<ContentBlock>>, NotCut> {
        let mut kept = Vec::new();
        let mut excerpts = Vec::new();
        for part in parts {
            let excerpt = self.store.keep(origin, &part.body).map_err(NotCut::from).and_then(|entry| {
                let excerpt = self.excerpt(&entry, part);
                kept.push(entry);
                Ok(excerpt?)
            });
            match excerpt {
                Ok(excerpt) => excerpts.push(excerpt),
                Err(error) => {
                    kept.iter().for_each(|entry| self.store.discard(entry));
                    return Err(error);
                }
            }
        }
        Ok(excerpts)
    }

    fn excerpt(&self, entry: &Entry, part: &Part) -> Result<Vec<ContentBlock>, SpillError> {
        let kept_for = self.limits.quota.expires_after;
        if let Form::Image(media_type) = &entry.form {
            return Ok(notice::of_image(entry, media_type, kept_for));
        }
        let file = self.store.open_file(entry, File::Text)?;
        let head = read_from(&file, entry.text_bytes, 0, self.limits.head)?;
        let tail = read_tail(&file, entry.text_bytes, self.limits.tail)?;
        Ok(notice::of_text(entry, part.bytes, &head, &tail, kept_for))
    }
}

/// A refusal before dispatch is policy's own text, and whoever was refused may read it.
fn access_to(result: &ToolExecutionResult) -> Access {
    let is_refusal = result.error().is_some_and(|error| {
        matches!(
            error.cause(),
            FailureCause::Denied
                | FailureCause::GuardDenied
                | FailureCause::ApprovalUnavailable
                | FailureCause::ApprovalRejected
                | FailureCause::ApprovalCancelled
                | FailureCause::HookFailed
                | FailureCause::UnknownTool
                | FailureCause::AbortedBeforeDispatch
        )
    });
    if is_refusal { Access::Scope } else { Access::Policy }
}
