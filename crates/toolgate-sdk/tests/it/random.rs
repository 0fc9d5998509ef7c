//! Generated schemas and values: a literal has to type-check exactly when the schema accepts the value, as far as the
//! types of a language can say so.

use serde_json::Value;
use toolgate::{CompiledSchema, JsonValue, ToolDefinition};
use toolgate_sdk::{Language, declare};

use crate::checkers;
use crate::generate::Random;

const SCHEMAS: usize = 120;
const VALUES: usize = 8;

/// What a type checker says of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accepts,
    Refuses,
    /// Either, by the rules of the language.
    Open,
}

impl Verdict {
    /// Of a value whose parts are judged one by one.
    fn all(verdicts: impl Iterator<Item = Self>) -> Self {
        verdicts.fold(Self::Accepts, |all, one| match (all, one) {
            (Self::Refuses, _) | (_, Self::Refuses) => Self::Refuses,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::Accepts, Self::Accepts) => Self::Accepts,
        })
    }
}

/// The same rules as the schema's, less what a language's types cannot say.
fn judge(language: Language, schema: &Value, value: &Value) -> Verdict {
    let is = |fits: bool| if fits { Verdict::Accepts } else { Verdict::Refuses };
    let equals =
        |literal: &Value| literal == value || (literal.is_number() && literal.as_f64() == value.as_f64());
    if let Some(branches) = schema["oneOf"].as_array() {
        return one_of(language, branches, value);
    }
    let literals =
        schema["enum"].as_array().cloned().or_else(|| schema.get("const").map(|one| vec![one.clone()]));
    if let Some(literals) = literals {
        let fits = literals.iter().any(equals);
        // No literal type of Python is a fraction, so any float will do.
        let has_fraction = language == Language::Python && literals.iter().any(Value::is_f64);
        return match has_fraction && value.is_number() {
            true => Verdict::Accepts,
            false if has_fraction && value.is_boolean() => Verdict::Open,
            false => is(fits),
        };
    }
    let is_truth_as_number = language == Language::Python && value.is_boolean();
    match schema["type"].as_str() {
        None => Verdict::Accepts,
        Some("null") => is(value.is_null()),
        Some("boolean") => is(value.is_boolean()),
        Some("number" | "integer") if is_truth_as_number => Verdict::Open,
        Some("number") => is(value.is_number()),
        Some("integer") if language == Language::TypeScript => is(value.is_number()),
        Some("integer") => is(value.is_i64()),
        Some("string") => is(value.is_string()),
        Some("array") => match value.as_array() {
            None => Verdict::Refuses,
            Some(items) => Verdict::all(items.iter().map(|item| judge(language, &schema["items"], item))),
        },
        Some(_) => match value.as_object() {
            None => Verdict::Refuses,
            Some(members) => {
                let declared = &schema["properties"];
                let is_inherited = |name: &str| name == "constructor" && language == Language::TypeScript;
                // The empty name cannot be declared in Python: it is one of the undeclared keys.
                let is_nameless = |name: &str| name.is_empty() && language == Language::Python;
                let has_nameless = language == Language::Python && declared.get("").is_some();
                let closed = schema["additionalProperties"] == false && !has_nameless;
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let missing = required
                    .filter(|name| !is_nameless(name) && !members.contains_key(*name))
                    // Every object of TypeScript has something there.
                    .map(|name| if is_inherited(name) { Verdict::Open } else { Verdict::Refuses });
                let is_optional =
                    |name: &str| !schema["required"].as_array().into_iter().flatten().any(|one| one == name);
                Verdict::all(missing.chain(members.iter().map(|(name, member)| match declared.get(name) {
                    Some(_) if is_inherited(name) && is_optional(name) => Verdict::Accepts,
                    Some(schema) if !is_nameless(name) => judge(language, schema, member),
                    _ => is(!closed),
                })))
            }
        },
    }
}

fn one_of(language: Language, branches: &[Value], value: &Value) -> Verdict {
    let verdicts: Vec<Verdict> = branches.iter().map(|branch| judge(language, branch, value)).collect();
    if verdicts.contains(&Verdict::Accepts) {
        return Verdict::Accepts;
    }
    // TypeScript allows a literal the keys of all branches together.
    let may_be_mixed = language == Language::TypeScript && (value.is_object() || value.is_array());
    if verdicts.contains(&Verdict::Open) || may_be_mixed { Verdict::Open } else { Verdict::Refuses }
}

struct Sample {
    tool: String,
    value: Value,
    is_valid: bool,
    schema: Value,
}

/// Tools with generated schemas, and values for them.
fn samples() -> (Vec<ToolDefinition>, Vec<Sample>) {
    let mut random = Random(7);
    let mut tools = Vec::new();
    let mut samples = Vec::new();
    for number in 0..SCHEMAS {
        let schema = if number % 3 == 0 { random.schema(3) } else { random.object(3) };
        let compiled = CompiledSchema::compile(JsonValue::new(schema.clone()).unwrap()).unwrap();
        let tool = format!("t{number}");
        tools.push(
            ToolDefinition::raw(&tool, "Generated.")
                .raw_parameters(compiled.raw().clone())
                .output_schema(compiled.raw().clone())
                .body(|args, _cx| async move { Ok(args) }),
        );
        for round in 0..VALUES {
            let fitting = random.fitting(&schema, 2);
            let value = if round % 2 == 0 { fitting } else { random.spoiled(&fitting) };
            let is_valid = compiled.is_valid(&JsonValue::new(value.clone()).unwrap());
            samples.push(Sample { tool: tool.clone(), value, is_valid, schema: schema.clone() });
        }
    }
    (tools, samples)
}

/// Every line of a checked program has to have the verdict that was foreseen.
fn compare(
    language: Language,
    samples: &[(&Sample, String)],
    complaints: &checkers::Complaints,
    before: usize,
) {
    let (mut accepted, mut refused, mut faults) = (0, 0, Vec::new());
    for (index, (sample, line)) in samples.iter().enumerate() {
        let verdict = judge(language, &sample.schema, &sample.value);
        // Whatever the schema accepts has the declared type; a float without a fraction is the known exception.
        assert!(!sample.is_valid || verdict != Verdict::Refuses, "{} {}", sample.schema, sample.value);
        // To read a result, any JSON is `any`, and then a list counts as an object.
        let is_lax = line.starts_with("{ const v") && sample.value.to_string().contains('[');
        let verdict = if is_lax && verdict == Verdict::Refuses { Verdict::Open } else { verdict };
        let complaint = complaints.get(&(before + index + 1));
        match (verdict, complaint) {
            (Verdict::Accepts, Some(complaint)) => {
                faults.push(format!("{line}\n  {}\n  {complaint}", sample.schema))
            }
            (Verdict::Refuses, None) => faults.push(format!("{line}\n  {}\n  was accepted", sample.schema)),
            (Verdict::Accepts, None) => accepted += 1,
            (Verdict::Refuses, Some(_)) => refused += 1,
            (Verdict::Open, _) => {}
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(accepted > 400 && refused > 150, "the generator covers both: {accepted} {refused}");
}

#[test]
fn typescript_accepts_what_generated_schemas_accept() {
    let (tools, samples) = samples();
    let sdk = declare(Language::TypeScript, &tools);
    let lines: Vec<(&Sample, String)> = samples
        .iter()
        .flat_map(|sample| {
            let value = typescript(&sample.value);
            let tool = &sample.tool;
            let result = format!("{{ const v: Awaited<ReturnType<typeof tools.{tool}>> = {value}; v; }}");
            [(sample, format!("tools.{tool}({value});")), (sample, result)]
        })
        .collect();
    let program: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    let complaints = checkers::typescript("random", sdk.text(), &program);
    compare(Language::TypeScript, &lines, &complaints, 0);
}

#[test]
fn python_accepts_what_generated_schemas_accept() {
    let (tools, samples) = samples();
    let sdk = declare(Language::Python, &tools);
    let lines: Vec<(&Sample, String)> = samples
        .iter()
        .map(|sample| (sample, format!("await tools.{}({})", sample.tool, python(&sample.value))))
        .collect();
    // A program is the body of an async function.
    let program: String = lines.iter().map(|(_, line)| format!("    {line}\n")).collect();
    let program = format!("async def program():\n{program}");
    let complaints = checkers::python("random", sdk.text(), &program);
    compare(Language::Python, &lines, &complaints, 1);
}

/// A value as a literal.
fn typescript(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(typescript).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                // Without brackets the name would set the prototype.
                .map(|(name, value)| format!("[{}]: {}", Value::from(name.as_str()), typescript(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => scalar(value),
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), python(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Number(_) | Value::String(_) => scalar(value),
    }
}

/// JSON, but for the characters that a checker counts as the end of a line.
fn scalar(value: &Value) -> String {
    value.to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
