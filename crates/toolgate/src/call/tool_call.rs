//! What a caller asks for.

use std::sync::Arc;

use super::unchecked::Unrepresentable;
use super::{CallId, Cancellation, ExecutionToken, UncheckedJson};
use crate::{CancellationToken, JsonValue, Scope};

/// A request to call a tool (rule P1).
///
/// The caller chooses everything but the execution's token. Cancellation is required: a call that nobody can stop
/// cannot be written.
#[derive(Debug)]
#[must_use = "a call does nothing until it is executed"]
pub struct ToolCall {
    pub(crate) id: CallId,
    pub(crate) root: Option<CallId>,
    pub(crate) name: Arc<str>,
    /// The arguments, once they have crossed the boundary (rule P2), or why they cannot.
    pub(crate) arguments: Result<JsonValue, Box<Unrepresentable>>,
    pub(crate) scope: Option<Scope>,
    pub(crate) parent: Option<ExecutionToken>,
    pub(crate) cancellation: Cancellation,
}

impl ToolCall {
    /// A call of `name` with a fresh id, by nobody's agent, until [`Scope::execute`] says whose it is.
    pub fn new(
        name: impl Into<Arc<str>>,
        arguments: impl Into<UncheckedJson>,
        cancellation: impl Into<Cancellation>,
    ) -> Self {
        Self {
            id: CallId::generate(),
            root: None,
            name: name.into(),
            arguments: arguments.into().check(),
            scope: None,
            parent: None,
            cancellation: cancellation.into(),
        }
    }

    /// The same call under the caller's id.
    pub fn with_id(mut self, id: impl Into<CallId>) -> Self {
        self.id = id.into();
        self
    }

    /// The same call as part of the tree that the call `root` began.
    pub fn with_root(mut self, root: impl Into<CallId>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// The same call, made by the execution that `parent` belongs to. Such a call is no direct call of a model.
    pub fn with_parent(mut self, parent: ExecutionToken) -> Self {
        self.parent = Some(parent);
        self
    }

    /// The same call on behalf of the agent whose scope this is.
    pub fn in_scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// The same call, also stopped when `signal` fires.
    pub fn stopped_by(mut self, signal: CancellationToken) -> Self {
        self.cancellation = self.cancellation.or(signal);
        self
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// The name of the tool to call.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The agent's scope, once it is known.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }
}
