//! Programs that call tools through the whole pipeline, in a real sandbox. The conformance cases play the rules one by
//! one; here are the cases from the field.

#![expect(clippy::expect_used, reason = "a failing helper fails its test")]

mod clock;
mod discovery;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{CodeDispatchLog, CodeDispatchLogListener, CodeTransport as _, ToolDefinition};
use toolgate_code::{
    CodeMode, CodeModeConfig, DispatchSettled, DispatchSink, DispatchStarted, prompt_sections,
};
use toolgate_sandbox::{InProcess, Language};

fn code_mode() -> CodeMode<InProcess> {
    CodeMode::new(InProcess::default(), CodeModeConfig::new(Language::TypeScript))
}

fn tool(name: &str) -> toolgate::tool::RawToolBuilder {
    ToolDefinition::raw(name, "a tool of a test").output_schema(json!({}))
}

fn runtime(tools: impl IntoIterator<Item = ToolDefinition>) -> ToolRuntime {
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Code)
        .code_transport(code_mode())
        .build()
        .expect("valid");
    for tool in tools {
        runtime.register(tool).expect("valid");
    }
    runtime
}

fn program(code: &str, cancel: &CancellationToken) -> ToolCall {
    ToolCall::new("run_code", json!({ "code": code, "description": "a test" }), cancel.clone()).with_id("p")
}

async fn run(runtime: &ToolRuntime, code: &str) -> ToolExecutionResult {
    runtime.scope("agent").execute(program(code, &CancellationToken::new())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn integers_cross_exactly() {
    let echo = tool("echo").body(|args, _| async move { Ok(args) });
    let result = run(
        &runtime([echo]),
        "const { n } = await tools.echo({ n: 9007199254740993n });\n\
         const { m } = await tools.echo({ m: 18446744073709551615n });\n\
         return [n, m, 7];",
    )
    .await;
    let value = result.value().expect("a success");
    assert_eq!(value["result"], json!([9_007_199_254_740_993_u64, u64::MAX, 7]), "K24: {}", result.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_name_is_callable_and_breaks_nothing() {
    let names = ["__proto__", "constructor", "then", "my-tool", "toString", "ä ö"];
    let tools = names.map(|name| tool(name).body(move |_, _| async move { Ok(json!(name)) }));
    let code = "const names = [\"__proto__\", \"constructor\", \"then\", \"my-tool\", \"toString\", \"ä ö\"];\n\
                const out = [];\n\
                for (const name of names) out.push(await tools[name]({}));\n\
                return out;";
    let result = run(&runtime(tools), code).await;
    assert_eq!(result.value().expect("a success")["result"], json!(names), "K78: {}", result.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_returns_is_not_kept_by_calls_that_wait_for_each_other() {
    // Each waits until it is stopped, alone, and more of them wait than anybody takes at a time.
    let wait = tool("wait").body(|_, cx: RunContext| async move {
        cx.cancellation().cancelled().await;
        Ok(json!(null))
    });
    let runtime = runtime([wait]);
    let code = "for (let i = 0; i < 200; i++) tools.wait({});\nawait null;\nreturn 1;";
    let result = tokio::time::timeout(Duration::from_secs(30), run(&runtime, code)).await;
    let result = result.expect("C6: the run settles when its program returns");
    assert_eq!(result.value().expect("a success")["result"], json!(1), "{}", result.text());
    assert!(result.text().contains("never started"), "K75: {}", result.text());
}

/// Asks before `delete`, and remembers what was shown.
struct AskForDelete;

impl PreExecute for AskForDelete {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if call.name() == "delete" { Ok(PreToolDecision::ask("it removes")) } else { next.run().await }
    }
}

struct Refuse(Arc<Mutex<Vec<String>>>);

impl Approver for Refuse {
    async fn approve(&self, request: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        let shown =
            format!("{} {} {}", request.call.call_id(), request.call.name(), request.call.arguments());
        self.0.lock().expect("no panic").push(shown);
        Ok(ApprovalOutcome::Rejected)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_inside_a_program_shows_the_real_arguments() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let done = Arc::new(Mutex::new(Vec::new()));
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Code)
        .code_transport(code_mode())
        .on_pre_execute(AskForDelete)
        .approver(Refuse(Arc::clone(&shown)))
        .build()
        .expect("valid");
    for name in ["read", "delete", "write"] {
        let done = Arc::clone(&done);
        let body = move |_: JsonValue, _: RunContext| {
            done.lock().expect("no panic").push(name);
            async move { Ok(json!("ok")) }
        };
        runtime.register(tool(name).body(body)).expect("valid");
    }
    let code = "await tools.read({ path: \"a\" });\n\
                let denied = \"\";\n\
                try { await tools.delete({ path: \"a\" }) } catch (e) { denied = e.message }\n\
                await tools.write({ path: \"b\" });\n\
                return denied;";
    let result = run(&runtime, code).await;
    assert!(result.text().contains("rejected"), "K62: {}", result.text());
    assert_eq!(*shown.lock().expect("no panic"), ["p:code:2 delete {\"path\":\"a\"}"]);
    assert_eq!(*done.lock().expect("no panic"), ["read", "write"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_nobody_awaits_are_told() {
    let slow = tool("slow").concurrency_safe_when(|_| true).body(|_, cx: RunContext| async move {
        cx.cancellation().cancelled().await;
        Err::<JsonValue, _>(ToolError::aborted())
    });
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Code)
        .code_transport(CodeMode::new(
            InProcess::default(),
            CodeModeConfig {
                parallel: std::num::NonZeroUsize::MIN.saturating_add(1),
                ..CodeModeConfig::new(Language::TypeScript)
            },
        ))
        .tool(slow)
        .build()
        .expect("valid");
    let code = "for (let i = 0; i < 5; i++) tools.slow({ i }).catch(() => {});\n\
                await new Promise(r => setTimeout(r, 100));\n\
                return \"done\";";
    let result = run(&runtime, code).await;
    assert!(!result.is_error(), "{}", result.text());
    let last = result.content().last().and_then(ContentBlock::as_text).expect("a text");
    for n in 1..=5 {
        assert!(last.contains(&format!("p:code:{n} slow")), "K75: {last}");
    }
    assert_eq!(last.matches("never started").count(), 3, "K75: {last}");
}

/// More calls than fit between the program and the lane: those that wait when the program returns never start.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_has_returned_starts_no_more_calls() {
    let started = Arc::new(Mutex::new(0));
    let count = Arc::clone(&started);
    let slow = tool("slow").body(move |_, _| {
        *count.lock().expect("no panic") += 1;
        async {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            Ok(json!({}))
        }
    });
    let code = "for (let i = 0; i < 500; i++) tools.slow({ i });\nreturn \"done\";";
    let result = run(&runtime([slow]), code).await;
    assert!(!result.is_error(), "{}", result.text());
    let last = result.content().last().and_then(ContentBlock::as_text).expect("a text");
    assert!(last.contains("never started") && last.contains("and 450 more"), "K75: {last}");
    let started = *started.lock().expect("no panic");
    assert!(started < 450, "C6: {started} were started");
}

/// Keeps the ids of what it is told.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl DispatchSink for Recorder {
    async fn started(&self, event: &DispatchStarted) -> Result<(), ToolError> {
        self.0.lock().expect("no panic").push(format!("start {}", event.sub_call_id));
        Ok(())
    }

    async fn settled(&self, event: &DispatchSettled) -> Result<(), ToolError> {
        self.0.lock().expect("no panic").push(format!("settle {}", event.started.sub_call_id));
        if event.started.tool == "unloggable" { Err(ToolError::new("the log is full")) } else { Ok(()) }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_fails_ends_the_run() {
    let recorder = Recorder::default();
    let runtime = ToolRuntime::builder()
        .presentation_mode(PresentationMode::Code)
        .code_transport(code_mode().with_sink(recorder.clone()))
        .tool(tool("unloggable").body(|_, _| async { Ok(json!(1)) }))
        .build()
        .expect("valid");
    let result = run(&runtime, "await tools.unloggable({});\nawait tools.unloggable({});\nreturn 1;").await;
    assert_eq!(result.text(), "Error: the log is full", "Q4");
    assert_eq!(*recorder.0.lock().expect("no panic"), ["start p:code:1", "settle p:code:1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_stops_a_loop_and_its_sub_calls() {
    let waiting = tool("waiting").body(|_, cx: RunContext| async move {
        cx.cancellation().cancelled().await;
        Err::<JsonValue, _>(ToolError::aborted())
    });
    let runtime = runtime([waiting]);
    for code in ["while (true) {}", "await tools.waiting({})"] {
        let cancel = CancellationToken::new();
        let running = tokio::spawn(runtime.scope("agent").execute(program(code, &cancel)));
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
        let result =
            tokio::time::timeout(Duration::from_secs(5), running).await.expect("C6").expect("no panic");
        assert_eq!(result.code(), Some("CODE_RUN_FAILED"), "{code}: {}", result.text());
        assert!(result.text().contains("(abort)"), "{code}: {}", result.text());
    }
}

#[test]
fn the_prompt_holds_the_rule_and_the_declarations() {
    let tools = [tool("read").body(|args, _| async move { Ok(args) })];
    let sections =
        prompt_sections(toolgate_sdk::Language::TypeScript, PresentationMode::Code, &tools, 10_000);
    assert_eq!(sections.iter().map(|section| section.id).collect::<Vec<_>>(), ["tools:mode", "tools:sdk"]);
    assert!(sections.iter().any(|section| section.text.contains("read")));
    assert!(
        prompt_sections(toolgate_sdk::Language::Python, PresentationMode::Native, &tools, 10_000).is_empty()
    );
    assert_eq!(code_mode().language(), "typescript");
}

/// Keeps the arguments of the sub-calls that are logged.
struct KeepArguments(Arc<Mutex<Vec<JsonValue>>>);

impl CodeDispatchLogListener for KeepArguments {
    async fn log_content(
        &self,
        dispatch: &CodeDispatchLog,
        next: Next<'_, DispatchLog>,
    ) -> HookResult<Vec<ContentBlock>> {
        self.0.lock().expect("no panic").push(dispatch.arguments.clone());
        next.run().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_on_the_log_sees_the_arguments_that_ran() {
    let runtime = runtime([tool("echo").body(|args, _| async move { Ok(args) })]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    runtime.on_code_dispatch_log(KeepArguments(Arc::clone(&seen)));
    run(&runtime, "await tools.echo({ n: 7 });").await;
    assert!(*seen.lock().expect("no panic") == [json!({ "n": 7 })], "C5");
}
