//! What the author language becomes.

use serde::Deserialize;
use serde_json::Value;
use toolgate_schema::{AuthorFault, CompiledSchema, JsonValue, ParameterSchema, ValueSchema};

use super::super::apart::Played;
use super::super::cases::{Case, CaseValue};
use super::super::compare::Comparison;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    root: Root,
    spec: CaseValue,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Root {
    Value,
    Parameters,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    compiled: bool,
    schema: Option<CaseValue>,
    kind: Option<String>,
    /// Where the reference found the fault; informative.
    #[serde(rename = "path")]
    _path: Option<Value>,
}

pub(super) fn run(case: &Case) -> Played {
    let Fields { root, spec, expect } = case.fields()?.rest()?;
    let compiled = match root {
        Root::Value => compile_value(&spec),
        Root::Parameters => compile_parameters(&spec),
    };
    let mut comparison = Comparison::default();
    comparison.json("compiled", &Value::from(expect.compiled), &Value::from(compiled.is_ok()));
    let (schema, kind) = match &compiled {
        Ok(schema) => (Some(schema.as_value()), None),
        Err(fault) => (None, Some(Value::from(fault.kind().as_str()))),
    };
    comparison.optional("schema", expect.schema.as_ref().map(CaseValue::as_value), schema);
    comparison.optional("kind", expect.kind.map(Value::from).as_ref(), kind.as_ref());
    if let Ok(schema) = compiled
        && let Err(unsupported) = CompiledSchema::compile(schema)
    {
        comparison.differs("schema", "a schema of the enforced subset", &unsupported.to_string());
    }
    Ok(comparison.into_mismatches())
}

fn compile_value(spec: &CaseValue) -> Result<JsonValue, AuthorFault> {
    let schema = ValueSchema::from_json(spec.as_value())?;
    schema.compile()?;
    schema.to_json_schema()
}

fn compile_parameters(spec: &CaseValue) -> Result<JsonValue, AuthorFault> {
    let schema = ParameterSchema::from_json(spec.as_value())?;
    schema.compile()?;
    schema.to_json_schema()
}
