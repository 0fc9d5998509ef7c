//! Rule S4: 100,000 levels on a 2 MiB stack, and cost that stays linear.

use std::time::{Duration, Instant};

use serde_json::Value;
use toolgate_schema::{
    CompiledSchema, JsonValue, ParseErrorKind, ParseLimits, PathRoot, RawJson, ValueSchema, check,
};

const LEVELS: usize = 100_000;

/// Runs on a thread with the stack that a runtime's worker has.
fn on_small_stack(body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(body).unwrap().join().unwrap();
}

fn parse(text: &str) -> JsonValue {
    JsonValue::parse_with(text, ParseLimits::unbounded()).unwrap()
}

fn nested(open: &str, core: &str, close: &str, levels: usize) -> String {
    format!("{}{core}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn deep_values_s4() {
    on_small_stack(|| {
        for (open, close) in [("[", "]"), ("{\"p\":", "}"), ("[1,{\"a\":[],\"p\":", "},2]")] {
            let text = nested(open, "1", close, LEVELS);
            let value = parse(&text);
            assert_eq!(value.to_text(), text);
            assert!(format!("{value:#}").len() > text.len());
            assert_eq!(value, parse(&text));
            assert!(value != parse(&nested(open, "2", close, LEVELS)));
            assert!(CompiledSchema::any().is_valid(&value));
            assert!(CompiledSchema::any().validate(&value, PathRoot::Value).is_empty());
            assert!(JsonValue::encode(&value).is_err());
            assert!(value.decode::<Value>().is_err());
            assert!(value.decode::<JsonValue>().is_err());
            assert!(serde_json::to_string(&value).is_err());

            let lossy = RawJson::parse_with(&nested(open, "-0.0", close, LEVELS), ParseLimits::unbounded());
            let lossy = lossy.unwrap();
            assert!(lossy == lossy.clone());
            assert_eq!(CompiledSchema::any().validate(&lossy, PathRoot::Value).len(), 1);
            let error = JsonValue::new(lossy).unwrap_err();
            assert!(error.path().len() > LEVELS);
            assert!(error.to_string().len() < 1_000);
        }
    });
}

#[test]
fn deep_faults_drop_what_was_built_s4() {
    on_small_stack(|| {
        let deep = nested("[", "", "]", LEVELS);
        for (text, kind) in [
            (format!("{deep} x"), ParseErrorKind::TrailingText),
            (format!("[{deep},{{\"a\":{deep},\"a\":1}}]"), ParseErrorKind::DuplicateKey),
            ("[".repeat(LEVELS), ParseErrorKind::UnexpectedEnd),
            ("{\"a\":".repeat(LEVELS), ParseErrorKind::UnexpectedEnd),
        ] {
            let error = JsonValue::parse_with(&text, ParseLimits::unbounded()).unwrap_err();
            assert_eq!(error.kind(), kind);
        }
    });
}

#[test]
fn deep_schemas_s4() {
    on_small_stack(|| {
        let schema = nested("{\"type\":\"array\",\"items\":", "{\"type\":\"integer\"}", "}", LEVELS);
        let compiled = CompiledSchema::compile(parse(&schema)).unwrap();
        let value = parse(&nested("[", "1", "]", LEVELS));
        assert!(compiled.is_valid(&value));
        assert!(compiled.validate(&value, PathRoot::Value).is_empty());
        let wrong = parse(&nested("[", "true", "]", LEVELS));
        let violations = compiled.check_value(&wrong, PathRoot::Value).unwrap_err();
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].path(), format!("value{}", "[0]".repeat(LEVELS)));
        assert!(violations[0].to_string().len() < 1_000);
        assert!(format!("{compiled:?}").len() > schema.len());

        let object = "{\"type\":\"object\",\"required\":[\"p\"],\"properties\":{\"p\":";
        let compiled = CompiledSchema::compile(parse(&nested(object, "{}", "}}", LEVELS))).unwrap();
        assert!(compiled.is_valid(&parse(&nested("{\"p\":", "1", "}", LEVELS))));
        assert!(!compiled.is_valid(&parse(&nested("{\"p\":", "1", "}", LEVELS - 1))));
    });
}

#[test]
fn deep_author_schemas_s4() {
    on_small_stack(|| {
        let schema = (0..LEVELS).fold(ValueSchema::json(), |inner, _| ValueSchema::array(inner));
        let schema = schema.default(parse(&nested("[", "", "]", LEVELS)));
        let compiled = schema.clone().default(1).compile().unwrap();
        assert!(compiled.is_valid(&parse(&nested("[", "1", "]", LEVELS))));
        assert!(ValueSchema::from_json(schema.author_form()).unwrap() == schema);
    });
}

#[test]
fn a_fault_on_every_level_costs_linear_memory_s4() {
    on_small_stack(|| {
        let schema = parse(&nested("{\"type\":\"array\",\"x\":1,\"items\":", "{}", "}", LEVELS));
        assert_eq!(check(&schema).len(), LEVELS);
        let error = CompiledSchema::compile(schema).unwrap_err();
        assert!(error.to_string().len() < 4_000);
    });
}

#[test]
fn unions_are_linear_s4() {
    on_small_stack(|| {
        let start = Instant::now();
        let union =
            |levels| nested("{\"oneOf\":[", "{\"type\":\"string\"}", ",{\"type\":\"null\"}]}", levels);
        for levels in [3_000, 20_000] {
            let schema = CompiledSchema::compile(parse(&union(levels))).unwrap();
            assert!(schema.is_valid(&JsonValue::from("leaf")));
            assert!(schema.validate(&JsonValue::from("leaf"), PathRoot::Value).is_empty());
            assert!(!schema.is_valid(&JsonValue::from(1)));
            assert_eq!(schema.validate(&JsonValue::from(1), PathRoot::Value).len(), 1);
        }
        let branches = (0..20_000).map(|index| format!("{{\"type\":\"string\",\"const\":\"{index}\"}}"));
        let schema = format!("{{\"oneOf\":[{}]}}", branches.collect::<Vec<_>>().join(","));
        let schema = CompiledSchema::compile(parse(&schema)).unwrap();
        assert!(schema.is_valid(&JsonValue::from("19999")));
        // Quadratic or exponential cost takes minutes; the bound only has to tell those apart.
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    });
}

#[test]
fn open_objects_are_searched_once_s4() {
    on_small_stack(|| {
        let start = Instant::now();
        // Every level is open and holds a large undeclared member besides the declared one.
        let levels = 2_000;
        let schema = nested("{\"type\":\"object\",\"properties\":{\"p\":", "{}", "}}", levels);
        let schema = CompiledSchema::compile(parse(&schema)).unwrap();
        let value = nested("{\"u\":[1,2,3,4,5,6,7,8,9,10],\"p\":", "-0.0", "}", levels);
        let value = RawJson::parse_with(&value, ParseLimits::unbounded()).unwrap();
        assert_eq!(schema.validate(&value, PathRoot::Value).len(), 1);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    });
}
