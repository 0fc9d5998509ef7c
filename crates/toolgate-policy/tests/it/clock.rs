//! The clock stands still while a person is asked: for the call that asks, and for those around it.

use serde_json::json;
use tokio::time::{Instant, sleep};
use toolgate::prelude::*;
use toolgate_policy::person::{Answer, Answered, Asking};

use crate::support::{
    AskAlways, Counter, Person, approvals, build, call, counting, deadlines, ms, people, tool,
};

/// Makes one nested call, and works for some time before and after it.
fn outer() -> toolgate::ToolDefinition {
    tool("outer").body(|_, cx: RunContext| async move {
        sleep(ms(60)).await;
        let inner = cx.nested_call("inner", json!({}));
        let result = cx.runtime().execute(inner).await;
        tokio::select! {
            () = sleep(ms(60)) => Ok(json!(result.text())),
            () = cx.cancellation().cancelled() => Err(ToolError::aborted()),
        }
    })
}

/// Asks only about the inner call.
struct AskInner;

impl PreExecute for AskInner {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if call.name() == "inner" { AskAlways.pre_execute(call, next).await } else { next.run().await }
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_inside_a_call_stops_the_time_of_the_call_around_it() {
    // Two times 60 ms of work: enough for 150 ms, too much for 100 ms, whatever a person takes in between.
    for (limit, code) in [(ms(150), None), (ms(100), Some("TOOL_TIMEOUT"))] {
        let runs = Counter::default();
        let people = people(&Person::who_says(Answer::allow_once()).after(ms(86_400_000)));
        let builder = ToolRuntime::builder()
            .plugin(deadlines(limit, ms(200)).with_clock(people.clock()))
            .on_pre_execute(AskInner)
            .approver(approvals(&people).0);
        let runtime = build(builder, [outer(), counting("inner", &runs)]);
        let result = runtime.scope("agent").execute(call("outer", json!({}))).await;
        assert_eq!(result.code(), code, "{}", result.text());
        assert_eq!(runs.get(), 1, "the person allowed it a day later");
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_shared_clock_time_goes_on() {
    let people = people(&Person::who_says(Answer::allow_once()).after(ms(86_400_000)));
    let builder = ToolRuntime::builder()
        .plugin(deadlines(ms(150), ms(200)))
        .on_pre_execute(AskInner)
        .approver(approvals(&people).0);
    let runtime = build(builder, [outer(), counting("inner", &Counter::default())]);
    let begun = Instant::now();
    let result = runtime.scope("agent").execute(call("outer", json!({}))).await;
    assert_eq!(result.code(), Some("TOOL_TIMEOUT"));
    assert_eq!(begun.elapsed().as_millis() / 10, 15, "the question went away with the call");
    assert!(people.pending().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_asks_stops_its_own_time_as_often_as_it_asks() {
    let people = people(&Person::who_says(Answer::Reply { text: "42".to_owned() }).after(ms(1_000)));
    let asked = people.clone();
    let asks = tool("asks").body(move |_, cx: RunContext| {
        let people = asked.clone();
        async move {
            let ask = || people.ask(cx.call(), Asking::choice("how many?", &[], false), cx.cancellation());
            sleep(ms(30)).await;
            // Two that overlap, then one alone.
            let later = async {
                sleep(ms(500)).await;
                ask().await
            };
            let (one, two) = tokio::join!(ask(), later);
            sleep(ms(30)).await;
            let three = ask().await;
            sleep(ms(30)).await;
            let is_answered = |answered: &Answered| matches!(answered, Answered::By { .. });
            Ok(json!([one, two, three].iter().all(is_answered)))
        }
    });
    for (limit, is_late) in [(ms(100), false), (ms(80), true)] {
        let plugin = deadlines(limit, ms(200)).with_clock(people.clock());
        let runtime = build(ToolRuntime::builder().plugin(plugin), [asks.clone()]);
        let begun = Instant::now();
        let result = runtime.execute(call("asks", json!({}))).await;
        assert_eq!(begun.elapsed().as_millis() / 10, 259);
        assert_eq!(result.code() == Some("TOOL_TIMEOUT"), is_late, "{limit:?}: {}", result.text());
    }
}

#[tokio::test(start_paused = true)]
async fn clocks_of_others_stand_still_as_well() {
    let clock = people(&Person::who_never_answers()).clock();
    let begun = Instant::now();
    let elapsed = clock.elapse(&"root".into(), ms(100));
    let asking = async {
        sleep(ms(60)).await;
        let _asked = clock.stop(&"root".into());
        sleep(ms(86_400_000)).await;
    };
    tokio::join!(elapsed, asking);
    assert_eq!(begun.elapsed().as_millis() / 10, 8_640_010);
}

/// Whoever looks at a time last takes it away, also where two do so at once.
#[test]
fn no_time_is_kept_that_nobody_looks_at() {
    let clock = people(&Person::who_never_answers()).clock();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..20_000).for_each(|_| drop(clock.stop(&"root".into()))));
        }
    });
    assert_eq!(format!("{clock:?}"), format!("{:?}", people(&Person::who_never_answers()).clock()));
}

#[tokio::test(start_paused = true)]
async fn another_calls_question_does_not_stop_the_time() {
    let people = people(&Person::who_never_answers());
    let _stopped = people.clock().stop(&"somebody-else".into());
    let slow = tool("slow").body(|_, cx: RunContext| async move {
        cx.cancellation().cancelled().await;
        Ok(json!(null))
    });
    let plugin = deadlines(ms(100), ms(200)).with_clock(people.clock());
    let runtime = build(ToolRuntime::builder().plugin(plugin), [slow]);
    let begun = Instant::now();
    assert_eq!(runtime.execute(call("slow", json!({}))).await.code(), Some("TOOL_TIMEOUT"));
    assert_eq!(begun.elapsed().as_millis() / 10, 10);
}
