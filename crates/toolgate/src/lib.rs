//! Toolgate: one guarded path between a model and the tools it calls.
//!
//! A [`ToolRuntime`] holds tools, policy and hooks. Every call, whoever makes it, goes through
//! [`ToolRuntime::execute`]: policy, guards, wrappers, the body, post policy, finalisation, observers. What comes
//! back is a [`ToolExecutionResult`]; a call never panics, never disappears and never runs unapproved.
//!
//! ```
//! use toolgate::prelude::*;
//!
//! #[derive(serde::Deserialize, Schema)]
//! struct Add {
//!     a: i64,
//!     b: i64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), toolgate::SetupError> {
//! let runtime = ToolRuntime::builder()
//!     .tool(tool_fn("add", "Add two integers.", |args: Add, _cx: RunContext| async move { Ok(args.a + args.b) }))
//!     .build()?;
//!
//! let call = ToolCall::new("add", serde_json::json!({ "a": 1, "b": 2 }), CancellationToken::new());
//! let result = runtime.execute(call).await;
//! assert_eq!(result.text(), "3");
//! # Ok(())
//! # }
//! ```
//!
//! The folders are in the order of a call: [`tool`](mod@tool) (what authors write), [`registry`] (who sees which tool),
//! [`call`] (one call and its identity), [`hook`] (what may look at it), `pipeline` (the order of everything),
//! [`result`] (what comes back) and [`schedule`] (several calls of one model step).
//!
//! This crate never spawns a task, starts a timer, talks to a network or prints.

pub mod call;
pub mod hook;
mod pipeline;
pub mod registry;
pub mod result;
pub mod schedule;
pub mod text;
pub mod tool;

pub use call::{CallId, Cancellation, ExecutionToken, RunContext, ToolCall, ToolExecution, UncheckedJson};
pub use hook::{
    ApprovalOutcome, ApprovalRequest, Approver, ChangeObserver, CodeDispatchLog, CodeDispatchLogListener,
    Execute, HookResult, Next, PostExecute, PostToolDecision, PreExecute, PreToolDecision, Progress,
    Replacement, Report, ReportObserver, ReportedMessage, ResultObserver, Severity, stage,
};
pub use pipeline::{DispatchedCall, PolicyReview, PreparedCall};
pub use registry::{
    CodeProgram, CodeTransport, Plugin, PluginContext, PluginHandle, PresentationError, PresentationMode,
    Registrar, Registration, RegistrationError, RestrictionError, Scope, ScopeId, SetupError, ToolGroup,
    ToolRestriction, ToolRuntime, ToolRuntimeBuilder, ToolSchema, WeakScope, WireError,
};
pub use result::{ErrorInfo, FailureCause, ToolExecutionResult, ToolFailure, ToolOutcome};
pub use schedule::{BatchResult, CallBatch, ToolExecutionMode};
pub use tool::{
    ContentBlock, FileDiff, FileLocation, IntoToolDefinition, ReadFileLine, Tool, ToolCallKind, ToolCallView,
    ToolDefinition, ToolEffect, ToolError, ToolIdentity, ToolResult, ToolResultView, UserMessage, tool_fn,
};
pub use toolgate_macros::{Schema, tool};
pub use toolgate_schema::{
    CompiledSchema, DecodeError, EncodeError, JsonValue, Node, NotLossless, Nullable, ParameterSchema,
    ParseError, ParseErrorKind, ParseLimits, RawJson, Schema, ValueSchema, indented_text,
};

pub use tokio_util::sync::CancellationToken;

/// What a program that defines and runs tools usually needs.
pub mod prelude {
    pub use crate::stage::{Dispatch, DispatchLog, Post, Pre};
    pub use crate::{
        ApprovalOutcome, ApprovalRequest, Approver, CallId, Cancellation, CancellationToken, ContentBlock,
        Execute, HookResult, JsonValue, Next, Nullable, Plugin, PluginContext, PostExecute, PostToolDecision,
        PreExecute, PreToolDecision, PresentationMode, Registrar, Registration, Replacement, ResultObserver,
        RunContext, Schema, Scope, Tool, ToolCall, ToolEffect, ToolError, ToolExecution, ToolExecutionMode,
        ToolExecutionResult, ToolRestriction, ToolRuntime, UserMessage, tool, tool_fn,
    };
}

/// What the macros of `toolgate-macros` expand to; not for people.
#[doc(hidden)]
pub mod __private {
    pub use serde;
    pub use toolgate_schema as schema;
}

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Compiles and runs the guide's programs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/write-a-tool.md")]
struct WriteATool;
