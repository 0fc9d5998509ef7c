//! What checking a value by a schema may cost: a stranger's schema must not keep a processor busy, or a stack growing.
//!
//! A checker follows references wherever they lead. Subschemas that look at the same value as the schema around them
//! (`$ref`, `allOf`, `anyOf` and their like) may come back to themselves and never end; this is refused before a schema is
//! used. Those that look inside the value end with it, but two that meet in each level double the work with each level. So
//! before a value is checked by a schema with references, the work is counted: each pair of a schema and a part of the
//! value once, however often a checker would come by.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use toolgate::JsonValue;
use toolgate::text::shortened;

/// How many schemas may look at one value in a row.
const MOST_IN_A_ROW: usize = 100;
/// How many steps a checker may take for one value.
const MOST_STEPS: u64 = 1_000_000;
/// How many of them may be inside each other.
const MOST_DEEP: usize = 600;
/// How many pairs of a schema and a part of a value are looked at to find that out.
const MOST_PAIRS: usize = 200_000;
/// How many steps a schema without references may take for one value.
const MOST_PLAIN_STEPS: usize = 10_000_000;
/// The longest text that is held against a regular expression, in bytes.
const MOST_MATCHED_BYTES: usize = 64 << 10;
const TOO_LARGE: &str = "the value is too large for a schema with references";
const TOO_LONG: &str = "checking the value by this schema would take too long";

/// Keywords whose schema looks at the same value.
const SAME: [&str; 4] = ["not", "if", "then", "else"];
/// Keywords with a list of such schemas.
const SAME_LIST: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords with named schemas of that kind.
const SAME_NAMED: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords whose schema looks at the members of an object, whichever they are.
const MEMBERS: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
/// Keywords whose schema, or schemas, look at the items of a list.
const ITEMS: [&str; 5] = ["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"];
/// Keywords with schemas that are only referred to, or look at names.
const ELSEWHERE: [&str; 4] = ["$defs", "definitions", "propertyNames", "contentSchema"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema whose work can be counted.
pub(super) struct Cost {
    schema: JsonValue,
    has_references: bool,
    has_patterns: bool,
    /// How many values the schema is made of.
    size: usize,
}

impl Cost {
    /// Says why a schema would never end, or cannot be followed.
    pub(super) fn of(schema: &JsonValue) -> Result<Self, String> {
        let mut rows = Rows { root: schema, known: HashMap::new() };
        let (mut has_references, mut has_patterns) = (false, false);
        let mut waiting: Vec<&Value> = vec![schema];
        while let Some(schema) = waiting.pop() {
            rows.longest(schema, &mut Vec::new())?;
            let Some(members) = schema.as_object() else { continue };
            has_references |= REFERENCES.iter().any(|keyword| members.contains_key(*keyword));
            has_patterns |= members.contains_key("pattern") || members.contains_key("patternProperties");
            let single = SAME.iter().chain(&MEMBERS).chain(&ITEMS).chain(&ELSEWHERE).chain(&SAME_LIST);
            for value in single.filter_map(|keyword| members.get(*keyword)) {
                match value {
                    Value::Array(schemas) => waiting.extend(schemas),
                    Value::Object(_) => waiting.push(value),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
                }
            }
            let named = ["properties", "patternProperties", "$defs", "definitions"].iter().chain(&SAME_NAMED);
            let named = named.filter_map(|keyword| members.get(*keyword)?.as_object());
            waiting.extend(named.flat_map(Map::values));
        }
        Ok(Self { schema: schema.clone(), has_references, has_patterns, size: values_of(schema).count() })
    }

    /// Says why checking a value would cost too much.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        if !self.has_references {
            return self.check_plain(value);
        }
        let mut known: HashMap<Pair, (u64, usize)> = HashMap::new();
        let mut steps = vec![Step::Enter(&self.schema, value)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(schema, value) => {
                    let pair = pair(schema, value);
                    if known.contains_key(&pair) {
                        continue;
                    }
                    if known.len() >= MOST_PAIRS {
                        return Err(TOO_LARGE.to_owned());
                    }
                    let next = looks(&self.schema, schema, value, MOST_PAIRS)?.ok_or(TOO_LARGE)?;
                    let pairs = next.iter().map(|(schema, value)| self::pair(schema, value)).collect();
                    steps.push(Step::Leave(pair, pairs));
                    steps.extend(next.into_iter().map(|(schema, value)| Step::Enter(schema, value)));
                }
                Step::Leave(pair, next) => {
                    let next = next.iter().filter_map(|pair| known.get(pair));
                    let (work, depth) = next.fold((1_u64, 0), |(work, depth), (more, deeper)| {
                        (work.saturating_add(*more), depth.max(*deeper))
                    });
                    if work > MOST_STEPS || depth >= MOST_DEEP {
                        return Err(TOO_LONG.to_owned());
                    }
                    known.insert(pair, (work, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// The same without references: every part of the schema looks at every part of the value at most once, which can be
    /// too often still.
    fn check_plain(&self, value: &Value) -> Result<(), String> {
        let is_small = self.size.saturating_mul(values_of(value).count()) <= MOST_PLAIN_STEPS;
        if is_small && !(self.has_patterns && texts_of(value).any(is_long)) {
            return Ok(());
        }
        let mut left = MOST_PLAIN_STEPS;
        let mut waiting = vec![(self.schema.as_value(), value)];
        while let Some((schema, value)) = waiting.pop() {
            left = left.checked_sub(own_steps(schema, value)).ok_or(TOO_LONG)?;
            let next = looks(&self.schema, schema, value, left)?.ok_or(TOO_LONG)?;
            left = left.checked_sub(next.len()).ok_or(TOO_LONG)?;
            waiting.extend(next);
        }
        Ok(())
    }
}

/// What a checker does for one pair besides looking at others: it goes through lists of values and names.
fn own_steps(schema: &Value, value: &Value) -> usize {
    let lists = ["enum", "required", "dependentRequired"].iter().filter_map(|keyword| schema.get(*keyword));
    let named = schema.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
    let names = value.as_object().map_or(0, Map::len);
    let listed: usize = lists.map(|list| values_of(list).count()).sum();
    listed.saturating_add(named.saturating_mul(names)).saturating_add(1)
}

/// Every value inside of a value, and itself, without using the stack for them.
fn values_of(value: &Value) -> impl Iterator<Item = &Value> {
    let mut waiting = vec![value];
    std::iter::from_fn(move || {
        let value = waiting.pop()?;
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => waiting.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Some(value)
    })
}

/// Every text of a value, names included.
fn texts_of(value: &Value) -> impl Iterator<Item = &str> {
    values_of(value).flat_map(|value| {
        let names = value.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        value.as_str().into_iter().chain(names)
    })
}

/// A schema and a part of a value, by their addresses: neither moves while they are borrowed.
type Pair = (*const Value, *const Value);

fn pair(schema: &Value, value: &Value) -> Pair {
    (std::ptr::from_ref(schema), std::ptr::from_ref(value))
}

enum Step<'a> {
    Enter(&'a Value, &'a Value),
    Leave(Pair, Vec<Pair>),
}

fn is_long(text: &str) -> bool {
    text.len() > MOST_MATCHED_BYTES
}

/// Whether a long text is held against a regular expression.
fn is_long_match(members: &Map<String, Value>, value: &Value) -> bool {
    let names = ["patternProperties", "propertyNames"].iter().any(|keyword| members.contains_key(*keyword));
    (members.contains_key("pattern") && value.as_str().is_some_and(is_long))
        || (names && value.as_object().is_some_and(|parts| parts.keys().any(|name| is_long(name))))
}

/// The pairs that a checker looks at for one pair, rather too many than too few; none where they are more than `most`.
fn looks<'a>(
    root: &'a Value,
    schema: &'a Value,
    value: &'a Value,
    most: usize,
) -> Result<Option<Vec<(&'a Value, &'a Value)>>, String> {
    let Some(members) = schema.as_object() else { return Ok(Some(Vec::new())) };
    if is_long_match(members, value) {
        return Err("a text is too long to be held against a regular expression".to_owned());
    }
    let mut next: Vec<(&Value, &Value)> =
        same_value(root, members)?.into_iter().map(|schema| (schema, value)).collect();
    let schemas = |keyword: &str| -> Vec<&'a Value> {
        match members.get(keyword) {
            Some(Value::Array(schemas)) => schemas.iter().collect(),
            Some(schema @ Value::Object(_)) => vec![schema],
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => Vec::new(),
        }
    };
    match value {
        Value::Object(parts) => {
            let properties = members.get("properties").and_then(Value::as_object);
            let patterns = members.get("patternProperties").and_then(Value::as_object);
            let mut others: Vec<&Value> = patterns.into_iter().flat_map(Map::values).collect();
            others.extend(MEMBERS.iter().flat_map(|keyword| schemas(keyword)));
            if others.len().saturating_mul(parts.len()) > most {
                return Ok(None);
            }
            for (name, part) in parts {
                next.extend(
                    properties.and_then(|properties| properties.get(name)).map(|schema| (schema, part)),
                );
                next.extend(others.iter().map(|schema| (*schema, part)));
            }
        }
        Value::Array(parts) => {
            let all: Vec<&Value> = ITEMS.iter().flat_map(|keyword| schemas(keyword)).collect();
            if all.len().saturating_mul(parts.len()) > most {
                return Ok(None);
            }
            next.extend(parts.iter().flat_map(|part| all.iter().map(move |schema| (*schema, part))));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(Some(next))
}

/// The schemas that look at the same value.
fn same_value<'a>(root: &'a Value, members: &'a Map<String, Value>) -> Result<Vec<&'a Value>, String> {
    let one = SAME.iter().filter_map(|keyword| members.get(*keyword));
    let lists = SAME_LIST.iter().filter_map(|keyword| members.get(*keyword)?.as_array()).flatten();
    let named = SAME_NAMED.iter().filter_map(|keyword| members.get(*keyword)?.as_object());
    let mut schemas: Vec<&Value> = one.chain(lists).chain(named.flat_map(Map::values)).collect();
    for keyword in REFERENCES {
        if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
            schemas.extend(target(root, reference)?);
        }
    }
    Ok(schemas)
}

/// Where a reference leads. One whose way cannot be followed here could hide a circle.
fn target<'a>(root: &'a Value, reference: &str) -> Result<Option<&'a Value>, String> {
    // The published drafts end with the value.
    if reference.starts_with("https://json-schema.org/") || reference.starts_with("http://json-schema.org/") {
        return Ok(None);
    }
    let pointer = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%'));
    let target = pointer.and_then(|pointer| root.pointer(pointer));
    target.map(Some).ok_or_else(|| {
        let reference = shortened(reference, 80);
        format!(
            "its reference {reference:?} does not lead to a place in it by a pointer such as #/$defs/name"
        )
    })
}

/// How many schemas look at one value in a row.
struct Rows<'a> {
    root: &'a Value,
    known: HashMap<*const Value, usize>,
}

impl<'a> Rows<'a> {
    /// The longest row that begins with a schema. Recurses over no more than a row may have.
    fn longest(&mut self, schema: &'a Value, open: &mut Vec<*const Value>) -> Result<usize, String> {
        let address = std::ptr::from_ref(schema);
        if let Some(known) = self.known.get(&address) {
            return Ok(*known);
        }
        let Some(members) = schema.as_object() else { return Ok(1) };
        if open.contains(&address) {
            return Err("it refers to itself without looking inside the value, so checking would never end"
                .to_owned());
        }
        if open.len() >= MOST_IN_A_ROW {
            return Err(format!("more than {MOST_IN_A_ROW} of its schemas look at one value in a row"));
        }
        open.push(address);
        let mut longest = 0;
        let next: Vec<&Value> = same_value(self.root, members)?;
        let mut seen = HashSet::new();
        for schema in next.into_iter().filter(|schema| seen.insert(std::ptr::from_ref(*schema))) {
            longest = longest.max(self.longest(schema, open)?);
        }
        open.pop();
        self.known.insert(address, longest + 1);
        Ok(longest + 1)
    }
}
