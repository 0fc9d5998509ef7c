//! The notation for deep values (`$nest`) and long paths (`$repeat`). Nothing here recurses.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use toolgate::JsonValue;
use toolgate_schema::RawJson;

use super::Malformed;

/// The text that a wrapper has in the place of what it wraps.
const HOLE: &str = "$hole";

/// A value of a case, of any depth, that need not be lossless.
#[derive(Clone, Debug)]
pub(crate) struct CaseValue(RawJson);

impl CaseValue {
    /// Reads a value, building it where it is written as `$nest`.
    pub(crate) fn read(value: &Value) -> Result<Self, Malformed> {
        match notation(value, "$nest") {
            Some(nest) => build(nest).map(Self),
            None => Ok(Self(copy(value))),
        }
    }

    /// `{}`.
    pub(crate) fn empty_object() -> Self {
        Self(RawJson::from(Value::Object(Map::new())))
    }

    /// A text as a case would write it.
    pub(crate) fn from_text(text: String) -> Self {
        Self(RawJson::from(Value::String(text)))
    }

    /// The value.
    pub(crate) fn as_value(&self) -> &Value {
        self.0.as_value()
    }

    /// A copy of the value as it is.
    pub(crate) fn to_raw(&self) -> RawJson {
        self.0.clone()
    }

    /// The value, where the library's types demand a lossless one.
    pub(crate) fn to_lossless(&self) -> Result<JsonValue, Malformed> {
        JsonValue::new(self.0.clone()).map_err(|error| Malformed::new(error.to_string()))
    }
}

impl<'de> Deserialize<'de> for CaseValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = RawJson::from(Value::deserialize(deserializer)?);
        Self::read(&value).map_err(D::Error::custom)
    }
}

/// A copy of a value of any depth.
pub(crate) fn copy(value: &Value) -> RawJson {
    let mut copied = Value::Null;
    fill(vec![(value, &mut copied)]);
    RawJson::from(copied)
}

/// An object of copies of values of any depth.
pub(crate) fn copy_as_object(members: &[(&str, &Value)]) -> RawJson {
    let mut copied: Map<String, Value> =
        members.iter().map(|(name, _)| ((*name).to_owned(), Value::Null)).collect();
    fill(members.iter().map(|(_, value)| *value).zip(copied.values_mut()).collect());
    RawJson::from(Value::Object(copied))
}

/// Copies values into their places, and the members of containers in turn.
fn fill(mut open: Vec<(&Value, &mut Value)>) {
    while let Some((source, target)) = open.pop() {
        match source {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => *target = source.clone(),
            Value::Array(items) => {
                *target = Value::Array(vec![Value::Null; items.len()]);
                if let Value::Array(targets) = target {
                    open.extend(items.iter().zip(targets));
                }
            }
            Value::Object(members) => {
                *target = members.keys().map(|name| (name.clone(), Value::Null)).collect();
                if let Value::Object(targets) = target {
                    open.extend(members.values().zip(targets.values_mut()));
                }
            }
        }
    }
}

/// The text of a path, which may be written as `$repeat`.
pub(crate) fn repeated_text(value: &Value) -> Result<String, Malformed> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Repeat {
        head: String,
        unit: String,
        times: usize,
        tail: String,
    }
    match (value, notation(value, "$repeat")) {
        (Value::String(text), _) => Ok(text.clone()),
        (_, Some(repeat)) => {
            let Repeat { head, unit, times, tail } = Repeat::deserialize(repeat)?;
            Ok(format!("{head}{}{tail}", unit.repeat(times)))
        }
        _ => Err(Malformed::new("a path is a text or a `$repeat`")),
    }
}

/// What stands under the name of a notation, where it is the whole value.
fn notation<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.as_object().filter(|members| members.len() == 1).and_then(|members| members.get(name))
}

fn build(nest: &Value) -> Result<RawJson, Malformed> {
    let part = |name: &str| nest.get(name).ok_or_else(|| Malformed::new(format!("`$nest` without `{name}`")));
    let times = part("times")?.as_u64().ok_or_else(|| Malformed::new("`times` is a count"))?;
    let wrap = part("wrap")?;
    let [hole] = <[Way<'_>; 1]>::try_from(holes(wrap))
        .map_err(|holes| Malformed::new(format!("`wrap` has {} holes instead of one", holes.len())))?;
    // The wrapper is written out in the file and therefore shallow; only what fills its hole is deep.
    let mut value = part("core")?.clone();
    for _ in 0..times {
        let mut wrapped = wrap.clone();
        match hole.iter().try_fold(&mut wrapped, |value, step| step.below_mut(value)) {
            Some(place) => *place = value,
            None => {
                drop(RawJson::from(value));
                return Err(Malformed::new("the hole of `wrap` is gone"));
            }
        }
        value = wrapped;
    }
    Ok(RawJson::from(value))
}

/// The way from a value to a place in it.
type Way<'a> = Vec<Step<'a>>;

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl Step<'_> {
    fn below_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            Self::Key(name) => value.get_mut(name),
            Self::Index(index) => value.get_mut(index),
        }
    }
}

/// The ways to every hole.
fn holes(wrap: &Value) -> Vec<Way<'_>> {
    let mut found = Vec::new();
    let mut open = vec![(Way::new(), wrap)];
    while let Some((way, value)) = open.pop() {
        let below = |step| way.iter().copied().chain([step]).collect();
        match value {
            Value::String(text) if text == HOLE => found.push(way),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (below(Step::Index(at)), item)));
            }
            Value::Object(members) => {
                open.extend(members.iter().map(|(name, member)| (below(Step::Key(name)), member)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}
