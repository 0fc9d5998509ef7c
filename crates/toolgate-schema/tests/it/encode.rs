//! Rules S5 and S6 on the way from Rust to JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json as value;
use toolgate_schema::{JsonValue, Nullable};

use crate::json;

#[derive(Serialize)]
struct Item {
    name: Option<&'static str>,
    note: Nullable<u8>,
}

#[derive(Serialize)]
enum Shape {
    Unit,
    New(u8),
    Tuple(u8, bool),
    Struct { a: u8, b: Option<u8> },
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Move { to: Option<u8> },
}

#[derive(Serialize)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    item: Item,
}

#[test]
fn absent_is_left_out_and_null_is_null_s5() {
    let item = Item { name: None, note: Nullable::Null };
    assert_eq!(JsonValue::encode(&item).unwrap(), value!({ "note": null }));
    let item = Item { name: Some("a"), note: Nullable::Value(3) };
    assert_eq!(JsonValue::encode(&item).unwrap(), value!({ "name": "a", "note": 3 }));
    let flat = Flat { a: 1, item: Item { name: None, note: Nullable::Null } };
    assert_eq!(JsonValue::encode(&flat).unwrap(), value!({ "a": 1, "note": null }));
    let map = BTreeMap::from([("a", None), ("b", Some(1))]);
    assert_eq!(JsonValue::encode(&map).unwrap(), value!({ "b": 1 }));
    assert_eq!(JsonValue::encode(&Some(Some(1))).unwrap(), value!(1));
    assert_eq!(JsonValue::encode(&()).unwrap(), value!(null));
    assert_eq!(serde_json::to_value(Nullable::<u8>::Null).unwrap(), value!(null));
}

#[test]
fn values_have_the_usual_json_form() {
    assert_eq!(JsonValue::encode(&Shape::Unit).unwrap(), value!("Unit"));
    assert_eq!(JsonValue::encode(&Shape::New(1)).unwrap(), value!({ "New": 1 }));
    assert_eq!(JsonValue::encode(&Shape::Tuple(1, true)).unwrap(), value!({ "Tuple": [1, true] }));
    let shape = Shape::Struct { a: 1, b: None };
    assert_eq!(JsonValue::encode(&shape).unwrap(), value!({ "Struct": { "a": 1 } }));
    assert_eq!(JsonValue::encode(&Tagged::Move { to: None }).unwrap(), value!({ "kind": "move" }));
    assert_eq!(JsonValue::encode(&BTreeMap::from([(1, 'x')])).unwrap(), value!({ "1": "x" }));
    assert_eq!(JsonValue::encode(&BTreeMap::from([(true, 1.5_f32)])).unwrap(), value!({ "true": 1.5 }));
    assert_eq!(JsonValue::encode(&(i64::MIN, u64::MAX)).unwrap(), value!([i64::MIN, u64::MAX]));
    assert_eq!(JsonValue::encode(&(u64::MAX as i128, -1_i128)).unwrap(), value!([u64::MAX, -1]));
    let nested = json(r#"{"b":[1.0,null],"a":{}}"#);
    assert_eq!(JsonValue::encode(&vec![&nested]).unwrap(), value!([{ "b": [1.0, null], "a": {} }]));
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_path_s6() {
    #[derive(Serialize)]
    struct List<T> {
        items: Vec<BTreeMap<&'static str, T>>,
    }
    fn path_and_message<T: Serialize>(bad: T) -> (String, String) {
        let list = List { items: vec![BTreeMap::new(), BTreeMap::from([("name", bad)])] };
        let error = JsonValue::encode(&list).unwrap_err();
        (error.path().to_owned(), error.message().to_owned())
    }
    for (path, message) in [
        path_and_message(f64::NAN),
        path_and_message(f32::INFINITY),
        path_and_message(-0.0),
        path_and_message(u128::MAX),
        path_and_message(i128::from(i64::MIN) - 1),
        path_and_message(BTreeMap::from([(None::<u8>, 1)])),
        path_and_message(BTreeMap::from([(vec![1], 1)])),
    ] {
        assert_eq!(path, "items[1].name", "{message}");
    }
    let (path, message) = path_and_message(vec![Some(1), None]);
    assert_eq!(path, "items[1].name[1]");
    assert!(message.contains("Nullable"), "{message}");
    assert!(JsonValue::encode(&None::<u8>).is_err());
}

#[test]
fn more_than_128_levels_are_refused() {
    let nested = |levels: usize| json(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    assert!(JsonValue::encode(&nested(128)).is_ok());
    let error = JsonValue::encode(&nested(129)).unwrap_err();
    assert!(error.message().contains("128 levels"), "{error}");
    assert!(serde_json::to_string(&nested(128)).is_ok());
    assert!(serde_json::to_string(&nested(129)).is_err());

    /// A list of wrappers that adds no JSON level.
    #[derive(Serialize)]
    struct Wrapped(Option<Box<Wrapped>>);
    let chain = (0..100_000).fold(Wrapped(None), |inner, _| Wrapped(Some(Box::new(inner))));
    assert!(JsonValue::encode(&chain).is_err());
    // The chain itself would be dropped by recursion.
    std::mem::forget(chain);
}
