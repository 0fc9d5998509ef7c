//! A tool as the registry holds it, with its author's types erased.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::Value;
use toolgate_schema::PathRoot;

use super::presentation::{ToolCallKind, ToolCallView, ToolResult, ToolResultView};
use super::typed::Typed;
use super::{ContentBlock, RawToolBuilder, Tool, ToolEffect, ToolError};
use crate::pipeline::contained;
use crate::registry::DefinitionProblem;
use crate::result::ToolExecutionResult;
use crate::{CompiledSchema, JsonValue, RunContext, ToolExecution};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A registered tool: what the model is told of it, what it promises to return, and how it runs.
///
/// Cheap to clone. Nothing but name, description and parameters can reach a model request (rule R6).
#[derive(Clone)]
pub struct ToolDefinition(Arc<DefinitionParts>);

/// Which definition it is: equal for clones of one definition, and for nothing else, as long as any of them lives. Made by
/// [`ToolDefinition::identity`]; it does not keep the tool alive.
#[derive(Clone)]
pub struct ToolIdentity(Weak<DefinitionParts>);

impl PartialEq for ToolIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl Eq for ToolIdentity {}

impl fmt::Debug for ToolIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolIdentity(…)")
    }
}

pub(crate) struct DefinitionParts {
    pub(crate) name: Arc<str>,
    pub(crate) description: String,
    pub(crate) parameters: JsonValue,
    pub(crate) output_schema: JsonValue,
    pub(crate) timeout: Option<Duration>,
    pub(crate) kind: ToolCallKind,
    pub(crate) effect: ToolEffect,
    /// What is wrong with the definition; a registry refuses one that has any (rule R2).
    pub(crate) problems: Vec<DefinitionProblem>,
    pub(crate) behaviour: Box<dyn Behaviour>,
}

/// A canonical value with everything that is derived from it (rule P12).
pub(crate) struct Produced {
    pub(crate) value: JsonValue,
    pub(crate) content: Arc<[ContentBlock]>,
    pub(crate) meta: Option<JsonValue>,
}

/// Somebody's tool behind the definition. None of its methods is contained; callers are.
pub(crate) trait Behaviour: Send + Sync {
    /// Runs the body and derives the result from its value.
    fn run<'a>(
        &'a self,
        call: &'a ToolExecution,
        cx: RunContext,
    ) -> BoxFuture<'a, Result<Produced, ToolError>>;
    /// Validates a value that did not come from the body and derives the result from it.
    fn project(&self, call: &ToolExecution, value: JsonValue) -> Result<Produced, ToolError>;
    fn is_concurrency_safe(&self, args: &JsonValue) -> bool;
    fn finalize_content(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
    ) -> Option<Vec<ContentBlock>>;
    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView>;
    fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView>;
}

impl ToolDefinition {
    /// The definition of a typed tool.
    pub fn new<T: Tool>(tool: T) -> Self {
        Typed::define(tool)
    }

    /// Begins a definition whose schemas and values are plain JSON: a tool that is known only at run time.
    pub fn raw(name: impl Into<String>, description: impl Into<String>) -> RawToolBuilder {
        RawToolBuilder::new(name.into(), description.into())
    }

    pub(crate) fn from_parts(parts: DefinitionParts) -> Self {
        Self(Arc::new(parts))
    }

    /// What tells this definition from every other one, also from an equal one that was made apart.
    #[must_use]
    pub fn identity(&self) -> ToolIdentity {
        ToolIdentity(Arc::downgrade(&self.0))
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What the model is told the tool does.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// The JSON Schema of the arguments, as it is sent to a model.
    #[must_use]
    pub fn parameters(&self) -> &JsonValue {
        &self.0.parameters
    }

    /// The JSON Schema that every value of the tool conforms to. Never sent to a model as such.
    #[must_use]
    pub fn output_schema(&self) -> &JsonValue {
        &self.0.output_schema
    }

    /// How long the tool may take, where it says so. A promise that the body stops when it is cancelled; enforced by
    /// a policy, not by the registry.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// What a call leaves behind in the world, as the tool declares it.
    #[must_use]
    pub fn effect(&self) -> ToolEffect {
        self.0.effect
    }

    /// How to show a call that has not finished. Depends on the arguments alone, so that a live view and a replayed
    /// log agree. A tool without an answer, or whose presenter fails, is shown by its name and raw arguments.
    #[must_use]
    pub fn present_call(&self, args: &JsonValue) -> ToolCallView {
        let answer = contained(|| Ok(self.0.behaviour.present_call(args)));
        answer.ok().flatten().unwrap_or_else(|| ToolCallView::fallback(self.name(), self.0.kind, args))
    }

    /// How to show a finished call. Depends on the arguments and the durable result alone. A tool without an answer,
    /// or whose presenter fails, keeps the pending title and shows the content.
    #[must_use]
    pub fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> ToolResultView {
        let answer = contained(|| Ok(self.0.behaviour.present_result(args, result)));
        answer.ok().flatten().unwrap_or_else(|| {
            ToolResultView::fallback(self.present_call(args).title().to_owned(), result.content.to_vec())
        })
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.0.name)
    }

    pub(crate) fn problems(&self) -> &[DefinitionProblem] {
        &self.0.problems
    }

    pub(crate) fn behaviour(&self) -> &dyn Behaviour {
        &*self.0.behaviour
    }
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDefinition").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// What can be registered: a typed tool, or a definition made before.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "write `#[tool]` above an async function, wrap a closure in `tool_fn(…)`, implement `Tool`, or finish a raw definition with `.body(…)`"
)]
pub trait IntoToolDefinition {
    /// The definition to register.
    fn into_definition(self) -> ToolDefinition;
}

impl<T: Tool> IntoToolDefinition for T {
    fn into_definition(self) -> ToolDefinition {
        ToolDefinition::new(self)
    }
}

impl IntoToolDefinition for ToolDefinition {
    fn into_definition(self) -> ToolDefinition {
        self
    }
}

/// The checks and projections that every value passes on its way to a result (rule P12), shared by typed and raw
/// tools.
pub(crate) struct Projector<'a> {
    pub(crate) output: &'a CompiledSchema,
    pub(crate) call: &'a ToolExecution,
}

impl Projector<'_> {
    pub(crate) fn produce(
        &self,
        value: JsonValue,
        render: impl FnOnce(&JsonValue) -> Result<Option<Vec<ContentBlock>>, ToolError>,
        presentation_meta: impl FnOnce(&JsonValue) -> Result<Option<JsonValue>, ToolError>,
    ) -> Result<Produced, ToolError> {
        check_value(self.output, &value)?;
        let content = contained(|| render(&value))
            .map_err(|e| {
                ToolError::invalid_output(format!("the tool's value could not be rendered: {}", e.message()))
            })?
            .map_or_else(|| default_content(&value), Into::into);
        // Metadata is for the card of a call that a person sees; a nested call has none.
        let meta = match self.call.parent() {
            Some(_) => None,
            None => contained(|| presentation_meta(&value)).map_err(|e| {
                ToolError::invalid_output(format!(
                    "the tool's presentation metadata could not be made: {}",
                    e.message()
                ))
            })?,
        };
        Ok(Produced { value, content, meta })
    }
}

/// Refuses a value that the output declaration does not allow.
pub(crate) fn check_value(output: &CompiledSchema, value: &JsonValue) -> Result<(), ToolError> {
    output.check_value(value, PathRoot::Value).map_err(|violations| {
        ToolError::invalid_output(format!(
            "the value is not what the tool declares: {}",
            list_violations(&violations)
        ))
    })
}

/// The content of a value whose tool has no renderer: a text as it is, anything else as compact JSON.
pub(crate) fn default_content(value: &JsonValue) -> Arc<[ContentBlock]> {
    let text = match value.as_value() {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_text()
        }
    };
    Arc::new([ContentBlock::text(text)])
}

/// The first violations in words, and how many there are beyond those: a message stays short whatever a model sends.
pub(crate) fn list_violations<V: fmt::Display>(violations: &[V]) -> String {
    const SHOWN: usize = 10;
    let mut list = violations.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if let Some(more) = violations.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        list.push_str(&format!("; and {more} more"));
    }
    list
}
