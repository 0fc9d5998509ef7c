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
        (serde_json::json!({ "n": "x" }), "Error: the tool returned a value that it did not declare"),
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
