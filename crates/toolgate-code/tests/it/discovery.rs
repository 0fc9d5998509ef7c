//! Programs whose tools are too many for a prompt find them themselves.

use serde_json::{Value, json};
use toolgate::ToolDefinition;
use toolgate::prelude::*;
use toolgate_code::{CodeMode, CodeModeConfig, prompt_sections};
use toolgate_sandbox::{InProcess, Language, Limits};

use crate::{Recorder, run};

/// An agent's runtime with these tools and budget, and what its log is told.
fn runtime(tools: impl IntoIterator<Item = ToolDefinition>, budget: usize) -> (ToolRuntime, Recorder) {
    let recorder = Recorder::default();
    let limits = Limits { calls: 20, ..Limits::in_process() };
    let config = CodeModeConfig { budget, limits, ..CodeModeConfig::new(Language::TypeScript) };
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Code)
        .code_transport(CodeMode::new(InProcess::default(), config).with_sink(recorder.clone()))
        .build()
        .expect("valid");
    for tool in tools {
        runtime.register(tool).expect("valid");
    }
    (runtime, recorder)
}

fn echo(name: &str, description: &str) -> ToolDefinition {
    let schema = json!({ "type": "object", "properties": { "file_path": { "type": "string" } } });
    ToolDefinition::raw(name, description)
        .raw_parameters(JsonValue::new(schema).expect("lossless"))
        .output_schema(json!({}))
        .body(|args, _| async move { Ok(args) })
}

fn tools() -> [ToolDefinition; 3] {
    [
        echo("read_file", "Reads a file. Not a folder."),
        echo("delete", "Deletes a file."),
        echo("clock", "Tells the time. Knows zones."),
    ]
}

/// Program, and its result or the beginning of its failure.
const ROWS: &[(&str, &str)] = &[
    // Names before parts of names, before arguments and sentences, before the rest of a description.
    ("return (await tools.search('DELETE')).map(f => f.name)", r#"["delete"]"#),
    ("return (await tools.search('file')).map(f => f.name)", r#"["read_file","delete","clock"]"#),
    ("return (await tools.search('zones')).map(f => f.name)", r#"["clock"]"#),
    ("return (await tools.search('nothing of that')).map(f => f.name)", "[]"),
    ("return (await tools.search('')).length", "3"),
    ("return (await tools.search('clock'))[0].line", r#""clock(file_path?): Tells the time.""#),
    ("return (await tools.search({ words: 'clock' })).length", "1"),
    // The declaration is the one that a small set has.
    ("return (await tools.describe('clock')).includes('clock(args: { file_path?: string')", "true"),
    ("return (await tools.describe({ name: 'clock' })).startsWith('declare const tools')", "true"),
    (
        "return await tools.describe('rm').catch(e => [e instanceof ToolCallError, e.message])",
        r#"[true,"there is no tool `rm`\nhint: tools.search finds the names"]"#,
    ),
    (
        "return await tools.describe('run_code').catch(e => e.message.split('\\n')[0])",
        r#""there is no tool `run_code`""#,
    ),
    ("return await tools.search(7).catch(e => e.message.split('\\n')[0])", r#""`search` takes one text""#),
    (
        "return await tools.search('x'.repeat(1001)).catch(e => e.message)",
        r#""`search` takes a text of at most 1000 bytes""#,
    ),
    // What was found is called as ever; each call has its place in the order.
    ("const [{ name }] = await tools.search('clock'); return await tools[name]({ a: 1 })", r#"{"a":1}"#),
    ("return Object.keys(tools).sort()", r#"["clock","delete","describe","read_file","search"]"#),
    // They count as calls.
    (
        "for (let i = 0; i < 21; i++) await tools.search('')",
        "Error: the program failed (limit): the program made more than 20 calls",
    ),
    // A call that nobody awaits is not one of a tool.
    ("tools.search('clock'); return 1", "1"),
];

#[tokio::test(flavor = "multi_thread")]
async fn programs_find_and_describe_their_tools() {
    for (code, expected) in ROWS {
        let (runtime, recorder) = runtime(tools(), 0);
        let result = run(&runtime, code).await;
        let shown = match result.value() {
            Some(value) => value["result"].to_string(),
            None => result.text(),
        };
        let fits = if result.is_error() { shown.starts_with(expected) } else { shown == *expected };
        assert!(fits, "{code}: {shown}");
        let told = recorder.0.lock().expect("no panic").clone();
        let calls_a_tool = code.contains("tools[name]");
        assert_eq!(told.len(), if calls_a_tool { 2 } else { 0 }, "{code}: they are no tools: {told:?}");
        if calls_a_tool {
            assert_eq!(told, ["start p:code:2", "settle p:code:2"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_that_name_wins() {
    let named = ["search", "search_tools", "describe"].map(|name| echo(name, "A tool."));
    let (runtime, _) = runtime(named, 0);
    let code = "return [await tools.search({ a: 1 }), (await tools.search_tools_tools('describe'))[0].name, \
                await tools.describe({ b: 2 }), (await tools.describe_tools('search')).length > 20, \
                Object.keys(tools).length]";
    let result = run(&runtime, code).await;
    let value = result.value().expect("a success");
    assert_eq!(value["result"], json!([{ "a": 1 }, "describe", { "b": 2 }, true, 5]), "{}", result.text());
    let prompt = sdk(&runtime.tools(), 0);
    assert!(prompt.contains("  search_tools_tools(words: string)"), "{prompt}");
    assert!(prompt.contains("  describe_tools(name: string)"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_and_the_program_change_at_the_same_size() {
    let whole = sdk(&tools(), usize::MAX);
    let enough = toolgate_sdk::tokens(&whole);
    for (budget, is_whole) in [(enough, true), (enough - 1, false), (10_000, true), (0, false)] {
        let (runtime, _) = runtime(tools(), budget);
        let result = run(&runtime, "return 'search' in tools").await;
        let has_search = result.value().and_then(|value| value["result"].as_bool());
        assert_eq!(has_search, Some(!is_whole), "{budget}: {}", result.text());
        let prompt = sdk(&runtime.tools(), budget);
        assert_eq!(prompt == whole, is_whole, "{budget}: {prompt}");
        assert_eq!(prompt.contains("// clock(file_path?): Tells the time."), !is_whole, "{prompt}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_no_more_than_fits_a_result() {
    let many = (0..500).map(|n| echo(&format!("tool_{n}"), &"long ".repeat(1_000)));
    let (runtime, _) = runtime(many, 10_000);
    let result =
        run(&runtime, "const found = await tools.search('tool'); return [found.length, found]").await;
    let value = result.value().expect("a success");
    assert_eq!(value["result"][0], json!(20), "K73: a list of everything is what the index is for");
    assert_eq!(value["result"][1][0]["name"], Value::from("tool_0"), "equals keep their order");
}

/// The section with the declarations, for these tools and budget.
fn sdk(tools: &[ToolDefinition], budget: usize) -> String {
    let sections = prompt_sections(toolgate_sdk::Language::TypeScript, PresentationMode::Code, tools, budget);
    let sdk = sections.into_iter().find(|section| section.id == "tools:sdk");
    sdk.expect("declarations").text
}
