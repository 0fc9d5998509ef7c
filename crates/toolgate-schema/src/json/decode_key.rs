//! Object keys for typed maps: a text, or a text that reads as an integer or a boolean.
//!
//! Called by `decode`; the mirror image of `encode_key`.

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::excerpt::Excerpt;

use super::typed_error::TypedError;

/// Deserializes one key.
pub(super) struct KeyDecoder<'de> {
    pub(super) name: &'de str,
}

type Decoding<T> = Result<T, TypedError>;

impl KeyDecoder<'_> {
    fn read<T: std::str::FromStr>(&self, what: &str) -> Decoding<T> {
        self.name
            .parse()
            .map_err(|_| TypedError::new(format!("the key `{}` is not {what}", Excerpt::name(self.name))))
    }
}

macro_rules! read_keys {
    ($($method:ident $visit:ident $what:literal)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
            visitor.$visit(self.read($what)?)
        })+
    };
}

impl<'de> Deserializer<'de> for KeyDecoder<'de> {
    type Error = TypedError;

    read_keys! {
        deserialize_bool visit_bool "a boolean"
        deserialize_i8 visit_i8 "an integer of 8 bits"
        deserialize_i16 visit_i16 "an integer of 16 bits"
        deserialize_i32 visit_i32 "an integer of 32 bits"
        deserialize_i64 visit_i64 "an integer of 64 bits"
        deserialize_i128 visit_i128 "an integer"
        deserialize_u8 visit_u8 "an integer from 0 of 8 bits"
        deserialize_u16 visit_u16 "an integer from 0 of 16 bits"
        deserialize_u32 visit_u32 "an integer from 0 of 32 bits"
        deserialize_u64 visit_u64 "an integer from 0 of 64 bits"
        deserialize_u128 visit_u128 "an integer from 0"
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        visitor.visit_borrowed_str(self.name)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Decoding<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Decoding<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Decoding<V::Value> {
        let variant: StrDeserializer<'de, TypedError> = self.name.into_deserializer();
        visitor.visit_enum(variant)
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
