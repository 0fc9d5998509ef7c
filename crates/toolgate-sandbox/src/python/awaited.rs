//! Which calls a program waits for: the interpreter tells only which have no answer.
//!
//! A suspended program can be written down as data, and there each call that somebody awaits has an awaiter. This is
//! the reader of that data which keeps nothing else.

use std::fmt::{self, Display};

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The calls that somebody awaits in a suspended program.
pub(super) fn calls(suspended: &impl Serialize) -> Vec<u32> {
    let mut reader = Reader::default();
    // What cannot be read is as if nobody awaited it: the program is then told that it waits for nothing.
    let _ = suspended.serialize(&mut reader);
    reader.awaited
}

#[derive(Default)]
struct Reader {
    awaited: Vec<u32>,
    /// The number that was read last: the call's, when its awaiter comes.
    number: u32,
    /// Whether the next value is an awaiter.
    awaiter: bool,
}

/// The names of the interpreter's own data.
const PENDING: (&str, &str) = ("ExternalFutureState", "Pending");

#[derive(Debug)]
struct Unreadable;

impl Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unreadable")
    }
}

impl std::error::Error for Unreadable {}

impl Error for Unreadable {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

type Done = Result<(), Unreadable>;

macro_rules! nothing {
    ($($name:ident: $kind:ty),* $(,)?) => {
        $(fn $name(self, _: $kind) -> Done {
            Ok(())
        })*
    };
}

impl Serializer for &mut Reader {
    type Ok = ();
    type Error = Unreadable;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    nothing!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    );

    fn serialize_u32(self, number: u32) -> Done {
        self.number = number;
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.awaiter = false;
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        if std::mem::take(&mut self.awaiter) {
            self.awaited.push(self.number);
        }
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Unreadable> {
        self.awaiter = (name, variant) == PENDING;
        Ok(self)
    }
}

macro_rules! walked {
    ($($kind:ident :: $name:ident),* $(,)?) => {
        $(impl $kind for &mut Reader {
            type Ok = ();
            type Error = Unreadable;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

walked!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
);

macro_rules! walked_by_name {
    ($($kind:ident),*) => {
        $(impl $kind for &mut Reader {
            type Ok = ();
            type Error = Unreadable;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

walked_by_name!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for &mut Reader {
    type Ok = ();
    type Error = Unreadable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}
