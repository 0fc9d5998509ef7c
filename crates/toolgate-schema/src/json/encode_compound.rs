//! The inside of lists, objects and enum variants for the serializer.
//!
//! Called by `encode`. Here an error that comes from inside gets the segment of its path, and an absent value
//! leaves its key out.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::excerpt::Excerpt;

use super::encode::{Encoded, Encoder, Encoding, object_of};
use super::encode_key::KeyEncoder;
use super::typed_error::{Depth, TypedError};

/// A list that is being encoded.
pub(super) struct ListEncoder {
    pub(super) items: Vec<Value>,
    /// The depth inside the list.
    pub(super) depth: Depth,
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
pub(super) struct MapEncoder {
    pub(super) members: Map<String, Value>,
    /// The key whose value comes next.
    pub(super) key: Option<String>,
    /// The depth inside the object.
    pub(super) depth: Depth,
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
        self.key = Some(key.serialize(KeyEncoder)?);
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
pub(super) struct VariantEncoder<C> {
    pub(super) variant: &'static str,
    pub(super) content: C,
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
