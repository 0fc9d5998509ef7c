//! Tools from plain functions and closures.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_schema::Schema;

use super::{Tool, ToolCallKind, ToolEffect, ToolError};
use crate::RunContext;

/// A tool from an async function of its arguments and its run context.
///
/// `A` is the type of the arguments, which the function names in its signature:
/// `|args: Add, cx: RunContext| async move { … }`.
pub fn tool_fn<F, A, O, Fut>(
    name: impl Into<Cow<'static, str>>,
    description: impl Into<Cow<'static, str>>,
    body: F,
) -> FunctionTool<F, A, O>
where
    F: Fn(A, RunContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, ToolError>> + Send + 'static,
    A: DeserializeOwned + Schema + Send + 'static,
    O: Serialize + DeserializeOwned + Schema + Send + Sync + 'static,
{
    FunctionTool {
        name: name.into(),
        description: description.into(),
        timeout: None,
        is_concurrency_safe: false,
        kind: ToolCallKind::Other,
        effect: ToolEffect::default(),
        body,
        types: PhantomData,
    }
}

/// What [`tool_fn`] makes.
pub struct FunctionTool<F, A, O> {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    timeout: Option<Duration>,
    is_concurrency_safe: bool,
    kind: ToolCallKind,
    effect: ToolEffect,
    body: F,
    types: PhantomData<fn(A) -> O>,
}

impl<F, A, O> FunctionTool<F, A, O> {
    /// Lets every call of the tool run beside its siblings; see [`Tool`] for what that promises.
    #[must_use]
    pub fn concurrency_safe(mut self) -> Self {
        self.is_concurrency_safe = true;
        self
    }

    /// Declares how long a call may take; see [`Tool::timeout`] for who enforces it.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Says what the tool does to the world.
    #[must_use]
    pub fn kind(mut self, kind: ToolCallKind) -> Self {
        self.kind = kind;
        self
    }

    /// Says what a call leaves behind in the world; see [`Tool::effect`].
    #[must_use]
    pub fn effect(mut self, effect: ToolEffect) -> Self {
        self.effect = effect;
        self
    }
}

impl<F, A, O, Fut> Tool for FunctionTool<F, A, O>
where
    F: Fn(A, RunContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, ToolError>> + Send + 'static,
    A: DeserializeOwned + Schema + Send + 'static,
    O: Serialize + DeserializeOwned + Schema + Send + Sync + 'static,
{
    type Args = A;
    type Output = O;

    fn name(&self) -> Cow<'static, str> {
        self.name.clone()
    }

    fn description(&self) -> Cow<'static, str> {
        self.description.clone()
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn run(&self, args: A, cx: RunContext) -> impl Future<Output = Result<O, ToolError>> + Send {
        (self.body)(args, cx)
    }

    fn is_concurrency_safe(&self, _args: &A) -> bool {
        self.is_concurrency_safe
    }

    fn kind(&self) -> ToolCallKind {
        self.kind
    }

    fn effect(&self) -> ToolEffect {
        self.effect
    }
}
