//! Schemas of the enforced subset and values for them, from a small deterministic generator.

use serde_json::{Map, Number, Value, json};

/// A linear congruential generator: the same sequence on every run and machine.
pub(crate) struct Random(pub(crate) u64);

/// Names that are identifiers, keywords, types, traps, or nothing of the kind.
const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "path",
    "my-key",
    "class",
    "",
    "__proto__",
    "constructor",
    "then",
    "str",
    "list",
    "Any",
    "123",
    "é\n\"\\",
    "日本",
    "type",
    "new",
    "readonly",
    "self",
    "__hidden",
    "*/",
    "\"\"\"",
    "\u{202e}x",
    "T0Args",
];

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A schema of the subset.
    pub(crate) fn schema(&mut self, levels: usize) -> Value {
        let leaf = self.below(if levels == 0 { 8 } else { 14 });
        match leaf {
            0 => json!({}),
            1 => json!({ "type": "null" }),
            2 => json!({ "type": "boolean" }),
            3 => json!({ "type": "integer", "description": "A count.\n*/ \"\"\" # type: ignore" }),
            4 => json!({ "type": "number" }),
            5 => json!({ "type": "string" }),
            6 => match self.below(4) {
                0 => json!({ "type": "string", "enum": ["a", "b\u{2028}", "\"*/\\"] }),
                1 => json!({ "type": "integer", "enum": [1, 2, -3] }),
                2 => json!({ "type": "number", "enum": [0.5, 1.0] }),
                _ => json!({ "type": "boolean", "const": true }),
            },
            7 => json!({ "type": "string", "const": "x" }),
            8 | 9 => match self.below(4) {
                0 => json!({ "type": "array" }),
                _ => json!({ "type": "array", "items": self.schema(levels - 1) }),
            },
            10 | 11 => {
                let branches: Vec<Value> = (0..2 + self.below(2)).map(|_| self.schema(levels - 1)).collect();
                json!({ "oneOf": branches })
            }
            _ => self.object(levels),
        }
    }

    /// A schema of an object, as parameters are.
    pub(crate) fn object(&mut self, levels: usize) -> Value {
        let properties: Map<String, Value> = (0..self.below(5))
            .map(|_| ((*self.pick(NAMES)).to_owned(), self.schema(levels.saturating_sub(1))))
            .collect();
        let required: Vec<&String> = properties.keys().filter(|_| self.below(2) == 0).collect();
        let mut schema = json!({ "type": "object", "required": required, "properties": properties });
        match self.below(3) {
            0 => {}
            1 => schema["additionalProperties"] = json!(true),
            _ => schema["additionalProperties"] = json!(false),
        }
        schema
    }

    /// A value that usually fits a schema.
    pub(crate) fn fitting(&mut self, schema: &Value, levels: usize) -> Value {
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).clone();
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(branches) = schema["oneOf"].as_array() {
            let branch = self.pick(branches).clone();
            return self.fitting(&branch, levels);
        }
        match schema["type"].as_str() {
            Some("null") => Value::Null,
            Some("boolean") => json!(self.below(2) == 0),
            Some("integer") => json!(self.pick(&[0, 1, -7, 4_294_967_296_i64])),
            Some("number") => json!(self.pick(&[0.5, -2.25, 1e30])),
            Some("string") => json!(self.pick(&["", "x", "a", "*/ \"\"\" ${`\\\u{2029}"])),
            Some("array") => (0..self.below(3)).map(|_| self.fitting(&schema["items"], levels)).collect(),
            Some(_) => {
                let mut members = Map::new();
                for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                    let required = schema["required"].as_array().into_iter().flatten();
                    if required.filter(|other| *other == name).count() > 0 || self.below(2) == 0 {
                        members.insert(name.clone(), self.fitting(property, levels));
                    }
                }
                if schema["additionalProperties"] != false && self.below(3) == 0 {
                    members.insert("undeclared".to_owned(), self.any(1));
                }
                Value::Object(members)
            }
            None => self.any(levels),
        }
    }

    /// A value with one place changed, so that it usually does not fit.
    pub(crate) fn spoiled(&mut self, value: &Value) -> Value {
        match value {
            Value::Array(items) if !items.is_empty() && self.below(3) > 0 => {
                let mut items = items.clone();
                let index = self.below(items.len());
                items[index] = self.spoiled(&items[index]);
                Value::Array(items)
            }
            Value::Object(members) if !members.is_empty() && self.below(4) > 0 => {
                let mut members = members.clone();
                let names: Vec<String> = members.keys().cloned().collect();
                let name = self.pick(&names);
                match self.below(4) {
                    0 => {
                        members.remove(name);
                    }
                    1 => {
                        members.insert("surplus".to_owned(), json!(1));
                    }
                    _ => {
                        let other = self.spoiled(&members[name]);
                        members.insert(name.clone(), other);
                    }
                }
                Value::Object(members)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => self.any(1),
        }
    }

    fn any(&mut self, levels: usize) -> Value {
        match self.below(if levels == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(self.pick(&[0, 2, -1])),
            3 => Number::from_f64(0.25).map_or(Value::Null, Value::Number),
            4 => json!(self.pick(&["", "z"])),
            5 => (0..self.below(3)).map(|_| self.any(levels - 1)).collect(),
            _ => json!({ "k": self.any(levels - 1) }),
        }
    }
}
