//! The runtime: the handle of a whole registry, and the entry of every call.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Weak};

use super::layer::ROOT;
use super::registrar::{Site, sealed};
use super::store::Store;
use super::{Plugin, PluginError, PluginHandle, Scope, ToolRuntimeBuilder, ToolSchema, View, WireError};
use crate::hook::stage::DispatchLog;
use crate::hook::{CodeDispatchLog, DynApprover, Next};
use crate::schedule::CallBatch;
use crate::tool::ContentBlock;
use crate::{
    Cancellation, PolicyReview, PreparedCall, ToolCall, ToolDefinition, ToolExecutionMode,
    ToolExecutionResult, pipeline,
};

/// Tools, policy and hooks of one deployment, and the one way to call them. Cheap to clone.
#[derive(Clone)]
pub struct ToolRuntime(Arc<Store>);

impl ToolRuntime {
    /// Begins a runtime.
    pub fn builder() -> ToolRuntimeBuilder {
        ToolRuntimeBuilder::default()
    }

    pub(super) fn from_store(store: Store) -> Self {
        Self(Arc::new(store))
    }

    /// The scope of that name, made where there is none.
    #[must_use]
    pub fn scope(&self, name: &str) -> Scope {
        Scope::new(self.clone(), self.0.scope(&[ROOT], name))
    }

    /// Runs a call from end to end: by nobody's agent, or in the scope that the call names.
    ///
    /// Never fails and never panics: whatever happens is in the result. To stop a call, cancel it and await it;
    /// dropping the future publishes an abort and may leave work of the body behind. A future that was never polled is
    /// a call that was never made. A scope of another runtime is refused.
    pub fn execute(&self, call: ToolCall) -> impl Future<Output = ToolExecutionResult> + Send + use<> {
        pipeline::execute(self.clone(), call)
    }

    /// The first stage of [`execute`](Self::execute), for those who schedule several calls.
    pub fn prepare(&self, call: ToolCall) -> impl Future<Output = PreparedCall> + Send + use<> {
        pipeline::prepare(self.clone(), call)
    }

    /// What listeners before dispatch and guards say of a call that is not made, in the scope that the call names.
    ///
    /// Nobody is asked for approval, no body runs, no observer hears of it. For policies that grant something because
    /// a call is allowed, such as access to what the call once gave; a call that is made is judged by
    /// [`execute`](Self::execute) itself. Whatever fails on the way is a refusal.
    pub fn review(&self, call: ToolCall) -> impl Future<Output = PolicyReview> + Send + use<> {
        pipeline::review(self.clone(), call)
    }

    /// Several calls of one model step, in model order, on the ordered lane. Cancelling the batch starts nothing more;
    /// the calls that run hear of it through their own cancellation, so give both the same source.
    ///
    /// A call that names no scope is nobody's agent's: no guard or restriction of a scope applies to it. An agent's
    /// calls go through [`Scope::batch`].
    pub fn batch(&self, calls: Vec<ToolCall>, cancellation: impl Into<Cancellation>) -> CallBatch {
        CallBatch::new(self, calls, cancellation.into())
    }

    /// The definition that a name means without a scope.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<ToolDefinition> {
        self.view().resolve(name).cloned()
    }

    /// Every tool that is visible without a scope, in order.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolDefinition> {
        self.view().tools().cloned().collect()
    }

    /// Name, description and parameters of every tool that is visible without a scope, in order.
    #[must_use]
    pub fn schemas(&self) -> Vec<ToolSchema> {
        self.view().schemas()
    }

    /// What is offered to a model without a scope: the schemas, narrowed by the presentation mode.
    ///
    /// # Errors
    /// The mode needs `run_code`, and there is no code transport of a known language.
    pub fn wire_schemas(&self) -> Result<Vec<ToolSchema>, WireError> {
        self.view().wire_schemas()
    }

    /// Whether a call may run beside its siblings, as the scope that the call names sees it.
    #[must_use]
    pub fn execution_mode(&self, call: &ToolCall) -> ToolExecutionMode {
        match call.scope() {
            Some(scope) => scope.execution_mode(call),
            None => self.view().execution_mode(call),
        }
    }

    /// The content of a sub-call as it is to be logged: what the listeners of the agent's scopes make of it, or the
    /// original where one of them fails (rule C5).
    pub async fn logged_content(&self, dispatch: &CodeDispatchLog) -> Vec<ContentBlock> {
        let view = dispatch.outer.view();
        match view.dispatch_log() {
            [] => dispatch.content.clone(),
            listeners => Next::<DispatchLog>::new(listeners, dispatch).run().await.unwrap_or_else(|error| {
                tracing::error!(
                    target: "toolgate",
                    call = %dispatch.sub_call_id,
                    "a code-dispatch-log listener failed, so the original is logged: {error}"
                );
                dispatch.content.clone()
            }),
        }
    }

    /// Installs a plugin for everyone.
    ///
    /// # Errors
    /// The plugin failed; nothing of it is left behind.
    pub fn plug(&self, plugin: impl Plugin) -> Result<PluginHandle, PluginError> {
        PluginHandle::install(self, None, plugin)
    }

    pub(crate) fn view(&self) -> Arc<View> {
        self.0.view(None)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether nothing has changed since the view was made.
    pub(crate) fn is_current(&self, view: &View) -> bool {
        self.0.is_current(view)
    }

    pub(crate) fn approver(&self) -> Option<&dyn DynApprover> {
        self.0.approver.as_deref()
    }

    pub(super) fn store(&self) -> &Store {
        &self.0
    }

    pub(super) fn downgrade(&self) -> Weak<Store> {
        Arc::downgrade(&self.0)
    }
}

impl sealed::Registrar for ToolRuntime {
    fn site(&self) -> Site<'_> {
        Site::new(self, ROOT)
    }
}

impl fmt::Debug for ToolRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRuntime").field("tools", &self.tools().len()).finish_non_exhaustive()
    }
}
