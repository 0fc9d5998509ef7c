//! Which raw schemas are in the enforced subset, and what is wrong with the others.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate_schema::{SchemaViolation, check, check_object_root};

use super::super::apart::Played;
use super::super::cases::{Case, CaseValue, Malformed, repeated_text};
use super::super::compare::Comparison;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    schema: CaseValue,
    root: Option<Root>,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Root {
    Object,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    accepted: bool,
    #[serde(default)]
    violations: Vec<ExpectedViolation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedViolation {
    path: Value,
    kind: String,
    name: Option<String>,
}

pub(super) fn run(case: &Case) -> Played {
    let Fields { schema, root, expect } = case.fields()?.rest()?;
    let violations = match root {
        Some(Root::Object) => check_object_root(schema.as_value()),
        None => check(schema.as_value()),
    };
    let expected = expect.violations.into_iter().map(ExpectedViolation::into_value);
    let expected = expected.collect::<Result<Value, Malformed>>()?;
    let mut comparison = Comparison::default();
    comparison.json("accepted", &Value::from(expect.accepted), &Value::from(violations.is_empty()));
    comparison.json("violations", &expected, &violations.iter().map(observed).collect());
    Ok(comparison.into_mismatches())
}

impl ExpectedViolation {
    fn into_value(self) -> Result<Value, Malformed> {
        Ok(violation(repeated_text(&self.path)?, &self.kind, self.name.as_deref()))
    }
}

fn observed(found: &SchemaViolation) -> Value {
    violation(found.path(), found.kind().as_str(), found.name())
}

fn violation(path: String, kind: &str, name: Option<&str>) -> Value {
    let mut members = Map::new();
    members.insert("path".to_owned(), Value::from(path));
    members.insert("kind".to_owned(), Value::from(kind));
    if let Some(name) = name {
        members.insert("name".to_owned(), Value::from(name));
    }
    Value::Object(members)
}
