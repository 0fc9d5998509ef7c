//! Which values a schema accepts, and what is wrong with the others.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_schema::{
    CompiledSchema, JsonValue, ParameterSchema, PathRoot, ValueViolation, ValueViolationKind,
};

use super::super::apart::Played;
use super::super::cases::{Case, CaseValue, Malformed, repeated_text};
use super::super::compare::Comparison;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    schema: Option<CaseValue>,
    parameters: Option<Value>,
    value: CaseValue,
    root: Option<Root>,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Root {
    Implicit,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    valid: bool,
    #[serde(default)]
    violations: Vec<ExpectedViolation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedViolation {
    path: Value,
    kind: String,
    expected: Option<String>,
    matched: Option<usize>,
}

pub(super) fn run(case: &Case) -> Played {
    let Fields { schema, parameters, value, root, expect } = case.fields()?.rest()?;
    let schema = compile(schema, parameters)?;
    let root = match root {
        Some(Root::Implicit) => PathRoot::Arguments,
        None => PathRoot::Value,
    };
    let violations = schema.validate(value.as_value(), root);
    let expected = expect.violations.into_iter().map(ExpectedViolation::into_value);
    let expected = expected.collect::<Result<Value, Malformed>>()?;
    let mut comparison = Comparison::default();
    comparison.json("valid", &Value::from(expect.valid), &Value::from(violations.is_empty()));
    comparison.json("violations", &expected, &violations.iter().map(observed).collect());
    // The library has a quicker answer for values that have crossed its boundary; it must be the same one.
    if let Ok(value) = JsonValue::new(value.to_raw()) {
        comparison.json("valid", &Value::from(expect.valid), &Value::from(schema.is_valid(&value)));
    }
    Ok(comparison.into_mismatches())
}

fn compile(schema: Option<CaseValue>, parameters: Option<Value>) -> Result<CompiledSchema, Malformed> {
    match (schema, parameters) {
        (Some(schema), None) => CompiledSchema::compile(schema.to_lossless()?)
            .map_err(|error| Malformed::new(format!("the schema is not accepted: {error}"))),
        (None, Some(parameters)) => ParameterSchema::from_json(&parameters)
            .and_then(|parameters| parameters.compile())
            .map_err(|fault| Malformed::new(format!("the parameters do not compile: {fault}"))),
        (Some(_), Some(_)) | (None, None) => {
            Err(Malformed::new("a case has either `schema` or `parameters`"))
        }
    }
}

impl ExpectedViolation {
    fn into_value(self) -> Result<Value, Malformed> {
        let matched = self.matched.map(Value::from);
        let expected = self.expected.map(Value::from);
        Ok(violation(repeated_text(&self.path)?, &self.kind, expected, matched))
    }
}

fn observed(found: &ValueViolation) -> Value {
    let kind = found.kind();
    let (expected, matched) = match kind {
        ValueViolationKind::WrongType { expected } => (Some(Value::from(expected.as_str())), None),
        ValueViolationKind::OneOfMatch { matched } => (None, Some(Value::from(matched))),
        ValueViolationKind::NotLossless
        | ValueViolationKind::MissingRequired
        | ValueViolationKind::UndeclaredProperty
        | ValueViolationKind::EnumMismatch
        | ValueViolationKind::ConstMismatch => (None, None),
    };
    violation(found.path(), kind.as_str(), expected, matched)
}

fn violation(path: String, kind: &str, expected: Option<Value>, matched: Option<Value>) -> Value {
    let fields = [
        ("path", Some(Value::from(path))),
        ("kind", Some(Value::from(kind))),
        ("expected", expected),
        ("matched", matched),
    ];
    let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}
