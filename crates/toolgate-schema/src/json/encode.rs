//! The serializer: typed values to lossless JSON, refusing what JSON would silently change (rules S5, S6).
//!
//! Called by `JsonValue::encode`. `None` never becomes null: as a field it is left out, elsewhere it is refused.

use serde::Serialize;
use serde::ser;
use serde_json::{Map, Number, Value};

use super::encode_compound::{ListEncoder, MapEncoder, VariantEncoder};
use super::typed_error::{Depth, TypedError};
use super::value::Place;

/// A typed value could not be turned into JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot encode the value{}: {message}", Place(path))]
pub struct EncodeError {
    path: String,
    message: String,
}

impl EncodeError {
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

/// Encodes a whole value.
pub(super) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Value, EncodeError> {
    let encoded = value.serialize(Encoder { depth: Depth::default() }).and_then(|encoded| encoded.present());
    encoded.map_err(|error| {
        let (path, message) = error.into_parts();
        EncodeError { path, message }
    })
}

/// What a place encodes to.
pub(super) enum Encoded {
    Value(Value),
    /// `None`: the key, if this is the value of one, is left out.
    Absent,
}

impl Encoded {
    /// The value, where absence has no meaning.
    pub(super) fn present(self) -> Encoding<Value> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Absent => Err(TypedError::new(
                "`None` can only be left out as the value of a key; use `Nullable` for null",
            )),
        }
    }
}

pub(super) type Encoding<T> = Result<T, TypedError>;

#[derive(Clone, Copy)]
pub(super) struct Encoder {
    pub(super) depth: Depth,
}

fn number(number: impl Into<Number>) -> Encoding<Encoded> {
    Ok(Encoded::Value(Value::Number(number.into())))
}

fn text(text: &str) -> Encoding<Encoded> {
    Ok(Encoded::Value(Value::String(text.to_owned())))
}

pub(super) fn object_of(name: &str, value: Value) -> Encoded {
    let mut members = Map::new();
    members.insert(name.to_owned(), value);
    Encoded::Value(Value::Object(members))
}

impl ser::Serializer for Encoder {
    type Ok = Encoded;
    type Error = TypedError;
    type SerializeSeq = ListEncoder;
    type SerializeTuple = ListEncoder;
    type SerializeTupleStruct = ListEncoder;
    type SerializeTupleVariant = VariantEncoder<ListEncoder>;
    type SerializeMap = MapEncoder;
    type SerializeStruct = MapEncoder;
    type SerializeStructVariant = VariantEncoder<MapEncoder>;

    fn serialize_bool(self, value: bool) -> Encoding<Encoded> {
        Ok(Encoded::Value(Value::Bool(value)))
    }

    fn serialize_i8(self, value: i8) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_i16(self, value: i16) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_i32(self, value: i32) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_i64(self, value: i64) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_i128(self, value: i128) -> Encoding<Encoded> {
        if let Ok(value) = u64::try_from(value) {
            return number(value);
        }
        match i64::try_from(value) {
            Ok(value) => number(value),
            Err(_) => Err(out_of_range()),
        }
    }

    fn serialize_u8(self, value: u8) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_u16(self, value: u16) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_u32(self, value: u32) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_u64(self, value: u64) -> Encoding<Encoded> {
        number(value)
    }

    fn serialize_u128(self, value: u128) -> Encoding<Encoded> {
        match u64::try_from(value) {
            Ok(value) => number(value),
            Err(_) => Err(out_of_range()),
        }
    }

    fn serialize_f32(self, value: f32) -> Encoding<Encoded> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Encoding<Encoded> {
        if value == 0.0 && value.is_sign_negative() {
            return Err(TypedError::new("negative zero is not lossless JSON"));
        }
        match Number::from_f64(value) {
            Some(value) => number(value),
            None => Err(TypedError::new(format!("{value} is not a JSON number"))),
        }
    }

    fn serialize_char(self, value: char) -> Encoding<Encoded> {
        text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Encoding<Encoded> {
        text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Encoding<Encoded> {
        self.depth.container()?;
        Ok(Encoded::Value(Value::Array(value.iter().map(|&byte| Value::from(byte)).collect())))
    }

    fn serialize_none(self) -> Encoding<Encoded> {
        Ok(Encoded::Absent)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Encoding<Encoded> {
        value.serialize(Self { depth: self.depth.wrapper()? })
    }

    fn serialize_unit(self) -> Encoding<Encoded> {
        Ok(Encoded::Value(Value::Null))
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Encoding<Encoded> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Encoding<Encoded> {
        text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Encoding<Encoded> {
        value.serialize(Self { depth: self.depth.wrapper()? })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Encoding<Encoded> {
        let inside = Self { depth: self.depth.container()? };
        let encoded = value.serialize(inside).and_then(Encoded::present);
        Ok(object_of(variant, encoded.map_err(|error| error.at_key(variant))?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Encoding<ListEncoder> {
        Ok(ListEncoder { items: Vec::with_capacity(sane(length)), depth: self.depth.container()? })
    }

    fn serialize_tuple(self, length: usize) -> Encoding<ListEncoder> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Encoding<ListEncoder> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Encoding<VariantEncoder<ListEncoder>> {
        let inside = Self { depth: self.depth.container()? };
        let content = inside.serialize_seq(Some(length)).map_err(|error| error.at_key(variant))?;
        Ok(VariantEncoder { variant, content })
    }

    fn serialize_map(self, length: Option<usize>) -> Encoding<MapEncoder> {
        let members = Map::with_capacity(sane(length));
        Ok(MapEncoder { members, key: None, depth: self.depth.container()? })
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Encoding<MapEncoder> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Encoding<VariantEncoder<MapEncoder>> {
        let inside = Self { depth: self.depth.container()? };
        let content = inside.serialize_map(Some(length)).map_err(|error| error.at_key(variant))?;
        Ok(VariantEncoder { variant, content })
    }
}

/// The length a type announces, bounded: it is a hint, and it comes from somebody else's code.
fn sane(length: Option<usize>) -> usize {
    length.unwrap_or_default().min(4_096)
}

fn out_of_range() -> TypedError {
    TypedError::new("the integer is outside the range from -9223372036854775808 to 18446744073709551615")
}
