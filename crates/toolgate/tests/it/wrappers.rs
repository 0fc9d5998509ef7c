//! What wrappers may answer, and what is made of it (rules P11, P15).

use toolgate::ToolDefinition;
use toolgate::prelude::*;

use crate::support::{Counter, call, echo, json_value, nobody};

/// Runs again until the call succeeds.
struct Retry;

impl Execute for Retry {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        loop {
            let result = next.run().await?;
            if !result.is_error() {
                return Ok(result);
            }
        }
    }
}

/// Answers with a success of its own, after the body ran.
struct Instead(JsonValue);

impl Execute for Instead {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        next.run().await?;
        Ok(ToolExecutionResult::success(self.0.clone()).with_context(UserMessage::text("wrapper", "w")))
    }
}

fn failing_twice(runs: &Counter) -> ToolDefinition {
    let runs = runs.clone();
    ToolDefinition::raw("t", "fails twice").output_schema(JsonValue::empty_object()).body(
        move |args, cx: RunContext| {
            runs.add();
            let attempt = runs.get();
            async move {
                cx.defer_context(UserMessage::text(format!("attempt {attempt}"), ""));
                if attempt == 1 {
                    cx.conclude_turn();
                }
                if attempt < 3 { Err(ToolError::new("not yet")) } else { Ok(args) }
            }
        },
    )
}

fn sources(result: &ToolExecutionResult) -> Vec<&str> {
    result.additional_contexts().iter().map(UserMessage::source).collect()
}

#[tokio::test]
async fn contexts_of_failed_attempts_are_kept_in_order_and_their_conclusion_is_not() {
    let runs = Counter::default();
    let runtime = ToolRuntime::builder().tool(failing_twice(&runs)).on_execute(Retry).build().expect("valid");
    let result = runtime.execute(call("t", nobody())).await;
    assert_eq!(sources(&result), ["attempt 1", "attempt 2", "attempt 3"]);
    assert_eq!((runs.get(), result.is_error(), result.concludes_turn()), (3, false, false));
}

#[tokio::test]
async fn an_authored_success_keeps_what_the_body_deferred_and_is_validated() {
    let tool = || {
        ToolDefinition::raw("t", "defers")
            .output_schema(json_value(serde_json::json!({ "type": "string" })))
            .body(|_, cx: RunContext| async move {
                cx.defer_context(UserMessage::text("body", "d"));
                Ok(JsonValue::from("from the body"))
            })
    };
    let good = ToolRuntime::builder().tool(tool()).on_execute(Instead("mine".into())).build().expect("valid");
    let result = good.execute(call("t", nobody())).await;
    assert_eq!((result.text().as_str(), sources(&result)), ("mine", vec!["body", "wrapper"]), "P15");

    let bad = ToolRuntime::builder().tool(tool()).on_execute(Instead(1.into())).build().expect("valid");
    let result = bad.execute(call("t", nobody())).await;
    assert_eq!((result.code(), sources(&result)), (Some("INVALID_TOOL_OUTPUT"), vec![]), "P11");
}

#[tokio::test]
async fn a_result_of_another_execution_is_checked_like_any_other_answer() {
    /// Answers with what another tool's call gave.
    struct Borrowed(ToolRuntime);
    impl Execute for Borrowed {
        async fn execute(
            &self,
            call: &ToolExecution,
            _: Next<'_, Dispatch>,
        ) -> HookResult<ToolExecutionResult> {
            let other = ToolCall::new("other", serde_json::json!({ "n": 1 }), call.cancellation().clone());
            Ok(self.0.execute(other).await)
        }
    }
    let runs = Counter::default();
    let elsewhere = ToolRuntime::builder().tool(echo("other", &runs)).build().expect("valid");
    let text = ToolDefinition::raw("t", "a text")
        .output_schema(json_value(serde_json::json!({ "type": "string" })))
        .body(|_, _| async { Ok(JsonValue::from("x")) });
    let runtime = ToolRuntime::builder().tool(text).on_execute(Borrowed(elsewhere)).build().expect("valid");
    let result = runtime.execute(call("t", nobody())).await;
    assert_eq!((runs.get(), result.code()), (1, Some("INVALID_TOOL_OUTPUT")), "P11");
}

#[tokio::test]
async fn a_typed_tool_renders_a_value_that_a_hook_put_in_place_of_its_own() {
    #[derive(serde::Serialize, serde::Deserialize, Schema)]
    struct Count {
        n: u8,
    }
    struct Counting;
    impl Tool for Counting {
        type Args = JsonArgs;
        type Output = Count;
        fn name(&self) -> std::borrow::Cow<'static, str> {
            "t".into()
        }
        fn description(&self) -> std::borrow::Cow<'static, str> {
            "counts".into()
        }
        async fn run(&self, _: JsonArgs, _: RunContext) -> Result<Count, ToolError> {
            Ok(Count { n: 1 })
        }
        fn render(&self, _: &JsonValue, count: &Count) -> Option<Vec<ContentBlock>> {
            Some(vec![ContentBlock::text(format!("counted {}", count.n))])
        }
    }
    #[derive(serde::Deserialize, Schema)]
    struct JsonArgs {}
    struct Replace(JsonValue);
    impl PostExecute for Replace {
        async fn post_execute(
            &self,
            _: &ToolExecution,
            _: &ToolExecutionResult,
            _: Next<'_, Post>,
        ) -> HookResult<PostToolDecision> {
            Ok(PostToolDecision::replace_value(self.0.clone()))
        }
    }
    for (value, expected) in [
        (serde_json::json!({ "n": 2 }), "counted 2"),
        // In the schema, and outside the type: still refused.
        (serde_json::json!({ "n": 300 }), "Error: the value does not fit the tool's output type"),
        (serde_json::json!({ "n": "x" }), "Error: the value is not what the tool declares"),
    ] {
        let runtime = ToolRuntime::builder()
            .tool(Counting)
            .on_post_execute(Replace(json_value(value)))
            .build()
            .expect("valid");
        let text = runtime.execute(call("t", nobody())).await.text();
        assert!(text.starts_with(expected), "P16: {text}");
    }
}

/// Runs the rest twice and answers with what the first run gave.
struct FirstOfTwo;

impl Execute for FirstOfTwo {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let first = next.run().await;
        next.run().await?;
        first
    }
}

#[tokio::test]
async fn contexts_of_every_attempt_are_kept_whichever_result_is_answered() {
    let runs = Counter::default();
    let runtime =
        ToolRuntime::builder().tool(failing_twice(&runs)).on_execute(FirstOfTwo).build().expect("valid");
    assert_eq!(sources(&runtime.execute(call("t", nobody())).await), ["attempt 1", "attempt 2"], "P15");
}

#[tokio::test]
async fn a_retry_that_is_stopped_does_not_claim_that_nothing_was_done() {
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let half =
        ToolDefinition::raw("t", "half done").output_schema(JsonValue::empty_object()).body(move |_, _| {
            stop.cancel();
            async {
                Err::<JsonValue, _>(ToolError::coded("QuotaError", "QUOTA", "half of the rows were written"))
            }
        });
    let runtime = ToolRuntime::builder().tool(half).on_execute(FirstOfTwo).build().expect("valid");
    struct Last;
    impl Execute for Last {
        async fn execute(
            &self,
            _: &ToolExecution,
            mut next: Next<'_, Dispatch>,
        ) -> HookResult<ToolExecutionResult> {
            next.run().await?;
            next.run().await
        }
    }
    runtime.on_execute(Last);
    let result = runtime.execute(ToolCall::new("t", nobody(), cancel)).await;
    assert_eq!(result.code(), Some("ABORTED"), "P14: {}", result.text());
}

#[tokio::test]
async fn what_a_dropped_body_holds_of_its_context_is_void() {
    /// Starts the body and drops it where it stands.
    struct Impatient;
    impl Execute for Impatient {
        async fn execute(
            &self,
            _: &ToolExecution,
            mut next: Next<'_, Dispatch>,
        ) -> HookResult<ToolExecutionResult> {
            let running = std::pin::pin!(next.run());
            assert!(futures_util::FutureExt::now_or_never(running).is_none(), "the body waits");
            Ok(ToolExecutionResult::failure(ToolError::new("too slow")))
        }
    }
    let leaked = std::sync::Arc::new(std::sync::Mutex::new(None));
    let leak = std::sync::Arc::clone(&leaked);
    let slow = ToolDefinition::raw("t", "waits").output_schema(JsonValue::empty_object()).body(
        move |_, cx: RunContext| {
            *leak.lock().expect("no panic") = Some(cx);
            std::future::pending::<Result<JsonValue, ToolError>>()
        },
    );
    /// Speaks through the leaked context while the call still goes on.
    struct Ghost(std::sync::Arc<std::sync::Mutex<Option<RunContext>>>);
    impl Execute for Ghost {
        async fn execute(
            &self,
            _: &ToolExecution,
            mut next: Next<'_, Dispatch>,
        ) -> HookResult<ToolExecutionResult> {
            let result = next.run().await;
            let leaked = self.0.lock().expect("no panic").take().expect("the body ran");
            leaked.defer_context(UserMessage::text("ghost", "boo"));
            result
        }
    }
    let runtime = ToolRuntime::builder()
        .tool(slow)
        .on_execute(Ghost(leaked))
        .on_execute(Impatient)
        .build()
        .expect("valid");
    assert_eq!(sources(&runtime.execute(call("t", nobody())).await), Vec::<&str>::new());
}

#[tokio::test]
async fn a_value_is_judged_by_the_definition_that_ran() {
    let text = || json_value(serde_json::json!({ "type": "string" }));
    let ran = ToolDefinition::raw("t", "the one that runs").output_schema(text()).body(
        |_, cx: RunContext| async move {
            let shadow = ToolDefinition::raw("t", "a shadow")
                .output_schema(json_value(serde_json::json!({ "type": "integer" })))
                .body(|_, _| async { Ok(JsonValue::from(1_u64)) });
            let scope = cx.call().scope().expect("a scope").clone();
            scope.register(shadow).expect("free in this layer");
            Ok(JsonValue::from("ran"))
        },
    );
    struct Replace;
    impl PostExecute for Replace {
        async fn post_execute(
            &self,
            _: &ToolExecution,
            _: &ToolExecutionResult,
            _: Next<'_, Post>,
        ) -> HookResult<PostToolDecision> {
            Ok(PostToolDecision::replace_value("replaced".into()))
        }
    }
    let runtime = ToolRuntime::builder().tool(ran).on_post_execute(Replace).build().expect("valid");
    assert_eq!(runtime.scope("agent").execute(call("t", nobody())).await.text(), "replaced");
}

#[tokio::test]
async fn a_block_without_feedback_still_says_something() {
    struct Silent;
    impl PostExecute for Silent {
        async fn post_execute(
            &self,
            _: &ToolExecution,
            _: &ToolExecutionResult,
            _: Next<'_, Post>,
        ) -> HookResult<PostToolDecision> {
            Ok(PostToolDecision::block(vec![]))
        }
    }
    let runtime = ToolRuntime::builder()
        .tool(echo("t", &Counter::default()))
        .on_post_execute(Silent)
        .build()
        .expect("valid");
    assert_eq!(
        runtime.execute(call("t", nobody())).await.text(),
        "Error: the result was blocked by a policy"
    );
}

#[tokio::test]
async fn a_success_cannot_cover_a_body_that_was_dropped() {
    /// The wrong way to limit a call's time.
    struct Hasty;
    impl Execute for Hasty {
        async fn execute(
            &self,
            _: &ToolExecution,
            mut next: Next<'_, Dispatch>,
        ) -> HookResult<ToolExecutionResult> {
            let running = std::pin::pin!(next.run());
            assert!(futures_util::FutureExt::now_or_never(running).is_none(), "the body waits");
            Ok(ToolExecutionResult::success("partial".into()))
        }
    }
    let slow = ToolDefinition::raw("t", "waits")
        .output_schema(JsonValue::empty_object())
        .body(|_, _| std::future::pending::<Result<JsonValue, ToolError>>());
    let runtime = ToolRuntime::builder().tool(slow).on_execute(Hasty).build().expect("valid");
    assert_eq!(runtime.execute(call("t", nobody())).await.code(), Some("ABORTED"), "P14");
}
