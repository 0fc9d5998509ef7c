//! The deserializer: JSON to typed values, with the path in every error (rules S5, S6).
//!
//! Called by `JsonValue::decode`. It reads null as "none" for `Nullable` only, and never rounds or wraps a number.

use serde::Deserialize;
use serde::de::{self, Deserializer, Error as _, Unexpected, Visitor};
use serde_json::{Number, Value, map};

use super::decode_access::{Items, Members, Variant};
use super::nullable::NULLABLE;
use super::number::integer_of;
use super::typed_error::{Depth, TypedError};
use super::value::Place;

/// A value does not have the shape of the Rust type it was read as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the value{}: {message}", Place(path))]
pub struct DecodeError {
    path: String,
    message: String,
}

impl DecodeError {
    /// Where in the value, as `items[3].name`; empty for the value itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was wrong there, bounded in length.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Decodes a whole value.
pub(super) fn decode<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, DecodeError> {
    T::deserialize(Decoder { value, depth: Depth::default() }).map_err(|error| {
        let (path, message) = error.into_parts();
        DecodeError { path, message }
    })
}

pub(super) type Decoding<T> = Result<T, TypedError>;

#[derive(Clone, Copy)]
pub(super) struct Decoder<'de> {
    pub(super) value: &'de Value,
    pub(super) depth: Depth,
}

impl<'de> Decoder<'de> {
    fn mismatch<T>(self, visitor: &dyn de::Expected) -> Decoding<T> {
        let unexpected = match self.value {
            Value::Null => Unexpected::Other("null"),
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => unexpected_number(number),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Err(TypedError::invalid_type(unexpected, visitor))
    }

    /// Visits a number as the integer that it is, however it was written; else as a double.
    fn visit_number<V: Visitor<'de>>(number: &Number, visitor: V) -> Decoding<V::Value> {
        if let Some(value) = number.as_u64() {
            return visitor.visit_u64(value);
        }
        if let Some(value) = number.as_i64() {
            return visitor.visit_i64(value);
        }
        let double = number.as_f64().unwrap_or(f64::NAN);
        let integer = integer_of(double).filter(|_| !(double == 0.0 && double.is_sign_negative()));
        let Some(integer) = integer else { return visitor.visit_f64(double) };
        match (u64::try_from(integer), i64::try_from(integer)) {
            (Ok(value), _) => visitor.visit_u64(value),
            (Err(_), Ok(value)) => visitor.visit_i64(value),
            (Err(_), Err(_)) => visitor.visit_f64(double),
        }
    }

    /// A whole number within the bounds of a Rust type, which the schema cannot say.
    fn integer<V: Visitor<'de>>(self, visitor: V, least: i128, most: i128) -> Decoding<V::Value> {
        match self.value {
            Value::Number(number) => {
                let exact = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                let exact = exact.or_else(|| number.as_f64().and_then(integer_of));
                if exact.is_some_and(|exact| (least..=most).contains(&exact)) {
                    return Self::visit_number(number, visitor);
                }
                Err(TypedError::custom(format_args!(
                    "must be a whole number from {least} to {most}, not {number}"
                )))
            }
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                self.mismatch(&visitor)
            }
        }
    }

    fn text<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value {
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.mismatch(&visitor)
            }
        }
    }

    fn list<V: Visitor<'de>>(self, items: &'de [Value], visitor: V) -> Decoding<V::Value> {
        let mut access = Items { items: items.iter(), index: 0, depth: self.depth.container()? };
        let value = visitor.visit_seq(&mut access)?;
        if access.items.next().is_some() {
            return Err(TypedError::invalid_length(items.len(), &"fewer items"));
        }
        Ok(value)
    }

    fn object<V: Visitor<'de>>(
        self,
        members: &'de map::Map<String, Value>,
        visitor: V,
    ) -> Decoding<V::Value> {
        let mut access = Members { members: members.iter(), value: None, depth: self.depth.container()? };
        let value = visitor.visit_map(&mut access)?;
        if access.members.next().is_some() {
            return Err(TypedError::invalid_length(members.len(), &"fewer keys"));
        }
        Ok(value)
    }
}

fn unexpected_number(number: &Number) -> Unexpected<'static> {
    if let Some(value) = number.as_u64() {
        return Unexpected::Unsigned(value);
    }
    number.as_i64().map_or_else(|| Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)), Unexpected::Signed)
}

macro_rules! decode_integers {
    ($($method:ident $kind:ident)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
            self.integer(visitor, i128::from($kind::MIN), i128::from($kind::MAX))
        })+
    };
}

impl<'de> Deserializer<'de> for Decoder<'de> {
    type Error = TypedError;

    decode_integers! {
        deserialize_i8 i8 deserialize_i16 i16 deserialize_i32 i32 deserialize_i64 i64
        deserialize_u8 u8 deserialize_u16 u16 deserialize_u32 u32 deserialize_u64 u64
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.integer(visitor, i128::MIN, i128::MAX)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.integer(visitor, 0, i128::MAX)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => Self::visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => self.list(items, visitor),
            Value::Object(members) => self.object(members, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                self.mismatch(&visitor)
            }
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        if let Some(double) = self.value.as_f64()
            && (double as f32).is_infinite()
        {
            return Err(TypedError::invalid_value(Unexpected::Float(double), &"f32"));
        }
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value.as_f64() {
            Some(double) => visitor.visit_f64(double),
            None => self.mismatch(&visitor),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.text(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value {
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => self.list(items, visitor),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => self.mismatch(&visitor),
        }
    }

    /// What is there is some, null included: absence is what an option means here.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        visitor.visit_some(Self { value: self.value, depth: self.depth.wrapper()? })
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        if self.value.is_null() { visitor.visit_unit() } else { self.mismatch(&visitor) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Decoding<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Decoding<V::Value> {
        if name == NULLABLE && self.value.is_null() {
            return visitor.visit_unit();
        }
        visitor.visit_newtype_struct(Self { value: self.value, depth: self.depth.wrapper()? })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value {
            Value::Array(items) => self.list(items, visitor),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                self.mismatch(&visitor)
            }
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Decoding<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Decoding<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        match self.value {
            Value::Object(members) => self.object(members, visitor),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                self.mismatch(&visitor)
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Decoding<V::Value> {
        match self.value {
            Value::Array(items) => self.list(items, visitor),
            Value::Object(members) => self.object(members, visitor),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => self.mismatch(&visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Decoding<V::Value> {
        match self.value {
            Value::String(variant) => visitor.visit_enum(Variant { variant, content: None }),
            Value::Object(members) => {
                let depth = self.depth.container()?;
                let mut entries = members.iter();
                match (entries.next(), entries.next()) {
                    (Some((variant, value)), None) => {
                        visitor.visit_enum(Variant { variant, content: Some(Self { value, depth }) })
                    }
                    _ => Err(TypedError::invalid_value(Unexpected::Map, &"an object with exactly one key")),
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                self.mismatch(&"a variant name or an object with one key")
            }
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        self.text(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        visitor.visit_unit()
    }
}
