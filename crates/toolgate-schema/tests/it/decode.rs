//! Rules S5 and S6 on the way from JSON to Rust.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolgate_schema::{JsonValue, Nullable};

use crate::json;

#[derive(Debug, PartialEq, Deserialize)]
struct Item {
    name: Option<String>,
    #[serde(default)]
    note: Nullable<u8>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: u8,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Shape {
    Unit,
    New(u8),
    Tuple(u8, bool),
    Struct { a: u8 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Move { to: u8, note: Nullable<u8> },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Borrowed<'a> {
    text: &'a str,
}

#[derive(Debug, Deserialize)]
struct List<T> {
    #[expect(dead_code, reason = "only read through errors")]
    items: Vec<T>,
}

#[test]
fn null_is_a_value_and_absence_is_none_s5() {
    let item: Item = json("{}").decode().unwrap();
    assert_eq!(item, Item { name: None, note: Nullable::Null });
    let item: Item = json(r#"{"name":"a","note":null}"#).decode().unwrap();
    assert_eq!(item, Item { name: Some("a".into()), note: Nullable::Null });
    let item: Item = json(r#"{"note":7}"#).decode().unwrap();
    assert_eq!(item.note, Nullable::Value(7));
    let error = json(r#"{"name":null}"#).decode::<Item>().unwrap_err();
    assert_eq!(error.path(), "name");
    assert_eq!(error.message(), "invalid type: null, expected a string");
    assert_eq!(json("[1,null]").decode::<Vec<Nullable<u8>>>().unwrap(), [Nullable::Value(1), Nullable::Null]);
    assert_eq!(serde_json::from_str::<Nullable<u8>>("null").unwrap(), Nullable::Null);
    assert_eq!(serde_json::from_str::<Nullable<u8>>("5").unwrap(), Nullable::Value(5));
    let any: HashMap<String, Option<JsonValue>> = json(r#"{"a":null}"#).decode().unwrap();
    assert_eq!(any.get("a"), Some(&Some(JsonValue::null())));
}

#[test]
fn numbers_are_read_by_value_s6() {
    assert_eq!(json("[1, 2.0, 3e2]").decode::<Vec<i16>>().unwrap(), [1, 2, 300]);
    assert_eq!(json("[1, 2.5]").decode::<Vec<f64>>().unwrap(), [1.0, 2.5]);
    assert_eq!(json("1e18").decode::<u64>().unwrap(), 1_000_000_000_000_000_000);
    assert_eq!(json("18446744073709551615").decode::<u64>().unwrap(), u64::MAX);
    assert_eq!(json("-9223372036854775808").decode::<i64>().unwrap(), i64::MIN);
    assert_eq!(json("7").decode::<u128>().unwrap(), 7);
    let tagged: Tagged = json(r#"{"kind":"move","to":1.0,"note":null}"#).decode().unwrap();
    assert_eq!(tagged, Tagged::Move { to: 1, note: Nullable::Null });
}

#[test]
fn a_mismatch_has_its_path() {
    #[track_caller]
    fn fails<T: DeserializeOwned>(text: &str, path: &str, part: &str) {
        let Err(error) = json(text).decode::<T>() else { panic!("{text} is accepted") };
        assert_eq!(error.path(), path, "{error}");
        assert!(error.message().contains(part), "{error}");
        assert!(error.to_string().len() < 700, "{error}");
    }
    fails::<List<u8>>(r#"{"items":[1,256]}"#, "items[1]", "not 256");
    fails::<List<u8>>(r#"{"items":[1,1.5]}"#, "items[1]", "not 1.5");
    fails::<List<u8>>(r#"{"items":[-1]}"#, "items[0]", "from 0 to 255, not -1");
    fails::<List<i64>>(r#"{"items":[18446744073709551615]}"#, "items[0]", "not 18446744073709551615");
    fails::<List<i64>>(r#"{"items":[1e30]}"#, "items[0]", "a whole number from");
    fails::<List<f32>>(r#"{"items":[1e300]}"#, "items[0]", "f32");
    fails::<List<Closed>>(r#"{"items":[{"a":1},{"a":1,"b":2}]}"#, "items[1]", "unknown field `b`");
    fails::<List<Closed>>(r#"{"items":[{}]}"#, "items[0]", "missing field `a`");
    fails::<Closed>("null", "", "invalid type: null");
    fails::<String>("[]", "", "sequence");
    fails::<(u8, u8)>("[1,2,3]", "", "invalid length 3");
    fails::<(u8, u8)>("[1]", "", "invalid length 1");
    fails::<BTreeMap<u8, u8>>(r#"{"a":1}"#, "", "the key `a`");
    fails::<Shape>("\"Other\"", "", "unknown variant `Other`");
    fails::<Shape>(r#"{"New":"x"}"#, "New", "invalid type");
    fails::<Shape>(r#"{"Struct":{"a":-1}}"#, "Struct.a", "-1");
    fails::<Shape>(r#"{"New":1,"Unit":null}"#, "", "exactly one key");
    fails::<Shape>("\"New\"", "", "unit variant");
    let long = format!("{{\"items\":[\"{}\"]}}", "x".repeat(1_000_000));
    fails::<List<u8>>(&long, "items[0]", "invalid type: string");
}

#[test]
fn the_usual_shapes_are_read() {
    assert_eq!(json("\"Unit\"").decode::<Shape>().unwrap(), Shape::Unit);
    assert_eq!(json(r#"{"Unit":null}"#).decode::<Shape>().unwrap(), Shape::Unit);
    assert_eq!(json(r#"{"New":1}"#).decode::<Shape>().unwrap(), Shape::New(1));
    assert_eq!(json(r#"{"Tuple":[1,true]}"#).decode::<Shape>().unwrap(), Shape::Tuple(1, true));
    assert_eq!(json(r#"{"Struct":{"a":1}}"#).decode::<Shape>().unwrap(), Shape::Struct { a: 1 });
    assert_eq!(json(r#"{"1":2}"#).decode::<BTreeMap<u8, u8>>().unwrap(), BTreeMap::from([(1, 2)]));
    assert_eq!(json(r#"{"true":2}"#).decode::<BTreeMap<bool, u8>>().unwrap(), BTreeMap::from([(true, 2)]));
    let value = json(r#"{"text":"borrowed"}"#);
    assert_eq!(value.decode::<Borrowed<'_>>().unwrap(), Borrowed { text: "borrowed" });
    assert_eq!(json("null").decode::<()>(), Ok(()));
    assert_eq!(json("\"é\"").decode::<char>(), Ok('é'));
}

#[test]
fn json_values_are_read_losslessly_s6() {
    let text = r#"{"a":[1,-1,18446744073709551615,1.5,null,true,"x"],"b":{}}"#;
    assert_eq!(json(text).decode::<JsonValue>().unwrap(), json(text));
    assert_eq!(serde_json::from_str::<JsonValue>(text).unwrap(), json(text));
    assert!(serde_json::from_str::<JsonValue>(r#"{"a":1,"a":1}"#).is_err());
    assert!(serde_json::from_str::<JsonValue>("[-0.0]").is_err());
}

#[test]
fn more_than_128_levels_are_refused() {
    let nested = |levels: usize| json(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    assert_eq!(nested(128).decode::<JsonValue>().unwrap(), nested(128));
    assert!(nested(129).decode::<JsonValue>().unwrap_err().message().contains("128 levels"));

    /// Reads any present value as itself again.
    #[derive(Debug, Deserialize)]
    struct Endless(#[expect(dead_code, reason = "only its reading matters")] Option<Box<Endless>>);
    assert!(json("null").decode::<Endless>().is_err());
}
