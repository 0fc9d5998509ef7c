//! `JsonValue` as a part of typed values: serde implementations that hold the boundary's promises.
//!
//! Both directions recurse as serde does, and refuse beyond 128 levels instead of overflowing the stack.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::excerpt::Excerpt;

use super::JsonValue;
use super::typed_error::MAX_LEVELS;

impl Serialize for JsonValue {
    /// Fails beyond 128 levels; `Display` writes values of any depth.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Level { value: self.as_value(), left: MAX_LEVELS }.serialize(serializer)
    }
}

/// A value with the number of levels that may still be entered.
struct Level<'a> {
    value: &'a Value,
    left: u16,
}

impl Level<'_> {
    fn enter<E: serde::ser::Error>(&self) -> Result<u16, E> {
        self.left.checked_sub(1).ok_or_else(|| E::custom(too_deep()))
    }
}

fn too_deep() -> String {
    format!("the JSON value has more than {MAX_LEVELS} levels")
}

impl Serialize for Level<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                let left = self.enter::<S::Error>()?;
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for value in items {
                    seq.serialize_element(&Level { value, left })?;
                }
                seq.end()
            }
            Value::Object(members) => {
                let left = self.enter::<S::Error>()?;
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, &Level { value, left })?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for JsonValue {
    /// Refuses negative zero, NaN, infinities, integers outside `i64::MIN..=u64::MAX`, duplicate keys, and more
    /// than 128 levels. What a foreign parser has already rounded cannot be seen here; [`JsonValue::parse`] sees it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Building { left: MAX_LEVELS }.deserialize(deserializer).map(Self::of_lossless)
    }
}

/// Builds a value with the number of levels that may still be entered.
#[derive(Clone, Copy)]
struct Building {
    left: u16,
}

impl Building {
    fn enter<E: serde::de::Error>(self) -> Result<Self, E> {
        let left = self.left.checked_sub(1).ok_or_else(|| E::custom(too_deep()))?;
        Ok(Self { left })
    }
}

impl<'de> DeserializeSeed<'de> for Building {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Building {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        if value == 0.0 && value.is_sign_negative() {
            return Err(E::custom("negative zero is not lossless JSON"));
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.enter()?.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.enter()?.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.enter()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(inside)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.enter()?;
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            match members.entry(name) {
                Entry::Occupied(entry) => {
                    let name = Excerpt::name(entry.key());
                    return Err(A::Error::custom(format_args!("the key `{name}` occurs twice")));
                }
                Entry::Vacant(entry) => {
                    entry.insert(access.next_value_seed(inside)?);
                }
            }
        }
        Ok(Value::Object(members))
    }
}
