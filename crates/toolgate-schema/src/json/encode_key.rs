//! Object keys of typed maps: what is a text, an integer or a boolean becomes a text.
//!
//! Called by `encode`. Everything else is refused; a key is never invented.

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use super::typed_error::TypedError;

/// Serializes one key.
pub(super) struct KeyEncoder;

type Key = Result<String, TypedError>;
type NoKey = Impossible<String, TypedError>;

fn refused<T>(what: &str) -> Result<T, TypedError> {
    Err(TypedError::new(format!("{what} cannot be a key of a JSON object")))
}

macro_rules! printed_key {
    ($($method:ident: $ty:ty),+ $(,)?) => {
        $(fn $method(self, value: $ty) -> Key {
            Ok(value.to_string())
        })+
    };
}

impl Serializer for KeyEncoder {
    type Ok = String;
    type Error = TypedError;
    type SerializeSeq = NoKey;
    type SerializeTuple = NoKey;
    type SerializeTupleStruct = NoKey;
    type SerializeTupleVariant = NoKey;
    type SerializeMap = NoKey;
    type SerializeStruct = NoKey;
    type SerializeStructVariant = NoKey;

    printed_key! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_char: char,
        serialize_str: &str,
    }

    fn serialize_f32(self, _value: f32) -> Key {
        refused("a floating-point number")
    }

    fn serialize_f64(self, _value: f64) -> Key {
        refused("a floating-point number")
    }

    fn serialize_bytes(self, _value: &[u8]) -> Key {
        refused("a byte string")
    }

    fn serialize_none(self) -> Key {
        refused("`None`")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _value: &T) -> Key {
        refused("an option")
    }

    fn serialize_unit(self) -> Key {
        refused("a unit")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Key {
        refused("a unit struct")
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Key {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Key {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Key {
        refused("an enum variant with content")
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<NoKey, TypedError> {
        refused("a list")
    }

    fn serialize_tuple(self, _length: usize) -> Result<NoKey, TypedError> {
        refused("a tuple")
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<NoKey, TypedError> {
        refused("a tuple struct")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<NoKey, TypedError> {
        refused("an enum variant with content")
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<NoKey, TypedError> {
        refused("a map")
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<NoKey, TypedError> {
        refused("a struct")
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<NoKey, TypedError> {
        refused("an enum variant with content")
    }
}
