//! The figures of the README: each is one side of a pair, run in turns in the same minute, by the least of many runs.
//! Absolute times depend on the machine; the last column should not.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, or has nothing to say")]

mod support;

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::time::{Duration, Instant};

use support::{Items, Small, block_on, call, noop, payload, small, with_listeners};
use toolgate::prelude::*;
use toolgate::{ParameterSchema, ToolDefinition, ValueSchema};

fn main() {
    println!("{:<66} {:>12} {:>12} {:>8}", "measured, against", "measured", "against", "ratio");
    let args = small();
    let bare = with_listeners(0);
    let plain: Box<dyn Plain> = Box::new(Noop);
    compare(
        "bare typed call, against a boxed dyn call that decodes the same",
        || block_on(bare.execute(call("noop", &args))),
        || block_on(plain.call(call("noop", &args), &args)),
    );
    let five = with_listeners(5);
    compare(
        "five listeners on each stage and five guards, against bare",
        || block_on(five.execute(call("noop", &args))),
        || block_on(bare.execute(call("noop", &args))),
    );
    let many = with_listeners(0);
    for n in 1..1_000 {
        many.register(noop(Box::leak(format!("tool_{n}").into_boxed_str()))).expect("valid");
    }
    compare(
        "1,000 tools registered, against one",
        || block_on(many.execute(call("noop", &args))),
        || block_on(bare.execute(call("noop", &args))),
    );
    let text = payload(1_000_000);
    let large = JsonValue::parse(&text).expect("JSON");
    let counting =
        tool_fn("t", "Counts.", |args: Items, _: RunContext| async move { Ok(args.items.len() as u64) });
    let schema = ToolDefinition::new(tool_fn("s", "", |args: Items, _: RunContext| async move { Ok(args) }));
    let text_type = JsonValue::new(serde_json::json!({ "type": "string" })).expect("lossless");
    let item = ValueSchema::from_json(&author_form()).expect("the author language");
    let checked = ToolDefinition::raw("t", "Checks.")
        .parameters(&ParameterSchema::new().required("items", ValueSchema::array(item)))
        .output_schema(text_type)
        .body(|_, _| async { Ok(JsonValue::from("ok")) });
    let checked = ToolRuntime::builder().tool(checked).build().expect("valid");
    compare(
        "call with 1 MB of checked arguments, against parsing the text",
        || block_on(checked.execute(call("t", &large))),
        || JsonValue::parse(black_box(&text)),
    );
    let typed = ToolRuntime::builder().tool(counting).build().expect("valid");
    compare(
        "the same, decoded into Rust types, against parsing the text",
        || block_on(typed.execute(call("t", &large))),
        || JsonValue::parse(black_box(&text)),
    );
    let value = large.clone();
    let output = ToolDefinition::raw("t", "Gives a payload.")
        .output_schema(schema.output_schema().clone())
        .render(|_, _| Ok(vec![ContentBlock::text("a payload")]))
        .body(move |_, _| {
            let value = value.clone();
            async move { Ok(value) }
        });
    let output = ToolRuntime::builder().tool(output).build().expect("valid");
    let empty = JsonValue::empty_object();
    compare(
        "call with 1 MB of validated output, against parsing the text",
        || block_on(output.execute(call("t", &empty))),
        || JsonValue::parse(black_box(&text)),
    );
}

/// The entries of the payload in the author language.
fn author_form() -> serde_json::Value {
    let integer = || serde_json::json!({ "type": "integer", "required": true });
    let position = serde_json::json!({
        "type": "object", "additionalProperties": false, "required": true,
        "properties": { "line": integer(), "column": integer() }
    });
    serde_json::json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "id": integer(), "path": { "type": "string", "required": true },
            "score": { "type": "number", "required": true }, "active": { "type": "boolean", "required": true },
            "note": { "oneOf": [{ "type": "string" }, { "type": "null" }] },
            "tags": { "type": "array", "items": { "type": "string" } },
            "range": {
                "type": "object", "additionalProperties": false,
                "properties": { "start": position, "end": position }
            }
        }
    })
}

/// What a tool call costs without a pipeline.
trait Plain {
    fn call<'a>(
        &'a self,
        request: ToolCall,
        args: &'a JsonValue,
    ) -> Pin<Box<dyn Future<Output = i64> + Send + 'a>>;
}

struct Noop;

impl Plain for Noop {
    fn call<'a>(
        &'a self,
        request: ToolCall,
        args: &'a JsonValue,
    ) -> Pin<Box<dyn Future<Output = i64> + Send + 'a>> {
        Box::pin(async move {
            black_box(&request);
            let args: Small = args.decode().expect("valid");
            i64::from(args.limit) + i64::try_from(args.path.len()).unwrap_or(0)
        })
    }
}

/// Runs both sides in turns and prints the least time of each, and their ratio.
fn compare<A, B>(what: &str, mut measured: impl FnMut() -> A, mut against: impl FnMut() -> B) {
    const ROUNDS: usize = 40;
    let (mut least_measured, mut least_against) = (f64::MAX, f64::MAX);
    let (repeat_measured, repeat_against) = (repeats(&mut measured), repeats(&mut against));
    for _ in 0..ROUNDS {
        least_measured = least_measured.min(time(repeat_measured, &mut measured));
        least_against = least_against.min(time(repeat_against, &mut against));
    }
    println!(
        "{what:<66} {:>12} {:>12} {:>8.2}",
        format!("{:.3} µs", least_measured * 1e6),
        format!("{:.3} µs", least_against * 1e6),
        least_measured / least_against
    );
}

/// How often to run something so that one round takes some ten milliseconds.
fn repeats<T>(run: &mut impl FnMut() -> T) -> u32 {
    let mut repeats = 1;
    loop {
        let taken = time(repeats, run) * f64::from(repeats);
        if taken > Duration::from_millis(10).as_secs_f64() || repeats > 1 << 20 {
            return repeats;
        }
        repeats *= 2;
    }
}

/// Seconds per run.
fn time<T>(repeats: u32, run: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        black_box(run());
    }
    start.elapsed().as_secs_f64() / f64::from(repeats)
}
