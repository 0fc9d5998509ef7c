//! [`Offer`]: one tool as its server describes it. All of it is text of a stranger.

use serde_json::{Map, Value};
use toolgate::JsonValue;

/// The longest name of a tool, in bytes.
const MOST_NAME_BYTES: usize = 512;
/// The longest description, in bytes.
const MOST_DESCRIPTION_BYTES: usize = 64 << 10;
/// The largest schema, in bytes of compact JSON.
const MOST_SCHEMA_BYTES: usize = 1 << 20;
/// Levels of a schema. What is deeper could not be sent to a model anyway.
const MOST_SCHEMA_LEVELS: usize = 128;

/// One tool as its server describes it, bounded and lossless.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    /// The server's own name for it.
    pub(crate) name: String,
    /// What the server says it does.
    pub(crate) description: String,
    /// The JSON Schema of its arguments.
    pub(crate) input_schema: JsonValue,
    /// The JSON Schema of its structured results, where it has one.
    pub(crate) output_schema: Option<JsonValue>,
    /// What the server says of its effects, where it does.
    pub(crate) annotations: Option<JsonValue>,
}

/// A tool that is not offered: its name, as far as it has one, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    pub(crate) name: String,
    pub(crate) reason: String,
}

impl Offer {
    /// Reads one entry of a list of tools.
    pub(crate) fn read(entry: &Value) -> Result<Self, Unusable> {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let unusable =
            |reason: &str| Unusable { name: toolgate::text::shortened(name, 64), reason: reason.to_owned() };
        let entry = entry.as_object().ok_or_else(|| unusable("its entry is no object"))?;
        if name.is_empty() {
            return Err(unusable("it has no name"));
        }
        if name.len() > MOST_NAME_BYTES {
            return Err(unusable("its name is longer than 512 bytes"));
        }
        let description = match entry.get("description") {
            None | Some(Value::Null) => "",
            Some(description) => {
                description.as_str().ok_or_else(|| unusable("its description is no text"))?
            }
        };
        if description.len() > MOST_DESCRIPTION_BYTES {
            return Err(unusable("its description is longer than 64 KiB"));
        }
        let schema = |key: &str| schema(entry, key).map_err(|fault| unusable(&format!("its {key} {fault}")));
        let input_schema = schema("inputSchema")?.ok_or_else(|| unusable("it has no inputSchema"))?;
        Ok(Self {
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema,
            output_schema: schema("outputSchema")?,
            annotations: schema("annotations")?,
        })
    }

    /// How much text it is, about.
    pub(crate) fn bytes(&self) -> usize {
        let schemas = [Some(&self.input_schema), self.output_schema.as_ref(), self.annotations.as_ref()];
        let schemas: usize = schemas.into_iter().flatten().map(|schema| schema.to_text().len()).sum();
        self.name.len() + self.description.len() + schemas
    }

    /// A hint of the server about this tool, such as `readOnlyHint`.
    pub(crate) fn hint(&self, name: &str) -> bool {
        let hint = self.annotations.as_ref().and_then(|annotations| annotations.get(name));
        hint.and_then(Value::as_bool).unwrap_or_default()
    }
}

/// An object of the entry, bounded.
fn schema(entry: &Map<String, Value>, key: &str) -> Result<Option<JsonValue>, String> {
    let Some(schema) = entry.get(key).filter(|schema| !schema.is_null()) else { return Ok(None) };
    if !schema.is_object() {
        return Err("is no object".to_owned());
    }
    if levels_exceed(schema, MOST_SCHEMA_LEVELS) {
        return Err(format!("is nested more than {MOST_SCHEMA_LEVELS} levels deep"));
    }
    let schema = JsonValue::copy_of(schema).map_err(|error| format!("is not lossless: {error}"))?;
    if schema.to_text().len() > MOST_SCHEMA_BYTES {
        return Err("is larger than 1 MiB".to_owned());
    }
    Ok(Some(schema))
}

/// Whether a value has more levels than that, without using the stack for them.
pub(crate) fn levels_exceed(value: &Value, most: usize) -> bool {
    let mut open = vec![(value, 0_usize)];
    while let Some((value, level)) = open.pop() {
        let inside: Box<dyn Iterator<Item = &Value>> = match value {
            Value::Array(items) => Box::new(items.iter()),
            Value::Object(members) => Box::new(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => continue,
        };
        if level >= most {
            return true;
        }
        open.extend(inside.map(|value| (value, level + 1)));
    }
    false
}
