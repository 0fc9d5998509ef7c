//! Fields of a case or a step that are taken out one by one, so that what is left over is noticed.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::{Map, Value};

use super::Malformed;

/// How deep a case may be written out; deeper values have a notation of their own.
const MAX_DEPTH: usize = 128;

/// Fields that have not been taken yet.
#[derive(Clone, Debug)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Copies fields. Typed reading recurses, so what is too deep for it is refused first.
    pub(crate) fn of<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>) -> Result<Self, Malformed> {
        let mut fields = Map::new();
        for (name, value) in members {
            if is_deeper_than(value, MAX_DEPTH) {
                return Err(Malformed::new(format!(
                    "`{name}` is deeper than {MAX_DEPTH} levels; `$nest` writes deep values"
                )));
            }
            fields.insert(name.clone(), value.clone());
        }
        Ok(Self(fields))
    }

    /// Takes a field that must be there.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Malformed> {
        self.optional(name)?.ok_or_else(|| Malformed::new(format!("`{name}` is missing")))
    }

    /// Takes a field that may be absent. One that is `null` is there.
    pub(crate) fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Malformed> {
        let Some(value) = self.0.shift_remove(name) else { return Ok(None) };
        let read = T::deserialize(value);
        read.map(Some).map_err(|error| Malformed::new(format!("`{name}`: {error}")))
    }

    /// Reads all that is left as one thing.
    pub(crate) fn rest<T: DeserializeOwned>(self) -> Result<T, Malformed> {
        Ok(T::deserialize(Value::Object(self.0))?)
    }
}

/// For an optional field in which `null` is a value: `#[serde(default, deserialize_with = "present")]`.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let mut open = vec![(value, 0_usize)];
    while let Some((value, level)) = open.pop() {
        if level > levels {
            return true;
        }
        let below = level.saturating_add(1);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, below))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, below))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}
