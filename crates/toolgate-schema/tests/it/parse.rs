//! Rules S4 and S6: what the parser accepts, and where it says that it does not.

use toolgate_schema::{JsonValue, ParseErrorKind, ParseLimits, RawJson};

use crate::json;

#[test]
fn numbers_keep_their_value_s6() {
    for (text, printed) in [
        ("0", "0"),
        ("-1", "-1"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1.0", "1.0"),
        ("1E2", "100.0"),
        ("1e-7", "1e-7"),
        ("0.1", "0.1"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ("1e-400", "0.0"),
        ("100000000000000000000.5", "1e+20"),
        // Rounded to the nearest double, which faster methods miss by one.
        ("1.25e31", "1.25e+31"),
    ] {
        assert_eq!(json(text).to_text(), printed, "{text}");
    }
}

#[test]
fn strings_are_unescaped() {
    for (text, value) in [
        (r#""""#, ""),
        (r#""plain text longer than a word""#, "plain text longer than a word"),
        (r#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{c}\n\r\t"),
        (r#""\u0041\u00e9\u65e5""#, "Aé日"),
        (r#""\ud83d\ude00 x""#, "😀 x"),
        ("\"日本語\u{7f}\"", "日本語\u{7f}"),
        (r#""\u0000""#, "\0"),
    ] {
        assert_eq!(json(text).as_str(), Some(value), "{text}");
    }
}

#[test]
fn faults_have_kind_offset_and_path() {
    use ParseErrorKind as K;
    for (text, kind, offset, path) in [
        ("", K::UnexpectedEnd, 0, ""),
        (" ", K::UnexpectedEnd, 1, ""),
        ("\u{feff}1", K::ByteOrderMark, 0, ""),
        ("1 2", K::TrailingText, 2, ""),
        ("[1,]", K::ExpectedValue, 3, "[1]"),
        ("[1 2]", K::ExpectedCommaOrEnd, 3, ""),
        ("[1", K::UnexpectedEnd, 2, ""),
        ("]", K::ExpectedValue, 0, ""),
        ("{\"a\":1,}", K::ExpectedKey, 7, ""),
        ("{a:1}", K::ExpectedKey, 1, ""),
        ("{\"a\" 1}", K::ExpectedColon, 5, "a"),
        ("{\"a\":[{\"b\":tru}]}", K::ExpectedValue, 11, "a[0].b"),
        ("tru", K::UnexpectedEnd, 0, ""),
        ("nulL", K::ExpectedValue, 0, ""),
        ("01", K::InvalidNumber, 0, ""),
        ("-", K::UnexpectedEnd, 1, ""),
        ("-x", K::InvalidNumber, 0, ""),
        ("1.", K::UnexpectedEnd, 2, ""),
        ("[1.]", K::InvalidNumber, 1, "[0]"),
        ("1e", K::UnexpectedEnd, 2, ""),
        ("[1e+]", K::InvalidNumber, 1, "[0]"),
        (".5", K::ExpectedValue, 0, ""),
        ("+1", K::ExpectedValue, 0, ""),
        ("NaN", K::ExpectedValue, 0, ""),
        ("1e999", K::NumberOverflow, 0, ""),
        ("{\"n\":18446744073709551616}", K::IntegerOutOfRange, 5, "n"),
        ("[0,-9223372036854775809]", K::IntegerOutOfRange, 3, "[1]"),
        ("[99999999999999999999999999]", K::IntegerOutOfRange, 1, "[0]"),
        ("[-0]", K::NegativeZero, 1, "[0]"),
        ("{\"a\":{\"b\":-0.0}}", K::NegativeZero, 10, "a.b"),
        ("-0e5", K::NegativeZero, 0, ""),
        ("-1e-400", K::NegativeZero, 0, ""),
        ("{\"a\":{\"x\":1,\"y\":2,\"x\":3}}", K::DuplicateKey, 18, "a.x"),
        ("{\"a\":1,\"\\u0061\":1}", K::DuplicateKey, 7, "a"),
        ("\"\t\"", K::ControlCharacter, 1, ""),
        ("\"abcdefghij\u{1}\"", K::ControlCharacter, 11, ""),
        ("\"\\x\"", K::InvalidEscape, 1, ""),
        ("\"\\u12g4\"", K::InvalidEscape, 1, ""),
        ("\"\\ud800\"", K::LoneSurrogate, 1, ""),
        ("\"\\ud800\\n\"", K::LoneSurrogate, 1, ""),
        ("\"\\ud800\\ud800\"", K::LoneSurrogate, 1, ""),
        ("\"\\udc00\"", K::LoneSurrogate, 1, ""),
        ("\"abc", K::UnexpectedEnd, 4, ""),
        ("\"abc\\", K::UnexpectedEnd, 5, ""),
        ("\"\\u12", K::UnexpectedEnd, 5, ""),
    ] {
        let error = JsonValue::parse(text).unwrap_err();
        assert_eq!((error.kind(), error.offset(), error.path()), (kind, offset, path), "{text:?}");
    }
}

#[test]
fn a_fault_is_one_sentence_with_line_and_column() {
    let error = JsonValue::parse("{\n  \"é\": [1,\n  \"日本\" x]}").unwrap_err();
    assert_eq!((error.line(), error.column()), (3, 8));
    assert_eq!(
        error.to_string(),
        "invalid JSON at line 3, column 8: expected `,` or the end of the list or object at `é`"
    );
    let error = JsonValue::parse_slice(b"[\"ab\xff\"]", ParseLimits::default()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ParseErrorKind::InvalidUtf8, 4));
}

#[test]
fn a_long_path_is_cut_in_the_message_and_whole_in_the_accessor() {
    let key = "k".repeat(10_000);
    let error = JsonValue::parse(&format!("{{\"{key}\":-0}}")).unwrap_err();
    assert_eq!(error.path(), key);
    assert!(error.to_string().len() < 400, "{}", error.to_string().len());
}

#[test]
fn depth_is_refused_before_a_level_is_built_s4() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(JsonValue::parse(&nested(1_000)).is_ok());
    let error = JsonValue::parse(&nested(1_001)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ParseErrorKind::TooDeep { limit: 1_000 }, 1_000));
    assert!(error.to_string().contains("deeper than the 1000 levels"), "{error}");
    let flat = ParseLimits { max_depth: 0, ..ParseLimits::default() };
    let few = ParseLimits { max_values: 3, ..ParseLimits::default() };
    assert!(JsonValue::parse_with("[1, 2]", few).is_ok());
    let error = JsonValue::parse_with("[1, {}, 2]", few).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::TooManyValues { limit: 3 });
    assert!(JsonValue::parse_with("1", flat).is_ok());
    assert!(JsonValue::parse_with("[]", flat).is_err());
    assert!(JsonValue::parse_with("{}", flat).is_err());
}

#[test]
fn raw_json_keeps_negative_zero_s6() {
    for text in ["-0", "-0.0", "-0e1"] {
        let value = RawJson::parse_with(text, ParseLimits::default()).unwrap();
        assert!(value.as_f64().is_some_and(|number| number == 0.0 && number.is_sign_negative()), "{text}");
        assert_eq!(value.to_string(), "-0.0");
        assert!(JsonValue::new(value).is_err());
    }
}

#[test]
fn a_value_that_is_not_lossless_is_refused_with_its_path_s6() {
    for (text, path) in [
        ("-0.0", ""),
        ("[1, -0.0, -0.0]", "[1]"),
        ("{\"a\": [], \"b\": [{\"c\": 0}, {\"c\": -0.0}]}", "b[1].c"),
    ] {
        let error = JsonValue::new(crate::raw(text)).unwrap_err();
        assert_eq!(error.path(), path, "{text}");
    }
    let error = JsonValue::new(crate::raw("[-0.0]")).unwrap_err();
    assert_eq!(error.to_string(), "the value at `[0]` holds negative zero, which is not lossless JSON");
}
