//! The inside of lists, objects and enum variants for the deserializer.
//!
//! Called by `decode`. Here an error that comes from inside gets the segment of its path.

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde_json::{Value, map};

use super::decode::{Decoder, Decoding};
use super::decode_key::KeyDecoder;
use super::typed_error::{Depth, TypedError};

/// The items of a list; errors inside one get its index.
pub(super) struct Items<'de> {
    pub(super) items: std::slice::Iter<'de, Value>,
    pub(super) index: usize,
    pub(super) depth: Depth,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Decoding<Option<T::Value>> {
        let Some(value) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        let item = seed.deserialize(Decoder { value, depth: self.depth });
        item.map(Some).map_err(|error| error.at_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of an object; errors inside a value get its key.
pub(super) struct Members<'de> {
    pub(super) members: map::Iter<'de>,
    /// The entry whose value comes next.
    pub(super) value: Option<(&'de str, &'de Value)>,
    pub(super) depth: Depth,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = TypedError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Decoding<Option<K::Value>> {
        let Some((name, value)) = self.members.next() else { return Ok(None) };
        self.value = Some((name, value));
        seed.deserialize(KeyDecoder { name }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Decoding<T::Value> {
        let Some((name, value)) = self.value.take() else {
            return Err(TypedError::new("a value was asked for before its key"));
        };
        seed.deserialize(Decoder { value, depth: self.depth }).map_err(|error| error.at_key(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// An enum: the variant's name and, unless it was written as a text, its content.
pub(super) struct Variant<'de> {
    pub(super) variant: &'de str,
    pub(super) content: Option<Decoder<'de>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = TypedError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Decoding<(V::Value, Self)> {
        let variant = seed.deserialize(self.variant.into_deserializer())?;
        Ok((variant, self))
    }
}

impl<'de> Variant<'de> {
    fn content<T>(
        self,
        expected: &'static str,
        read: impl FnOnce(Decoder<'de>) -> Decoding<T>,
    ) -> Decoding<T> {
        match self.content {
            Some(content) => read(content).map_err(|error| error.at_key(self.variant)),
            None => Err(TypedError::invalid_type(Unexpected::UnitVariant, &expected)),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = TypedError;

    fn unit_variant(self) -> Decoding<()> {
        match self.content {
            Some(content) => <()>::deserialize(content).map_err(|error| error.at_key(self.variant)),
            None => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Decoding<T::Value> {
        self.content("a variant with a value", |content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Decoding<V::Value> {
        self.content("a variant with a list", |content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Decoding<V::Value> {
        self.content("a variant with an object", |content| content.deserialize_struct("", fields, visitor))
    }
}
