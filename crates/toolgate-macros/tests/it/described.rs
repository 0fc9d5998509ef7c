//! The check that every schema test makes: the schema says what is expected, and agrees with serde.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolgate::JsonValue;
use toolgate_schema::{CompiledSchema, PathRoot, Schema, value_schema_of};

/// The schema of a type, inside the enforced subset.
pub(crate) fn schema<T: Schema + ?Sized>() -> CompiledSchema {
    value_schema_of::<T>().unwrap()
}

/// Checks that the schema is `expected`, accepts what serde writes for each value, and that serde reads it back.
#[track_caller]
pub(crate) fn check<T>(expected: Value, values: &[T])
where
    T: Schema + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let schema = schema::<T>();
    assert_eq!(schema.raw().as_value(), &expected);
    for value in values {
        let written = JsonValue::encode(value).unwrap();
        if let Err(violations) = schema.check_value(&written, PathRoot::Value) {
            panic!("{written}: {violations:#?}");
        }
        assert_eq!(&written.decode::<T>().unwrap(), value, "{written}");
    }
}

/// Checks that schema and serde both refuse each value.
#[track_caller]
pub(crate) fn refuses<T: Schema + DeserializeOwned + Debug>(values: &[Value]) {
    let schema = schema::<T>();
    for value in values {
        let value = JsonValue::new(value.clone()).unwrap();
        assert!(!schema.is_valid(&value), "the schema accepts {value}");
        assert!(value.decode::<T>().is_err(), "serde accepts {value}");
    }
}
