//! The serializer: typed values to lossless JSON, refusing what JSON would silently change (rules S5, S6).
//!
//! Called by `JsonValue::encode`. `None` never becomes null: as a field it is left out, elsewhere it is refused.

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::excerpt::Excerpt;

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
enum Encoded {
    Value(Value),
    /// `None`: the key, if this is the value of one, is left out.
    Absent,
}

impl Encoded {
    /// The value, where absence has no meaning.
    fn present(self) -> Encoding<Value> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Absent => Err(TypedError::new(
                "`None` can only be left out as the value of a key; use `Nullable` for null",
            )),
        }
    }
}

type Encoding<T> = Result<T, TypedError>;

#[derive(Clone, Copy)]
struct Encoder {
    depth: Depth,
}

fn number(number: impl Into<Number>) -> Encoding<Encoded> {
    Ok(Encoded::Value(Value::Number(number.into())))
}

fn text(text: &str) -> Encoding<Encoded> {
    Ok(Encoded::Value(Value::String(text.to_owned())))
}

fn object_of(name: &str, value: Value) -> Encoded {
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

/// A list that is being encoded.
struct ListEncoder {
    items: Vec<Value>,
    /// The depth inside the list.
    depth: Depth,
}

impl ListEncoder {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoding<()> {
        let encoded = value.serialize(Encoder { depth: self.depth }).and_then(Encoded::present);
        self.items.push(encoded.map_err(|error| error.at_index(self.items.len()))?);
        Ok(())
    }
}

impl SerializeSeq for ListEncoder {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoding<()> {
        self.push(value)
    }

    fn end(self) -> Encoding<Encoded> {
        Ok(Encoded::Value(Value::Array(self.items)))
    }
}

impl SerializeTuple for ListEncoder {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoding<()> {
        self.push(value)
    }

    fn end(self) -> Encoding<Encoded> {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleStruct for ListEncoder {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoding<()> {
        self.push(value)
    }

    fn end(self) -> Encoding<Encoded> {
        SerializeSeq::end(self)
    }
}

/// An object that is being encoded.
struct MapEncoder {
    members: Map<String, Value>,
    /// The key whose value comes next.
    key: Option<String>,
    /// The depth inside the object.
    depth: Depth,
}

impl MapEncoder {
    fn insert<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Encoding<()> {
        let encoded = match value.serialize(Encoder { depth: self.depth }) {
            Ok(encoded) => encoded,
            Err(error) => return Err(error.at_key(&name)),
        };
        let Encoded::Value(value) = encoded else { return Ok(()) };
        match self.members.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(value);
                Ok(())
            }
            Entry::Occupied(entry) => {
                let name = Excerpt::name(entry.key());
                Err(TypedError::new(format!("the key `{name}` occurs twice")))
            }
        }
    }
}

impl SerializeMap for MapEncoder {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Encoding<()> {
        self.key = Some(key.serialize(super::encode_key::KeyEncoder)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoding<()> {
        let Some(name) = self.key.take() else {
            return Err(TypedError::new("a value without a key was serialized"));
        };
        self.insert(name, value)
    }

    fn end(self) -> Encoding<Encoded> {
        Ok(Encoded::Value(Value::Object(self.members)))
    }
}

impl SerializeStruct for MapEncoder {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Encoding<()> {
        self.insert(name.to_owned(), value)
    }

    fn end(self) -> Encoding<Encoded> {
        SerializeMap::end(self)
    }
}

/// The content of an enum variant, to be wrapped in an object under the variant's name.
struct VariantEncoder<C> {
    variant: &'static str,
    content: C,
}

impl SerializeTupleVariant for VariantEncoder<ListEncoder> {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoding<()> {
        self.content.push(value).map_err(|error| error.at_key(self.variant))
    }

    fn end(self) -> Encoding<Encoded> {
        Ok(object_of(self.variant, Value::Array(self.content.items)))
    }
}

impl SerializeStructVariant for VariantEncoder<MapEncoder> {
    type Ok = Encoded;
    type Error = TypedError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Encoding<()> {
        self.content.insert(name.to_owned(), value).map_err(|error| error.at_key(self.variant))
    }

    fn end(self) -> Encoding<Encoded> {
        Ok(object_of(self.variant, Value::Object(self.content.members)))
    }
}
