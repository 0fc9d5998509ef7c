//! Text and equality of values.

use serde_json::{Value, json as value};
use toolgate_schema::{JsonValue, RawJson};

use crate::json;

#[test]
fn text_is_what_serde_json_writes() {
    for sample in [
        value!(null),
        value!([]),
        value!({}),
        value!([[], {}, [1], { "a": {} }]),
        value!({ "a": [1, 2.5, -3, 1e300], "b": { "c": "d" }, "": true }),
        value!("quotes \" \\ / \u{8}\u{c}\n\r\t\u{1}\u{7f} 日本 😀"),
    ] {
        let ours = JsonValue::new(sample.clone()).unwrap();
        assert_eq!(ours.to_text(), serde_json::to_string(&sample).unwrap());
        assert_eq!(ours.to_string(), ours.to_text());
        assert_eq!(format!("{ours:?}"), ours.to_text());
        assert_eq!(format!("{ours:#}"), serde_json::to_string_pretty(&sample).unwrap());
        assert_eq!(RawJson::from(sample).to_string(), ours.to_text());
    }
}

#[test]
fn numbers_compare_by_value_and_exactly_s6() {
    for (left, right, equal) in [
        ("1", "1.0", true),
        ("0", "0.0", true),
        ("1e2", "100", true),
        ("-5", "-5.0", true),
        ("18446744073709551615", "18446744073709551615", true),
        ("18446744073709551615", "18446744073709551616.0", false),
        ("9007199254740993", "9007199254740992.0", false),
        ("9007199254740993", "9007199254740992", false),
        ("9223372036854775808", "9223372036854775808.0", true),
        ("-9223372036854775808", "-9223372036854775808.0", true),
        ("1e30", "1.0e30", true),
        ("1", "1.5", false),
        ("1", "\"1\"", false),
        ("null", "false", false),
        ("[1,2]", "[1,2.0]", true),
        ("[1,2]", "[2,1]", false),
        ("[1]", "[1,1]", false),
        (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1.0}"#, true),
        (r#"{"a":1}"#, r#"{"b":1}"#, false),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#, false),
        ("[]", "{}", false),
    ] {
        assert_eq!(json(left) == json(right), equal, "{left} {right}");
        assert_eq!(json(right) == json(left), equal, "{right} {left}");
    }
}

#[test]
fn common_values_are_at_hand() {
    assert_eq!(JsonValue::null(), Value::Null);
    assert_eq!(JsonValue::default(), JsonValue::null());
    assert_eq!(JsonValue::empty_object(), value!({}));
    assert_eq!(JsonValue::from("a"), value!("a"));
    assert_eq!(JsonValue::from(String::from("a")), value!("a"));
    assert_eq!(JsonValue::from(true), value!(true));
    assert_eq!(JsonValue::from(-1_i32), value!(-1));
    assert_eq!(JsonValue::from(i64::MIN), value!(i64::MIN));
    assert_eq!(JsonValue::from(u64::MAX), value!(u64::MAX));
    assert_eq!(JsonValue::from(7_usize), value!(7));
}
