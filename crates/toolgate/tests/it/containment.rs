//! Panics of others become results or reports (rules P6, P17, P18, P23).

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{FailureCause, ToolDefinition};

use crate::support::{Counter, Journal, call, echo, nobody};

struct PanickingPre;

impl PreExecute for PanickingPre {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        std::panic::resume_unwind(Box::new("pre broke".to_owned()))
    }
}

/// Answers for a failing inner listener.
struct Recover;

impl PreExecute for Recover {
    async fn pre_execute(&self, _: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        Ok(next.run().await.unwrap_or_else(|error| PreToolDecision::deny(format!("closed: {error}"))))
    }
}

struct PanickingApprover;

impl Approver for PanickingApprover {
    async fn approve(&self, _: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        std::panic::resume_unwind(Box::new("approver broke"))
    }
}

struct Ask;

impl PreExecute for Ask {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        Ok(PreToolDecision::ask("look at it"))
    }
}

fn panicking(what: &'static str) -> ToolDefinition {
    let unless = move |part: &str| {
        if what == part {
            std::panic::resume_unwind(Box::new(format!("{what} broke")));
        }
    };
    ToolDefinition::raw("t", "panics somewhere")
        .output_schema(JsonValue::empty_object())
        .render(move |_, _| {
            unless("render");
            Ok(vec![ContentBlock::text("rendered")])
        })
        .presentation_meta(move |_, _| {
            unless("meta");
            Ok(json!({}))
        })
        .finalize_content(move |_, _| {
            unless("finalizer");
            None
        })
        .concurrency_safe_when(move |_| {
            unless("classifier");
            true
        })
        .present_call(move |_| {
            unless("present_call");
            None
        })
        .present_result(move |_, _| {
            unless("present_result");
            None
        })
        .body(move |args, _| {
            unless("body function");
            async move {
                unless("body future");
                Ok(args)
            }
        })
}

#[tokio::test]
async fn a_panic_in_any_part_of_a_tool_is_a_result() {
    for (part, cause, code) in [
        ("body function", FailureCause::Panicked, None),
        ("body future", FailureCause::Panicked, None),
        ("render", FailureCause::InvalidOutput, Some("INVALID_TOOL_OUTPUT")),
        ("meta", FailureCause::InvalidOutput, Some("INVALID_TOOL_OUTPUT")),
        ("finalizer", FailureCause::FinalizerFailed, None),
    ] {
        let journal = Journal::default();
        let runtime = ToolRuntime::builder()
            .tool(panicking(part))
            .on_result(journal.observer())
            .build()
            .expect("valid");
        let result = runtime.execute(call("t", nobody())).await;
        let error = result.error().expect(part);
        assert_eq!((error.cause(), error.code()), (cause, code), "{part}");
        assert!(error.message().contains(&format!("{part} broke")), "{part}: {error}");
        assert_eq!(journal.lines().len(), 1, "one outcome for {part}");
    }
}

#[tokio::test]
async fn a_panicking_classifier_is_exclusive_and_panicking_presenters_fall_back() {
    let runtime = ToolRuntime::builder().tool(panicking("classifier")).build().expect("valid");
    assert_eq!(runtime.execution_mode(&call("t", nobody())), ToolExecutionMode::Exclusive, "R7");

    let args = JsonValue::empty_object();
    for part in ["present_call", "present_result"] {
        let tool = panicking(part);
        assert_eq!(tool.present_call(&args).title(), "t");
        let content = [ContentBlock::text("raw")];
        let durable = toolgate::ToolResult { content: &content, error: None, meta: None };
        assert_eq!(tool.present_result(&args, &durable).title(), Some("t"));
    }
}

#[tokio::test]
async fn a_panicking_listener_fails_closed_unless_an_outer_one_handles_it() {
    let runs = Counter::default();
    let runtime =
        ToolRuntime::builder().tool(echo("t", &runs)).on_pre_execute(PanickingPre).build().expect("valid");
    let failed = runtime.execute(call("t", nobody())).await;
    let error = failed.error().expect("P6");
    assert_eq!((error.cause(), error.message()), (FailureCause::Panicked, "pre broke"));

    runtime.first().on_pre_execute(Recover);
    let denied = runtime.execute(call("t", nobody())).await;
    let error = denied.error().expect("P6");
    assert_eq!((error.cause(), error.message()), (FailureCause::Denied, "closed: pre broke"));
    assert_eq!(runs.get(), 0);
}

#[tokio::test]
async fn a_panicking_guard_or_approver_fails_closed() {
    let runs = Counter::default();
    let guarded = ToolRuntime::builder()
        .tool(echo("t", &runs))
        .guard(|_| std::panic::resume_unwind(Box::new("guard broke")))
        .build()
        .expect("valid");
    let result = guarded.execute(call("t", nobody())).await;
    assert_eq!(result.error().expect("P6").message(), "guard broke");

    let asking = ToolRuntime::builder()
        .tool(echo("t", &runs))
        .on_pre_execute(Ask)
        .approver(PanickingApprover)
        .build()
        .expect("valid");
    let result = asking.scope("agent").execute(call("t", nobody())).await;
    assert_eq!(result.error().expect("P6").message(), "approver broke");
    assert_eq!(runs.get(), 0);
}

#[tokio::test]
async fn a_panicking_observer_changes_nothing_and_the_next_one_still_sees_the_result() {
    let journal = Journal::default();
    let runtime = ToolRuntime::builder()
        .tool(echo("t", &Counter::default()))
        .on_result(|_: &ToolExecution, _: &ToolExecutionResult| {
            std::panic::resume_unwind(Box::new("observer"))
        })
        .on_result(journal.observer())
        .on_change(|| std::panic::resume_unwind(Box::new("observer")))
        .build()
        .expect("valid");
    let registered = runtime.register(echo("u", &Counter::default()));
    assert!(registered.is_ok(), "P18: a change observer cannot stop a registration");
    assert!(!runtime.execute(call("t", nobody())).await.is_error());
    assert_eq!(journal.lines(), ["c1 ok"]);
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a destructor broke"));
        }
    }
}

#[tokio::test]
async fn a_destructor_that_panics_is_contained_as_well() {
    let payload = ToolDefinition::raw("payload", "panics with a bomb")
        .output_schema(JsonValue::empty_object())
        .body(|_, _| async { std::panic::resume_unwind(Box::new(Bomb)) as Result<JsonValue, ToolError> });
    let held =
        ToolDefinition::raw("held", "holds a bomb").output_schema(JsonValue::empty_object()).body(|_, _| {
            let bomb = Bomb;
            async move {
                let _bomb = bomb;
                std::future::pending::<Result<JsonValue, ToolError>>().await
            }
        });
    let runtime = ToolRuntime::builder().tool(payload).tool(held).build().expect("valid");
    let result = runtime.execute(call("payload", nobody())).await;
    assert_eq!(result.error().expect("P23").cause(), FailureCause::Panicked);

    let mut running = Box::pin(runtime.execute(call("held", nobody())));
    assert!(futures_util::FutureExt::now_or_never(running.as_mut()).is_none());
    drop(running);

    let bomb = Bomb;
    let gone = ToolDefinition::raw("gone", "is disposed of by its own body")
        .output_schema(JsonValue::empty_object())
        .concurrency_safe_when(move |_| {
            let _ = &bomb;
            false
        })
        .body(|args, cx: RunContext| async move {
            cx.call().scope().expect("a scope").close();
            Ok(args)
        });
    let agent = runtime.scope("agent");
    agent.register(gone).expect("valid");
    assert!(!agent.execute(call("gone", nobody())).await.is_error());
}

#[tokio::test]
async fn the_message_of_a_panic_is_bounded() {
    let loud = ToolDefinition::raw("t", "panics at length").output_schema(JsonValue::empty_object()).body(
        |_, _| async {
            std::panic::resume_unwind(Box::new("x".repeat(5_000_000))) as Result<JsonValue, ToolError>
        },
    );
    let runtime = ToolRuntime::builder().tool(loud).build().expect("valid");
    let text = runtime.execute(call("t", nobody())).await.text();
    assert!(text.len() < 1_000 && text.contains("bytes)"), "{}", text.len());
}

#[tokio::test]
async fn the_destructor_of_a_removed_tool_disturbs_nobody() {
    let bombed = |name: &str| {
        let bomb = Bomb;
        ToolDefinition::raw(name, "holds a bomb").output_schema(JsonValue::empty_object()).body(
            move |args, _| {
                let _ = &bomb;
                async move { Ok(args) }
            },
        )
    };
    let runtime = ToolRuntime::builder().tool(echo("t", &Counter::default())).build().expect("valid");
    let registered = runtime.register(bombed("u")).expect("valid");
    assert!(!runtime.execute(call("u", nobody())).await.is_error());
    registered.dispose();
    assert!(!runtime.execute(call("t", nobody())).await.is_error(), "P23");
    let agent = runtime.scope("agent");
    agent.register(bombed("u")).expect("valid");
    agent.close();
    assert_eq!(runtime.tools().len(), 1);
}

#[test]
fn a_tool_whose_description_panics_is_refused() {
    struct Nameless;
    #[derive(serde::Deserialize, Schema)]
    struct Nothing {}
    impl Tool for Nameless {
        type Args = Nothing;
        type Output = u8;
        fn name(&self) -> std::borrow::Cow<'static, str> {
            std::panic::resume_unwind(Box::new("no name"))
        }
        fn description(&self) -> std::borrow::Cow<'static, str> {
            "has no name".into()
        }
        async fn run(&self, _: Nothing, _: RunContext) -> Result<u8, ToolError> {
            Ok(0)
        }
    }
    let error = ToolRuntime::builder().tool(Nameless).build().expect_err("refused");
    assert!(error.to_string().contains("no name"), "{error}");
}

#[tokio::test]
async fn a_stage_with_too_many_listeners_refuses_its_calls() {
    let runs = Counter::default();
    let runtime = ToolRuntime::builder().tool(echo("t", &runs)).build().expect("valid");
    for _ in 0..=1_000 {
        runtime.on_pre_execute(Recover);
    }
    let result = runtime.execute(call("t", nobody())).await;
    assert_eq!((result.error().expect("refused").cause(), runs.get()), (FailureCause::HookFailed, 0));
}
