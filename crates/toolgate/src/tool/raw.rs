//! Tools that are known only at run time: declared in a file, or found on another server (rule S7).

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use toolgate_schema::{CompiledSchema, ParameterSchema};

use super::definition::DefinitionParts;
use super::presentation::{ToolCallKind, ToolCallView, ToolResult, ToolResultView};
use super::typed::check_arguments;
use super::{Behaviour, BoxFuture, ContentBlock, Produced, Projector, ToolDefinition, ToolEffect, ToolError};
use crate::registry::DefinitionProblem;
use crate::result::ToolExecutionResult;
use crate::{JsonValue, RunContext, ToolExecution, UncheckedJson};

type Body =
    dyn Fn(JsonValue, RunContext) -> BoxFuture<'static, Result<UncheckedJson, ToolError>> + Send + Sync;
type Render = dyn Fn(&JsonValue, &JsonValue) -> Result<Vec<ContentBlock>, ToolError> + Send + Sync;
type Meta = dyn Fn(&JsonValue, &JsonValue) -> Result<UncheckedJson, ToolError> + Send + Sync;
type Finalize = dyn Fn(&ToolExecution, &ToolExecutionResult) -> Option<Vec<ContentBlock>> + Send + Sync;
type Classify = dyn Fn(&JsonValue) -> bool + Send + Sync;
type PresentCall = dyn Fn(&JsonValue) -> Option<ToolCallView> + Send + Sync;
type PresentResult = dyn Fn(&JsonValue, &ToolResult<'_>) -> Option<ToolResultView> + Send + Sync;

/// Builds a [`ToolDefinition`] from plain JSON schemas and functions of JSON.
///
/// Mistakes are collected and reported, all of them, when the definition is registered (rule R2).
#[must_use = "call `body` to get the definition"]
pub struct RawToolBuilder {
    name: String,
    description: String,
    parameters: JsonValue,
    /// Set where the registry is to check the arguments.
    checked_parameters: Option<CompiledSchema>,
    output: Option<CompiledSchema>,
    timeout: Option<Duration>,
    kind: ToolCallKind,
    effect: ToolEffect,
    problems: Vec<DefinitionProblem>,
    functions: Functions,
}

#[derive(Default)]
struct Functions {
    render: Option<Box<Render>>,
    presentation_meta: Option<Box<Meta>>,
    finalize_content: Option<Box<Finalize>>,
    is_concurrency_safe: Option<Box<Classify>>,
    present_call: Option<Box<PresentCall>>,
    present_result: Option<Box<PresentResult>>,
}

impl RawToolBuilder {
    pub(super) fn new(name: String, description: String) -> Self {
        Self {
            name,
            description,
            parameters: JsonValue::empty_object(),
            checked_parameters: None,
            output: None,
            timeout: None,
            kind: ToolCallKind::Other,
            effect: ToolEffect::default(),
            problems: Vec::new(),
            functions: Functions::default(),
        }
    }

    /// The JSON Schema of the arguments, sent to models exactly as it is. It need not be in the enforced subset, and
    /// the arguments are not checked against it: the body does that.
    pub fn raw_parameters(mut self, schema: impl Into<UncheckedJson>) -> Self {
        match schema.into().check() {
            Ok(schema) => self.parameters = schema,
            Err(error) => self.problems.push(DefinitionProblem::InvalidParameters(error.to_string())),
        }
        self.checked_parameters = None;
        self
    }

    /// The arguments in the author language. They are checked before the body and the classifier see them.
    pub fn parameters(mut self, schema: &ParameterSchema) -> Self {
        match schema.compile() {
            Ok(compiled) => {
                self.parameters = compiled.raw().clone();
                self.checked_parameters = Some(compiled);
            }
            Err(fault) => self.problems.push(DefinitionProblem::InvalidParameters(fault.to_string())),
        }
        self
    }

    /// The JSON Schema of every value, in the enforced subset. Without one the definition is refused; `{}` allows any
    /// value.
    pub fn output_schema(mut self, schema: impl Into<UncheckedJson>) -> Self {
        let schema = schema.into().check().map_err(|error| error.to_string());
        let compiled =
            schema.and_then(|schema| CompiledSchema::compile(schema).map_err(|error| error.to_string()));
        self.output = Some(compiled.unwrap_or_else(|problem| {
            self.problems.push(DefinitionProblem::InvalidOutputSchema(problem));
            CompiledSchema::any()
        }));
        self
    }

    /// How long a call may take: a promise for a policy to enforce, as [`Tool::timeout`](super::Tool::timeout) says.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same in milliseconds, as files and protocols give it. It must be positive and finite.
    pub fn timeout_ms(mut self, milliseconds: f64) -> Self {
        match Duration::try_from_secs_f64(milliseconds / 1000.0) {
            Ok(timeout) => self.timeout = Some(timeout),
            Err(_) => self.problems.push(DefinitionProblem::InvalidTimeout(format!("{milliseconds} ms"))),
        }
        self
    }

    /// What the tool does to the world, for the icon of its card.
    pub fn kind(mut self, kind: ToolCallKind) -> Self {
        self.kind = kind;
        self
    }

    /// What a call leaves behind in the world; see [`Tool::effect`](super::Tool::effect).
    pub fn effect(mut self, effect: ToolEffect) -> Self {
        self.effect = effect;
        self
    }

    /// What the model reads of a value, from arguments and value.
    pub fn render(
        mut self,
        render: impl Fn(&JsonValue, &JsonValue) -> Result<Vec<ContentBlock>, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.functions.render = Some(Box::new(render));
        self
    }

    /// What a card needs beyond arguments and content, from arguments and value.
    pub fn presentation_meta<V: Into<UncheckedJson>>(
        mut self,
        meta: impl Fn(&JsonValue, &JsonValue) -> Result<V, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.functions.presentation_meta =
            Some(Box::new(move |args, value| meta(args, value).map(Into::into)));
        self
    }

    /// The last word on the content of every outcome. It must be total.
    pub fn finalize_content(
        mut self,
        finalize: impl Fn(&ToolExecution, &ToolExecutionResult) -> Option<Vec<ContentBlock>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.functions.finalize_content = Some(Box::new(finalize));
        self
    }

    /// Which calls may run beside their siblings.
    pub fn concurrency_safe_when(
        mut self,
        classify: impl Fn(&JsonValue) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.functions.is_concurrency_safe = Some(Box::new(classify));
        self
    }

    /// How to show a call that has not finished.
    pub fn present_call(
        mut self,
        present: impl Fn(&JsonValue) -> Option<ToolCallView> + Send + Sync + 'static,
    ) -> Self {
        self.functions.present_call = Some(Box::new(present));
        self
    }

    /// How to show a finished call.
    pub fn present_result(
        mut self,
        present: impl Fn(&JsonValue, &ToolResult<'_>) -> Option<ToolResultView> + Send + Sync + 'static,
    ) -> Self {
        self.functions.present_result = Some(Box::new(present));
        self
    }

    /// The work itself, and with it the definition.
    pub fn body<F, Fut, V>(mut self, body: F) -> ToolDefinition
    where
        F: Fn(JsonValue, RunContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<V, ToolError>> + Send + 'static,
        V: Into<UncheckedJson>,
    {
        let body: Box<Body> = Box::new(move |args, cx| {
            let running = body(args, cx);
            Box::pin(async move { running.await.map(Into::into) })
        });
        let output = self.output.unwrap_or_else(|| {
            self.problems.push(DefinitionProblem::MissingOutputSchema);
            CompiledSchema::any()
        });
        ToolDefinition::from_parts(DefinitionParts {
            name: self.name.into(),
            description: self.description,
            parameters: self.parameters,
            output_schema: output.raw().clone(),
            timeout: self.timeout,
            kind: self.kind,
            effect: self.effect,
            problems: self.problems,
            behaviour: Box::new(Raw {
                checked_parameters: self.checked_parameters,
                output,
                body: Arc::from(body),
                functions: self.functions,
            }),
        })
    }
}

/// A raw tool behind its erased definition.
struct Raw {
    checked_parameters: Option<CompiledSchema>,
    output: CompiledSchema,
    body: Arc<Body>,
    functions: Functions,
}

impl Raw {
    fn check_arguments(&self, args: &JsonValue) -> Result<(), ToolError> {
        self.checked_parameters.as_ref().map_or(Ok(()), |parameters| check_arguments(parameters, args))
    }
}

impl Behaviour for Raw {
    fn run<'a>(
        &'a self,
        call: &'a ToolExecution,
        cx: RunContext,
    ) -> BoxFuture<'a, Result<Produced, ToolError>> {
        Box::pin(async move {
            self.check_arguments(call.arguments())?;
            let value = (self.body)(call.arguments().clone(), cx).await?;
            let value = value.check().map_err(|error| {
                ToolError::invalid_output(format!("the tool returned a value that is not JSON: {error}"))
            })?;
            self.project(call, value)
        })
    }

    fn project(&self, call: &ToolExecution, value: JsonValue) -> Result<Produced, ToolError> {
        let args = call.arguments();
        Projector { output: &self.output, call }.produce(
            value,
            |value| self.functions.render.as_ref().map(|render| render(args, value)).transpose(),
            |value| {
                let Some(meta) = &self.functions.presentation_meta else { return Ok(None) };
                Ok(Some(meta(args, value)?.check()?))
            },
        )
    }

    fn is_concurrency_safe(&self, args: &JsonValue) -> bool {
        let classify = self.functions.is_concurrency_safe.as_ref();
        classify.is_some_and(|classify| self.check_arguments(args).is_ok() && classify(args))
    }

    fn finalize_content(
        &self,
        call: &ToolExecution,
        result: &ToolExecutionResult,
    ) -> Option<Vec<ContentBlock>> {
        self.functions.finalize_content.as_ref().and_then(|finalize| finalize(call, result))
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        self.functions.present_call.as_ref().and_then(|present| present(args))
    }

    fn present_result(&self, args: &JsonValue, result: &ToolResult<'_>) -> Option<ToolResultView> {
        self.functions.present_result.as_ref().and_then(|present| present(args, result))
    }
}
