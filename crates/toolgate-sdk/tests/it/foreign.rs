//! Schemas from anywhere: whatever they hold, they are declared, and a type checker can read the declarations.

use serde_json::{Map, Value, json};
use toolgate::{CompiledSchema, JsonValue, ToolDefinition};
use toolgate_sdk::{Language, declare};

use crate::checkers;
use crate::generate::Random;

const SCHEMAS: usize = 400;

/// Keywords whose value is a schema, schemas in a list, or schemas by name.
const ONE: &[&str] = &["items", "additionalProperties", "not", "if", "additionalItems", "propertyNames"];
const LISTS: &[&str] = &["oneOf", "anyOf", "allOf", "prefixItems", "items"];
const MAPS: &[&str] = &["properties", "patternProperties", "$defs"];

impl Random {
    /// A schema of nothing in particular: every keyword, wherever it stands, often malformed.
    fn foreign(&mut self, levels: usize) -> Value {
        if levels == 0 || self.below(12) == 0 {
            return self
                .pick(&[json!({}), json!(true), json!(false), json!(null), json!("x"), json!([])])
                .clone();
        }
        let mut schema = Map::new();
        for _ in 0..1 + self.below(4) {
            let (keyword, value) = match self.below(14) {
                0 | 1 => ("type", (*self.pick(TYPES)).into()),
                2 => ("type", json!([self.pick(TYPES), self.pick(TYPES)])),
                3 => ("enum", self.pick(&[json!([]), json!(["a", 1, null]), json!([[1]]), json!(7)]).clone()),
                4 => ("const", self.pick(&[json!(null), json!("a"), json!({}), json!(u64::MAX)]).clone()),
                5 => ("required", self.pick(&[json!(["a", "zz", ""]), json!("a"), json!([1])]).clone()),
                6..=8 => ("$ref", (*self.pick(REFERENCES)).into()),
                9 => (*self.pick(ONE), self.foreign(levels - 1)),
                10 => (*self.pick(&["minItems", "format", "default", "description"]), json!(self.below(3))),
                11 => (*self.pick(MAPS), self.map(levels)),
                _ => {
                    let branches = (0..self.below(4)).map(|_| self.foreign(levels - 1)).collect();
                    (*self.pick(LISTS), Value::Array(branches))
                }
            };
            schema.insert(keyword.to_owned(), value);
        }
        Value::Object(schema)
    }

    fn map(&mut self, levels: usize) -> Value {
        let names = ["a", "b", "my-key", "valueOf", ""];
        (0..self.below(4)).map(|_| ((*self.pick(&names)).to_owned(), self.foreign(levels - 1))).collect()
    }
}

const TYPES: &[&str] =
    &["null", "boolean", "integer", "number", "string", "array", "object", "object", "any"];

const REFERENCES: &[&str] = &[
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#/$defs/b",
    "#/properties/a",
    "#/oneOf/0",
    "#/gone",
    "other.json",
    "#a",
    "",
];

fn tools() -> Vec<ToolDefinition> {
    let mut random = Random(11);
    (0..SCHEMAS)
        .map(|number| {
            let mut schema = random.foreign(4);
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("$defs".to_owned(), json!({ "a": random.foreign(3), "b": random.foreign(3) }));
            }
            ToolDefinition::raw(format!("t{number}"), "Generated.")
                .raw_parameters(JsonValue::new(schema).unwrap())
                .output_schema(CompiledSchema::any().raw().clone())
                .body(|args, _cx| async move { Ok(args) })
        })
        .collect()
}

#[test]
fn typescript_declarations_of_foreign_schemas_are_sound() {
    let sdk = declare(Language::TypeScript, &tools());
    assert!(sdk.losses().len() > SCHEMAS);
    assert!(checkers::typescript("foreign", sdk.text(), "export {};\n").is_empty());
}

#[test]
fn python_declarations_of_foreign_schemas_are_sound() {
    let sdk = declare(Language::Python, &tools());
    assert!(sdk.losses().len() > SCHEMAS);
    assert!(checkers::python("foreign", sdk.text(), "pass\n").is_empty());
}
