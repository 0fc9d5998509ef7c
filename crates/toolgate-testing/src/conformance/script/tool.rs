//! Tools as cases declare them, and the definitions that the library gets.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use serde::Deserialize;
use serde_json::Value;
use toolgate::{ContentBlock, JsonValue, ParameterSchema, ToolDefinition, ToolError, UncheckedJson};

use super::super::cases::{CaseValue, Malformed, copy, copy_as_object};
use super::World;
use super::body::{Body, BodyOp};
use super::finalize::FinalizeSpec;
use super::op::{Op, Script, fail_by_panic};

/// A tool as a case declares it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ToolSpec {
    pub(super) name: String,
    description: Option<String>,
    pub(super) r#in: Option<String>,
    parameters: Option<CaseValue>,
    typed: Option<CaseValue>,
    #[serde(default)]
    output: OutputSpec,
    finalize: Option<FinalizeSpec>,
    timeout_ms: Option<f64>,
    concurrency: Option<Concurrency>,
    body: Option<Arc<Script<BodyOp>>>,
}

impl ToolSpec {
    /// The same tool; without a body of its own it returns a text.
    pub(crate) fn or_returning_its_name(mut self) -> Self {
        let name = &self.name;
        self.body.get_or_insert_with(|| {
            let value = CaseValue::from_text(format!("{name} ran"));
            Arc::new(vec![Op::Own(Op::Own(BodyOp::Return { value }))])
        });
        self
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputSpec {
    schema: Option<CaseValue>,
    render: Option<RenderSpec>,
    meta: Option<MetaSpec>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum RenderSpec {
    Value {},
    Prefix { text: String },
    Argument { name: String },
    Blocks {},
    Const { content: Vec<ContentBlock> },
    Throw { message: String },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum MetaSpec {
    Const { value: CaseValue },
    Echo {},
    Throw { message: String },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Concurrency {
    Named(NamedConcurrency),
    ByArgument(ByArgument),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedConcurrency {
    Parallel,
    Exclusive,
    Throws,
    /// An answer that is not a boolean cannot be written here: it reads as one that is not yes.
    NotBoolean,
    /// Likewise.
    One,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ByArgument {
    when_argument: String,
    equals: CaseValue,
}

/// Makes the definition of a tool.
pub(crate) fn define(world: &Arc<World>, spec: &ToolSpec) -> Result<ToolDefinition, Malformed> {
    let description = spec.description.clone().unwrap_or_else(|| format!("tool {}", spec.name));
    let mut builder = ToolDefinition::raw(spec.name.clone(), description);
    builder = match (&spec.parameters, &spec.typed) {
        (Some(_), Some(_)) => return Err(Malformed::new("a tool is either raw or typed")),
        (Some(raw), None) => builder.raw_parameters(raw.to_lossless()?),
        (None, Some(typed)) => {
            let typed = ParameterSchema::from_json(typed.as_value());
            builder.parameters(&typed.map_err(|fault| Malformed::new(fault.to_string()))?)
        }
        (None, None) => builder.raw_parameters(no_parameters()?),
    };
    builder = builder.output_schema(match &spec.output.schema {
        Some(schema) => schema.to_lossless()?,
        None => JsonValue::empty_object(),
    });
    if let Some(render) = spec.output.render.clone() {
        builder = builder.render(move |arguments, value| render.render(arguments, value));
    }
    if let Some(meta) = spec.output.meta.clone() {
        builder = builder.presentation_meta(move |arguments, value| meta.project(arguments, value));
    }
    if let Some(finalize) = spec.finalize.clone() {
        let (world, tool) = (Arc::clone(world), spec.name.clone());
        builder =
            builder.finalize_content(move |call, result| finalize.finalize(&world, &tool, call, result));
    }
    if let Some(timeout) = spec.timeout_ms {
        builder = builder.timeout_ms(timeout);
    }
    if let Some(concurrency) = spec.concurrency.clone() {
        builder = builder.concurrency_safe_when(move |arguments| concurrency.is_parallel(arguments));
    }
    let body = Arc::new(Body {
        world: Arc::clone(world),
        tool: spec.name.clone(),
        script: spec.body.clone().unwrap_or_default(),
        runs: AtomicU32::new(0),
    });
    Ok(builder.body(move |arguments, cx| {
        let body = Arc::clone(&body);
        async move { body.run(&arguments, &cx).await }
    }))
}

fn no_parameters() -> Result<JsonValue, Malformed> {
    JsonValue::parse(r#"{"type":"object","properties":{}}"#)
        .map_err(|error| Malformed::new(error.to_string()))
}

impl RenderSpec {
    fn render(&self, arguments: &JsonValue, value: &JsonValue) -> Result<Vec<ContentBlock>, ToolError> {
        Ok(match self {
            Self::Value {} => vec![ContentBlock::text(plain_text(value))],
            Self::Prefix { text } => vec![ContentBlock::text(format!("{text}{}", plain_text(value)))],
            Self::Argument { name } => {
                let argument = arguments.get(name).map(plain_text).unwrap_or_default();
                vec![ContentBlock::text(format!("{argument}:{}", plain_text(value)))]
            }
            Self::Blocks {} => {
                let blocks =
                    value.as_array().ok_or_else(|| ToolError::new("the value is no list of blocks"))?;
                let block = |block| Ok(ContentBlock::from_json(&JsonValue::new(copy(block))?)?);
                blocks.iter().map(block).collect::<Result<_, ToolError>>()?
            }
            Self::Const { content } => content.clone(),
            Self::Throw { message } => return Err(ToolError::new(message.clone())),
        })
    }
}

/// A text as it is, anything else as compact JSON.
fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| copy(value).to_string(), str::to_owned)
}

impl MetaSpec {
    fn project(&self, arguments: &JsonValue, value: &JsonValue) -> Result<UncheckedJson, ToolError> {
        match self {
            Self::Const { value } => Ok(value.to_raw().into()),
            Self::Echo {} => Ok(copy_as_object(&[("args", arguments), ("value", value)]).into()),
            Self::Throw { message } => Err(ToolError::new(message.clone())),
        }
    }
}

impl Concurrency {
    fn is_parallel(&self, arguments: &JsonValue) -> bool {
        match self {
            Self::Named(NamedConcurrency::Parallel) => true,
            Self::Named(
                NamedConcurrency::Exclusive | NamedConcurrency::NotBoolean | NamedConcurrency::One,
            ) => false,
            Self::Named(NamedConcurrency::Throws) => fail_by_panic("the classifier failed".to_owned()),
            Self::ByArgument(ByArgument { when_argument, equals }) => {
                arguments.get(when_argument).is_some_and(|argument| copy(argument) == equals.to_raw())
            }
        }
    }
}
