//! A scope: a node of the tree from the deployment to the agents, as its handle.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::layer::{LayerId, ROOT};
use super::registrar::{Site, sealed};
use super::{
    Plugin, PluginError, PluginHandle, PresentationError, PresentationMode, Registration, RestrictionError,
    ToolRestriction, ToolRuntime, ToolSchema, View, WeakScope, WireError,
};
use crate::schedule::CallBatch;
use crate::{
    Cancellation, PreparedCall, ToolCall, ToolDefinition, ToolExecutionMode, ToolExecutionResult, pipeline,
};

/// A scope of a runtime: an agent, or a preset that agents inherit from. Cheap to clone.
///
/// A scope sees what the runtime and the scopes above it registered, less its restrictions, plus its own. It lives
/// until [`close`](Self::close), not until the last handle is dropped.
#[derive(Clone)]
pub struct Scope {
    runtime: ToolRuntime,
    shared: Arc<ScopeShared>,
}

/// The identity of a scope: comparable, never used twice in a process, and no hold on the scope or its runtime. Whoever
/// keeps something for each agent keeps it under this; a scope that is closed and made again under the same name has
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(pub(super) LayerId);

/// The part of a scope that its handles and its layer share.
pub(crate) struct ScopeShared {
    pub(super) name: Arc<str>,
    /// The layers from the runtime's to the scope's own.
    pub(super) chain: Arc<[LayerId]>,
    pub(super) view: ArcSwapOption<View>,
}

impl ScopeShared {
    pub(super) fn new(name: Arc<str>, chain: Arc<[LayerId]>) -> Self {
        Self { name, chain, view: ArcSwapOption::empty() }
    }

    /// The scope's own layer.
    pub(super) fn layer(&self) -> LayerId {
        self.chain.last().copied().unwrap_or(ROOT)
    }
}

impl Scope {
    pub(super) fn new(runtime: ToolRuntime, shared: Arc<ScopeShared>) -> Self {
        Self { runtime, shared }
    }

    /// The scope's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The scope's identity, for those who remember it beyond its life.
    #[must_use]
    pub fn id(&self) -> ScopeId {
        ScopeId(self.shared.layer())
    }

    /// Whether this is the scope of that identity, or one below it.
    #[must_use]
    pub fn is_within(&self, ancestor: ScopeId) -> bool {
        self.shared.chain.contains(&ancestor.0)
    }

    /// The runtime that the scope belongs to.
    #[must_use]
    pub fn runtime(&self) -> &ToolRuntime {
        &self.runtime
    }

    /// The scope of that name below this one, made where there is none.
    #[must_use]
    pub fn scope(&self, name: &str) -> Self {
        Self::new(self.runtime.clone(), self.runtime.store().scope(&self.shared.chain, name))
    }

    /// A handle that keeps nothing alive.
    #[must_use]
    pub fn downgrade(&self) -> WeakScope {
        WeakScope::new(self.runtime.downgrade(), self.id())
    }

    /// Closes the scope and those below it: what they registered is undone in reverse order. Calls through the handle
    /// find no tool from then on, also calls under way that have not been dispatched. Calls under way keep the hooks
    /// that they entered with, so that post policy and observers still have their say.
    pub fn close(&self) {
        self.runtime.store().close(self.shared.layer());
    }

    /// Runs a call on behalf of this scope's agent, from end to end.
    ///
    /// Never fails and never panics: whatever happens is in the result. To stop a call, cancel it and await it;
    /// dropping the future publishes an abort and may leave work of the body behind.
    pub fn execute(&self, call: ToolCall) -> impl Future<Output = ToolExecutionResult> + Send + use<> {
        pipeline::execute(self.runtime.clone(), call.in_scope(self.clone()))
    }

    /// The first stage of [`execute`](Self::execute), for those who schedule several calls.
    pub fn prepare(&self, call: ToolCall) -> impl Future<Output = PreparedCall> + Send + use<> {
        pipeline::prepare(self.runtime.clone(), call.in_scope(self.clone()))
    }

    /// Several calls of this scope's agent, made in one model step, in model order, on the ordered lane. Cancelling the batch starts nothing more;
    /// the calls that run hear of it through their own cancellation, so give both the same source.
    pub fn batch(&self, calls: Vec<ToolCall>, cancellation: impl Into<Cancellation>) -> CallBatch {
        let calls = calls.into_iter().map(|call| call.in_scope(self.clone())).collect();
        CallBatch::new(&self.runtime, calls, cancellation.into())
    }

    /// The definition that a name means to this scope.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<ToolDefinition> {
        self.view().resolve(name).cloned()
    }

    /// Every tool that this scope sees, in order.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolDefinition> {
        self.view().tools().cloned().collect()
    }

    /// Name, description and parameters of every tool that this scope sees, in order.
    #[must_use]
    pub fn schemas(&self) -> Vec<ToolSchema> {
        self.view().schemas()
    }

    /// What is offered to this scope's model: the schemas, narrowed by the presentation mode.
    ///
    /// # Errors
    /// The mode needs `run_code`, and there is no code transport of a known language.
    pub fn wire_schemas(&self) -> Result<Vec<ToolSchema>, WireError> {
        self.view().wire_schemas()
    }

    /// How tools are presented to this scope's model (rule R5).
    #[must_use]
    pub fn presentation_mode(&self) -> PresentationMode {
        self.view().mode()
    }

    /// Whether a call of this scope's agent may run beside its siblings.
    #[must_use]
    pub fn execution_mode(&self, call: &ToolCall) -> ToolExecutionMode {
        self.view().execution_mode(call)
    }

    /// Masks tools that this scope inherits, until the registration is disposed of or the scope closes (rule R3).
    ///
    /// # Errors
    /// The filter is empty, or names what the scope does not inherit.
    pub fn restrict(&self, restriction: ToolRestriction) -> Result<Registration, RestrictionError> {
        let id = self.runtime.store().restrict(self.shared.layer(), restriction)?;
        Ok(Registration::new(&self.runtime, self.shared.layer(), Some(id)))
    }

    /// Declares how tools are presented to the models of this scope and those below it (rule R5).
    ///
    /// # Errors
    /// The scope has declared a mode already.
    pub fn present_as(&self, mode: PresentationMode) -> Result<Registration, PresentationError> {
        let id = self.runtime.store().present_as(self.shared.layer(), mode)?;
        Ok(Registration::new(&self.runtime, self.shared.layer(), Some(id)))
    }

    /// Installs a plugin for this scope and those below it.
    ///
    /// # Errors
    /// The plugin failed; nothing of it is left behind.
    pub fn plug(&self, plugin: impl Plugin) -> Result<PluginHandle, PluginError> {
        PluginHandle::install(&self.runtime, Some(self), plugin)
    }

    pub(crate) fn view(&self) -> Arc<View> {
        self.runtime.store().view(Some(&self.shared))
    }

    pub(super) fn layer(&self) -> LayerId {
        self.shared.layer()
    }

    /// Whether the scope is one of that runtime.
    pub(crate) fn belongs_to(&self, runtime: &ToolRuntime) -> bool {
        self.runtime.is_same(runtime)
    }
}

impl sealed::Registrar for Scope {
    fn site(&self) -> Site<'_> {
        Site::new(&self.runtime, self.shared.layer())
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(&self.name()).finish()
    }
}

impl PartialEq for Scope {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Scope {}
