//! The deadline of a body (P14, P19): `TOOL_TIMEOUT` where time ran out, and nothing else's place.

use std::future::pending;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};
use toolgate::prelude::*;
use toolgate::{FailureCause, ToolDefinition};
use toolgate_policy::{DeadlineConfig, DeadlineReport, Deadlines};

use crate::support::{Counter, CountsDrop, Journal, build, call, ms, tool};

#[derive(Clone, Copy, Debug)]
enum Body {
    IsQuick,
    StopsWhenAsked,
    FailsWhenAsked,
    TakesItsTime,
}

fn work(body: Body) -> ToolDefinition {
    tool("work").body(move |_, cx: RunContext| async move {
        match body {
            Body::IsQuick => {}
            Body::TakesItsTime => sleep(ms(500)).await,
            Body::StopsWhenAsked => cx.cancellation().cancelled().await,
            Body::FailsWhenAsked => {
                cx.cancellation().cancelled().await;
                return Err(ToolError::coded("DiskError", "DISK_FULL", "no space"));
            }
        }
        cx.defer_context(UserMessage::text("work", "left behind"));
        Ok(json!(1))
    })
}

fn within(limit: Duration) -> Deadlines {
    Deadlines::new(DeadlineConfig { default: Some(limit), ..DeadlineConfig::default() })
}

#[tokio::test(start_paused = true)]
async fn only_a_body_that_is_late_times_out() {
    for (body, limit, code, contexts) in [
        (Body::IsQuick, ms(60_000), None, 1),
        (Body::StopsWhenAsked, ms(100), Some("TOOL_TIMEOUT"), 1),
        // Awaited to its end, although it does not listen; its success comes too late.
        (Body::TakesItsTime, ms(100), Some("TOOL_TIMEOUT"), 1),
        (Body::TakesItsTime, ms(60_000), None, 1),
        (Body::FailsWhenAsked, ms(100), Some("DISK_FULL"), 0),
    ] {
        let deadlines = within(limit);
        let runtime = build(ToolRuntime::builder().plugin(deadlines.clone()), [work(body)]);
        let result = runtime.execute(call("work", json!({}))).await;
        assert_eq!(result.code(), code, "{body:?} within {limit:?}");
        assert_eq!(result.additional_contexts().len(), contexts, "{body:?} within {limit:?}");
        if code == Some("TOOL_TIMEOUT") {
            let failure = result.error().expect("a failure");
            assert_eq!(failure.cause(), FailureCause::TimedOut);
            assert_eq!(failure.info().expect("coded").name(), "ToolTimeoutError");
            assert!(failure.message().contains("within 100ms"), "{failure}");
        }
        assert_eq!(deadlines.counts().bodies_stopped, u64::from(limit == ms(100)), "{body:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_late_body_says_of_its_end_stays() {
    for (says, expected) in [
        (
            ToolError::coded("AbortError", "ABORTED", "the command was ended.\nhead … tail (90 bytes)"),
            "the tool did not finish within 100ms and was stopped; what it had done may remain\n\
             the command was ended.\nhead … tail (90 bytes)",
        ),
        // The library's own words say nothing new.
        (
            ToolError::aborted(),
            "the tool did not finish within 100ms and was stopped; what it had done may remain",
        ),
    ] {
        let command = tool("work").body(move |_, cx: RunContext| {
            let says = says.clone();
            async move {
                cx.cancellation().cancelled().await;
                Err::<JsonValue, _>(says)
            }
        });
        let runtime = build(ToolRuntime::builder().plugin(within(ms(100))), [command]);
        let result = runtime.execute(call("work", json!({}))).await;
        let failure = result.error().expect("a failure");
        assert_eq!((failure.code(), failure.cause()), (Some("TOOL_TIMEOUT"), FailureCause::TimedOut));
        assert_eq!(failure.message(), expected, "P14");
        assert_eq!(result.text(), format!("Error: {expected}"), "P19");
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_is_the_named_one_or_the_declared_one_up_to_the_maximum() {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    for (declared, default, maximum, named, limit) in [
        (None, None, None, None, None),
        (seconds(7), None, None, None, seconds(7)),
        (None, seconds(5), None, None, seconds(5)),
        (seconds(7), seconds(5), None, None, seconds(7)),
        (seconds(7), None, seconds(3), None, seconds(3)),
        (None, None, seconds(3), None, seconds(3)),
        (seconds(1), None, seconds(3), None, seconds(1)),
        (seconds(7), seconds(5), seconds(3), seconds(9), seconds(9)),
    ] {
        let tools = named.into_iter().map(|limit| ("work".to_owned(), limit)).collect();
        let config = DeadlineConfig { default, maximum, tools, ..DeadlineConfig::default() };
        let mut work = tool("work");
        if let Some(declared) = declared {
            work = work.timeout(declared);
        }
        let work = work.body(|_, cx: RunContext| async move {
            tokio::select! {
                () = cx.cancellation().cancelled() => {}
                () = sleep(Duration::from_secs(100)) => {}
            }
            Ok(json!(null))
        });
        let runtime = build(ToolRuntime::builder().plugin(Deadlines::new(config)), [work]);
        let begun = Instant::now();
        let result = runtime.execute(call("work", json!({}))).await;
        let took = begun.elapsed().as_secs();
        assert_eq!(took, limit.map_or(100, |limit| limit.as_secs()), "{declared:?} {default:?} {maximum:?}");
        assert_eq!(result.code(), limit.map(|_| "TOOL_TIMEOUT"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_was_first_is_heard_first() {
    for (caller_after, code) in [(ms(50), "ABORTED"), (ms(150), "TOOL_TIMEOUT")] {
        let stubborn = tool("work").body(|_, _| async {
            sleep(ms(200)).await;
            Ok(json!(null))
        });
        let runtime = build(ToolRuntime::builder().plugin(within(ms(100))), [stubborn]);
        let caller = CancellationToken::new();
        let running = runtime.execute(ToolCall::new("work", json!({}), caller.clone()));
        let (result, ()) = tokio::join!(running, async {
            sleep(caller_after).await;
            caller.cancel();
        });
        assert_eq!(result.code(), Some(code), "cancelled after {caller_after:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_past_its_grace_is_dropped_told_and_counted() {
    let (dropped, reports) = (Counter::default(), Journal::default());
    let told = reports.clone();
    let deadlines = Deadlines::reporting(
        DeadlineConfig { default: Some(ms(100)), grace: Some(ms(5_000)), ..DeadlineConfig::default() },
        move |report| told.note(report.to_string()),
    );
    let drops = dropped.clone();
    let deaf = tool("deaf").body(move |_, cx: RunContext| {
        let counts = CountsDrop(drops.clone());
        async move {
            cx.defer_context(UserMessage::text("deaf", "half done"));
            let _counts = counts;
            pending::<Result<JsonValue, ToolError>>().await
        }
    });
    let runtime = build(ToolRuntime::builder().plugin(deadlines.clone()), [deaf, work(Body::StopsWhenAsked)]);
    let begun = Instant::now();
    let result = runtime.execute(call("deaf", json!({}))).await;
    assert_eq!(begun.elapsed().as_millis() / 100, 51, "the limit and the grace");
    assert_eq!(result.code(), Some("TOOL_TIMEOUT"));
    assert!(result.text().contains("its effect is unknown"), "{}", result.text());
    assert_eq!(result.additional_contexts().len(), 1, "what it said before stays");
    assert_eq!(dropped.get(), 1);
    assert_eq!(
        reports.entries(),
        ["the body of `deaf` (call c1) was dropped: it did not stop 5s after its limit of 100ms"]
    );
    // One that stops in time is not.
    assert_eq!(runtime.execute(call("work", json!({}))).await.code(), Some("TOOL_TIMEOUT"));
    let counts = deadlines.counts();
    assert_eq!((counts.bodies_stopped, counts.bodies_dropped), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn without_a_grace_a_body_is_awaited_however_long_it_takes() {
    let slow = tool("slow").body(|_, _| async {
        sleep(Duration::from_secs(3_600)).await;
        Ok(json!(null))
    });
    let reports = Journal::<DeadlineReport>::default();
    let told = reports.clone();
    let config = DeadlineConfig { default: Some(ms(100)), ..DeadlineConfig::default() };
    let deadlines = Deadlines::reporting(config, move |report| told.note(report.clone()));
    let runtime = build(ToolRuntime::builder().plugin(deadlines), [slow]);
    let begun = Instant::now();
    assert_eq!(runtime.execute(call("slow", json!({}))).await.code(), Some("TOOL_TIMEOUT"));
    assert_eq!(begun.elapsed().as_secs(), 3_600);
    assert!(reports.entries().is_empty());
}

/// Adds a message to whatever the rest answers.
struct Comment;

impl Execute for Comment {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        Ok(next.run().await?.with_context(UserMessage::text("comment", "it went badly")))
    }
}

#[tokio::test(start_paused = true)]
async fn what_wrappers_say_of_a_late_body_stays() {
    let builder = ToolRuntime::builder().on_execute(Comment).plugin(within(ms(100)));
    let result = build(builder, [work(Body::StopsWhenAsked)]).execute(call("work", json!({}))).await;
    assert_eq!(result.code(), Some("TOOL_TIMEOUT"));
    let sources: Vec<_> = result.additional_contexts().iter().map(UserMessage::source).collect();
    assert_eq!(sources, ["work", "comment"], "P15");
}

/// Answers something else where the rest fails.
struct FallBack;

impl Execute for FallBack {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let result = next.run().await?;
        Ok(if result.is_error() { ToolExecutionResult::success(JsonValue::from("fallback")) } else { result })
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_wrapper_makes_of_a_late_body_stands() {
    let builder = ToolRuntime::builder().on_execute(FallBack).plugin(within(ms(100)));
    let result = build(builder, [work(Body::StopsWhenAsked)]).execute(call("work", json!({}))).await;
    assert_eq!(result.text(), "fallback");
}

#[test]
fn a_configuration_is_read_strictly() {
    let read = |text: &str| serde_json::from_str::<DeadlineConfig>(text);
    let config = read(
        r#"{"default": "2m", "maximum": "1h", "tools": {"bash": "10m"}, "grace": "5s", "stage": "200ms", "blocked": "3s"}"#,
    )
    .expect("valid");
    assert_eq!(
        config,
        DeadlineConfig {
            default: Some(Duration::from_secs(120)),
            maximum: Some(Duration::from_secs(3_600)),
            tools: [("bash".to_owned(), Duration::from_secs(600))].into(),
            grace: Some(Duration::from_secs(5)),
            stage: ms(200),
            blocked: Duration::from_secs(3),
        }
    );
    assert_eq!(read("{}").expect("valid"), DeadlineConfig::default());
    for text in
        [r#"{"stage": "0s"}"#, r#"{"stage": 5}"#, r#"{"stages": "5s"}"#, r#"{"tools": {"a": "soon"}}"#]
    {
        assert!(read(text).is_err(), "{text}");
    }
}
