//! [`Nullable`]: the only type that means null (rule S5).
//!
//! Used in typed arguments and results. It works through our own serializer and deserializer, and through
//! `serde_json`'s.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// The name under which a `Nullable` asks our deserializer to answer null as null. Our deserializer reads every
/// present `Option` as some, so `Option` cannot be asked.
pub(super) const NULLABLE: &str = "$toolgate::Nullable";

/// A value, or null.
///
/// `Option<T>` as a field means that the key may be absent; `Nullable<T>` means that the key is there and may be
/// null. The default is null.
///
/// A type that accepts null itself cannot stand inside, because null would have two meanings:
///
/// ```compile_fail
/// use toolgate_schema::{Nullable, Schema};
///
/// let _ = <Nullable<Nullable<bool>> as Schema>::NODE;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Nullable<T> {
    /// Null.
    #[default]
    Null,
    /// A value.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value, or `None` for null.
    #[must_use]
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// A reference to the value, or `None` for null.
    #[must_use]
    pub const fn as_option(&self) -> Option<&T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Whether it is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(option: Option<T>) -> Self {
        option.map_or(Self::Null, Self::Value)
    }
}

impl<T> From<Nullable<T>> for Option<T> {
    fn from(nullable: Nullable<T>) -> Self {
        nullable.into_option()
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NULLABLE, NullableVisitor(PhantomData))
    }
}

struct NullableVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NullableVisitor<T> {
    type Value = Nullable<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Nullable::Null)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Nullable::Null)
    }

    /// Ours comes here only for a value; a foreign deserializer also for null, which its `Option` reads.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        Option::<T>::deserialize(deserializer).map(Nullable::from)
    }
}
