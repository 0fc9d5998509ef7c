//! Depth is bounded by memory, never by the thread's stack (rule S4): arguments, values and schemas of 100,000
//! levels on a thread of 2 MiB, through the whole pipeline, printing and dropping included.

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate::{CompiledSchema, ParseLimits, ToolDefinition};

use crate::support::call;

const LEVELS: usize = 100_000;

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

fn nested() -> Value {
    let mut value = json!(1);
    for _ in 0..LEVELS {
        value = Value::Array(vec![value]);
    }
    value
}

#[test]
fn deep_arguments_and_values_cross_the_whole_pipeline() {
    on_small_stack(|| {
        let tool = ToolDefinition::raw("t", "returns its arguments")
            .output_schema(JsonValue::empty_object())
            .body(|args, _| async move { Ok(args) });
        let runtime = ToolRuntime::builder().tool(tool).build().expect("valid");
        let result = block_on(runtime.execute(call("t", nested())));
        let value = result.value().expect("a success");
        assert_eq!(*value, JsonValue::new(nested()).expect("lossless"));
        let text = "[".repeat(LEVELS) + "1" + &"]".repeat(LEVELS);
        assert_eq!(result.text(), text);
        assert_eq!(format!("{value:?}").len(), text.len());
        let record = JsonValue::parse_with(&result.to_record_text(), ParseLimits::unbounded()).expect("JSON");
        assert!(record.as_value()["value"][0].is_array());
    });
}

#[test]
fn deep_schemas_are_compiled_and_checked() {
    on_small_stack(|| {
        let mut schema = json!({ "type": "integer" });
        for _ in 0..LEVELS {
            schema = Value::Object(
                [("type".to_owned(), "array".into()), ("items".to_owned(), schema)].into_iter().collect(),
            );
        }
        let schema = JsonValue::new(schema).expect("lossless");
        let tool = ToolDefinition::raw("t", "returns its arguments")
            .output_schema(schema.clone())
            .raw_parameters(schema.clone())
            .body(|args, _| async move { Ok(args) });
        let runtime = ToolRuntime::builder().tool(tool).build().expect("in the subset");
        assert!(!block_on(runtime.execute(call("t", nested()))).is_error());
        let schemas = runtime.schemas();
        assert_eq!(schemas[0].parameters, schema);
        assert!(CompiledSchema::compile(schema).is_ok());
    });
}

#[test]
fn deep_text_from_outside_is_refused_with_the_limit() {
    on_small_stack(|| {
        let error = JsonValue::parse(&"[".repeat(LEVELS)).expect_err("too deep");
        assert!(error.to_string().contains("1000"), "{error}");
    });
}

#[test]
fn typed_tools_refuse_what_their_decoding_could_not_hold() {
    on_small_stack(|| {
        #[derive(serde::Deserialize, Schema)]
        struct Args {
            value: JsonValue,
        }
        let tool = tool_fn("t", "typed", |args: Args, _: RunContext| async move { Ok(args.value) });
        let runtime = ToolRuntime::builder().tool(tool).build().expect("valid");
        let mut arguments = serde_json::Map::new();
        arguments.insert("value".to_owned(), nested());
        let result = block_on(runtime.execute(call("t", Value::Object(arguments))));
        let error = result.error().expect("refused");
        assert_eq!(error.code(), Some("INVALID_ARGS"));
        assert!(error.message().len() < 1000, "{}", error.message().len());
    });
}

#[test]
fn a_bad_schema_of_any_depth_is_refused_in_few_words() {
    on_small_stack(|| {
        let mut schema = json!({ "type": "integer" });
        for _ in 0..LEVELS {
            let members = [
                ("type".to_owned(), "array".into()),
                ("format".to_owned(), 1.into()),
                ("items".to_owned(), schema),
            ];
            schema = Value::Object(members.into_iter().collect());
        }
        let tool = ToolDefinition::raw("t", "declares too much")
            .output_schema(JsonValue::new(schema).expect("lossless"))
            .body(|args, _| async move { Ok(args) });
        let error = ToolRuntime::builder().tool(tool).build().expect_err("outside the subset");
        assert!(error.to_string().len() < 2_000, "{}", error.to_string().len());
    });
}
