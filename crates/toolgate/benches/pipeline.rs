//! One call through the whole pipeline: listeners, registered tools, payloads.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to say")]

mod support;

use std::hint::black_box;

use divan::Bencher;
use support::{Items, block_on, call, noop, payload, small, with_listeners};
use toolgate::prelude::*;

fn main() {
    divan::main();
}

#[divan::bench(args = [0, 1, 5])]
fn listeners_on_each_stage(bencher: Bencher<'_, '_>, count: usize) {
    let runtime = with_listeners(count);
    let args = small();
    bencher.bench(|| block_on(runtime.execute(call("noop", &args))));
}

#[divan::bench(args = [1, 1_000])]
fn registered_tools(bencher: Bencher<'_, '_>, count: usize) {
    let runtime = with_listeners(0);
    for n in 1..count {
        runtime.register(noop(Box::leak(format!("tool_{n}").into_boxed_str()))).expect("valid");
    }
    let args = small();
    bencher.bench(|| block_on(runtime.execute(call("noop", &args))));
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn typed_arguments_of_bytes(bencher: Bencher<'_, '_>, bytes: usize) {
    let tool =
        tool_fn("t", "Counts.", |args: Items, _: RunContext| async move { Ok(args.items.len() as u64) });
    let runtime = ToolRuntime::builder().tool(tool).build().expect("valid");
    let args = JsonValue::parse(&payload(bytes)).expect("JSON");
    bencher.bench(|| block_on(runtime.execute(call("t", &args))));
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn validated_output_of_bytes(bencher: Bencher<'_, '_>, bytes: usize) {
    let (runtime, args) = output_runtime(bytes);
    bencher.bench(|| block_on(runtime.execute(call("t", &args))));
}

#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn parse_bytes(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = payload(bytes);
    bencher.bench(|| JsonValue::parse(black_box(&text)));
}

/// A tool whose value is a payload that its output schema describes.
fn output_runtime(bytes: usize) -> (ToolRuntime, JsonValue) {
    let value = JsonValue::parse(&payload(bytes)).expect("JSON");
    let schema =
        toolgate::ToolDefinition::new(tool_fn("s", "", |args: Items, _: RunContext| async move { Ok(args) }));
    let tool = toolgate::ToolDefinition::raw("t", "Gives a payload.")
        .output_schema(schema.output_schema().clone())
        .render(|_, _| Ok(vec![ContentBlock::text("a payload")]))
        .body(move |_, _| {
            let value = value.clone();
            async move { Ok(value) }
        });
    (ToolRuntime::builder().tool(tool).build().expect("valid"), JsonValue::empty_object())
}
