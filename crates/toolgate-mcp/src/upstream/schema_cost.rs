//! What checking one value by a schema may cost: a stranger's schema must not keep a processor busy, or a stack growing.
//!
//! Subschemas that look at the same value as the schema around them (`$ref`, `allOf`, `anyOf` and their like) are followed
//! here as a checker follows them. A schema that comes back to itself that way would never end; one that branches too
//! often would take too long. What only looks inside the value (`properties`, `items`) ends with the value.

use std::collections::HashMap;

use serde_json::{Map, Value};
use toolgate::text::shortened;

/// In how many ways the same value may be looked at.
const MOST_WAYS: u64 = 10_000;
/// How many schemas may be looked at on the way to the last one.
const MOST_DEEP: usize = 200;

/// Keywords whose schema looks at the same value.
const ONE: [&str; 5] = ["not", "if", "then", "else", "contentSchema"];
/// Keywords with a list of such schemas.
const LIST: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords with named schemas of that kind.
const NAMED: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords with schemas that look inside.
const INSIDE: [&str; 16] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "$defs",
    "definitions",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

/// Says why a schema would cost too much.
pub(super) fn check_cost(schema: &Value) -> Result<(), String> {
    let mut costs = Costs { root: schema, known: HashMap::new(), open: Vec::new() };
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        costs.of(schema)?;
        if let Some(members) = schema.as_object() {
            let inside = INSIDE.iter().chain(&ONE).chain(&NAMED).filter_map(|keyword| members.get(*keyword));
            for value in inside {
                match value {
                    Value::Array(schemas) => waiting.extend(schemas),
                    Value::Object(named) => {
                        waiting.push(value);
                        waiting.extend(named.values().filter(|value| value.is_object()));
                    }
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
                }
            }
        }
    }
    Ok(())
}

struct Costs<'a> {
    root: &'a Value,
    /// By the address of the schema, which does not move while it is borrowed.
    known: HashMap<*const Value, u64>,
    /// The schemas that are being looked at, outermost first.
    open: Vec<*const Value>,
}

impl<'a> Costs<'a> {
    /// In how many ways a checker looks at one value for this schema. Goes as deep as `MOST_DEEP`.
    fn of(&mut self, schema: &'a Value) -> Result<u64, String> {
        let address = std::ptr::from_ref(schema);
        if let Some(known) = self.known.get(&address) {
            return Ok(*known);
        }
        let Some(members) = schema.as_object() else { return Ok(1) };
        if self.open.contains(&address) {
            return Err(
                "it refers to itself without looking inside the value, so no value could ever be checked"
                    .to_owned(),
            );
        }
        if self.open.len() >= MOST_DEEP {
            return Err(format!("more than {MOST_DEEP} of its schemas refer to each other in a row"));
        }
        self.open.push(address);
        let mut ways = 1_u64;
        for next in self.same_value(members)? {
            ways = ways.saturating_add(self.of(next)?);
        }
        self.open.pop();
        if ways > MOST_WAYS {
            return Err(format!("it looks at one value in more than {MOST_WAYS} ways"));
        }
        self.known.insert(address, ways);
        Ok(ways)
    }

    /// The schemas that look at the same value.
    fn same_value(&self, members: &'a Map<String, Value>) -> Result<Vec<&'a Value>, String> {
        let one = ONE.iter().filter_map(|keyword| members.get(*keyword));
        let lists = LIST.iter().filter_map(|keyword| members.get(*keyword)?.as_array()).flatten();
        let named = NAMED.iter().filter_map(|keyword| members.get(*keyword)?.as_object());
        let mut schemas: Vec<&Value> = one.chain(lists).chain(named.flat_map(Map::values)).collect();
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
                schemas.extend(self.target(reference)?);
            }
        }
        Ok(schemas)
    }

    /// Where a reference leads. One whose way cannot be followed here could hide a circle.
    fn target(&self, reference: &str) -> Result<Option<&'a Value>, String> {
        // The published drafts end with the value.
        if reference.starts_with("https://json-schema.org/")
            || reference.starts_with("http://json-schema.org/")
        {
            return Ok(None);
        }
        let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer));
        target.map(Some).ok_or_else(|| {
            format!(
                "its reference {:?} does not lead to a place in it by a pointer such as #/$defs/name",
                shortened(reference, 80)
            )
        })
    }
}
