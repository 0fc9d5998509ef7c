//! Typed tools: the Rust types of arguments and output are the source, the schemas follow from them (rule S5).

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_schema::{CompiledSchema, PathRoot, Schema, parameter_schema_of, value_schema_of};

use super::definition::{DefinitionParts, check_value, list_violations};
use super::presentation::{ToolCallKind, ToolCallView, ToolResult, ToolResultView};
use super::{Behaviour, BoxFuture, ContentBlock, Produced, Projector, ToolDefinition, ToolEffect, ToolError};
use crate::registry::DefinitionProblem;
use crate::result::ToolExecutionResult;
use crate::{JsonValue, RunContext, ToolExecution};

/// A tool with typed arguments and a typed output.
///
/// `#[tool]` and [`tool_fn`](super::tool_fn) make one from a function; implement the trait for a tool that has state
/// or projections of its own. Only `name`, `description` and `run` are required.
///
/// The author's side of the contract:
/// - `run` observes its cancellation and returns once everything it started has come to rest; it is always awaited.
/// - A tool that declares a [`timeout`](Self::timeout) promises exactly that.
/// - A call that is [concurrency safe](Self::is_concurrency_safe) never changes state of whoever made it, and shares
///   nothing with its siblings that minds their order.
/// - Projections (`render`, `presentation_meta`, `finalize_content`, `present_*`) are total, pure and synchronous.
///   They change what is shown, which is no way to keep something secret.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "write `#[tool]` above an async function, wrap a closure in `tool_fn(…)`, or implement `Tool`"
)]
pub trait Tool: Send + Sync + 'static {
    /// What the model sends. Checked against the schema of this type before `run` is called.
    type Args: DeserializeOwned + Schema + Send + 'static;
    /// What `run` returns: the canonical value. It is decoded only where a hook put another value in its place.
    type Output: Serialize + DeserializeOwned + Schema + Send + Sync + 'static;

    /// The name under which the model calls the tool.
    fn name(&self) -> Cow<'static, str>;

    /// What the model is told that the tool does.
    fn description(&self) -> Cow<'static, str>;

    /// How long a call may take; nothing by default.
    ///
    /// A declaration, which the runtime does not enforce by itself: an execute wrapper does, one that runs the rest
    /// with a signal of its own and answers `TOOL_TIMEOUT` when that was too late. The `toolgate` command has one.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// The work itself.
    ///
    /// # Errors
    /// Any failure; the model reads its message. Use [`ToolError::coded`] for failures that callers tell apart.
    fn run(
        &self,
        args: Self::Args,
        cx: RunContext,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;

    /// What the model reads of a value. By default a text as it is, and anything else as compact JSON.
    fn render(&self, args: &JsonValue, output: &Self::Output) -> Option<Vec<ContentBlock>> {
        let _ = (args, output);
        None
    }

    /// What a card needs beyond arguments and content, kept in the log with the result. Asked for direct calls only.
    fn presentation_meta(&self, args: &JsonValue, output: &Self::Output) -> Option<JsonValue> {
        let _ = (args, output);
        None
    }

    /// The last word on the content of every outcome, failures of the pipeline included (rule P17). `None` keeps it.
    fn finalize_content(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
    ) -> Option<Vec<ContentBlock>> {
        let _ = (call, result);
        None
    }

    /// Whether this call may run beside its siblings. No by default.
    fn is_concurrency_safe(&self, args: &Self::Args) -> bool {
        let _ = args;
        false
    }

    /// What the tool does to the world, for the icon of its card.
    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Other
    }

    /// What a call leaves behind in the world. By default the worst, [`ToolEffect::NonIdempotent`]: a tool that is silent
    /// asks for permission where rules are in force, and its lost answers are never asked for again.
    ///
    /// It is asked once, when the tool becomes a definition, so it speaks for every call whatever the arguments are.
    fn effect(&self) -> ToolEffect {
        ToolEffect::default()
    }

    /// How to show a call that has not finished; `None` shows name and arguments.
    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        let _ = args;
        None
    }

    /// How to show a finished call; `None` keeps the pending title and shows the content.
    fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        let _ = (args, result);
        None
    }
}

/// A typed tool behind its erased definition.
pub(super) struct Typed<T> {
    tool: T,
    parameters: CompiledSchema,
    output: CompiledSchema,
}

impl<T: Tool> Typed<T> {
    pub(super) fn define(tool: T) -> ToolDefinition {
        let mut problems = Vec::new();
        let parameters = parameter_schema_of::<T::Args>().unwrap_or_else(|fault| {
            problems.push(DefinitionProblem::InvalidParameters(fault.to_string()));
            CompiledSchema::any()
        });
        let output = value_schema_of::<T::Output>().unwrap_or_else(|fault| {
            problems.push(DefinitionProblem::InvalidOutputSchema(fault.to_string()));
            CompiledSchema::any()
        });
        ToolDefinition::from_parts(DefinitionParts {
            name: tool.name().into(),
            description: tool.description().into_owned(),
            parameters: parameters.raw().clone(),
            output_schema: output.raw().clone(),
            timeout: tool.timeout(),
            kind: tool.kind(),
            effect: tool.effect(),
            problems,
            behaviour: Box::new(Self { tool, parameters, output }),
        })
    }

    fn decode(&self, args: &JsonValue) -> Result<T::Args, ToolError> {
        check_arguments(&self.parameters, args)?;
        args.decode().map_err(|error| ToolError::invalid_arguments(format!("invalid arguments: {error}")))
    }

    fn project_as(
        &self,
        call: &ToolExecution,
        value: JsonValue,
        output: &T::Output,
    ) -> Result<Produced, ToolError> {
        let args = call.arguments();
        Projector { output: &self.output, call }.produce(
            value,
            |_| Ok(self.tool.render(args, output)),
            |_| Ok(self.tool.presentation_meta(args, output)),
        )
    }
}

/// Refuses arguments that do not match the parameters, naming every violation (rule S3).
pub(super) fn check_arguments(parameters: &CompiledSchema, args: &JsonValue) -> Result<(), ToolError> {
    parameters.check_value(args, PathRoot::Arguments).map_err(|violations| {
        ToolError::invalid_arguments(format!("invalid arguments: {}", list_violations(&violations)))
    })
}

impl<T: Tool> Behaviour for Typed<T> {
    fn run<'a>(
        &'a self,
        call: &'a ToolExecution,
        cx: RunContext,
    ) -> BoxFuture<'a, Result<Produced, ToolError>> {
        Box::pin(async move {
            let output = self.tool.run(self.decode(call.arguments())?, cx).await?;
            let value = JsonValue::encode(&output).map_err(|error| {
                ToolError::invalid_output(format!("the tool returned a value that is not JSON: {error}"))
            })?;
            self.project_as(call, value, &output)
        })
    }

    fn project(&self, call: &ToolExecution, value: JsonValue) -> Result<Produced, ToolError> {
        // Somebody else made the value; the schema speaks first, because its words are the better ones.
        check_value(&self.output, &value)?;
        let output: T::Output = value.decode().map_err(|error| {
            ToolError::invalid_output(format!("the value does not fit the tool's output type: {error}"))
        })?;
        self.project_as(call, value, &output)
    }

    fn is_concurrency_safe(&self, args: &JsonValue) -> bool {
        self.decode(args).is_ok_and(|args| self.tool.is_concurrency_safe(&args))
    }

    fn finalize_content(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
    ) -> Option<Vec<ContentBlock>> {
        self.tool.finalize_content(call, result)
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        self.tool.present_call(args)
    }

    fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        self.tool.present_result(args, result)
    }
}
