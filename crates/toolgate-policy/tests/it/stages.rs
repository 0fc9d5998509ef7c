//! The deadlines of every other stage (K02): what never decides is dropped, and the call is refused.

use std::future::pending;

use serde_json::json;
use tokio::time::Instant;
use toolgate::prelude::*;
use toolgate::{CodeDispatchLog, CodeDispatchLogListener, FailureCause};
use toolgate_policy::person::Answer;

use crate::support::{
    AskAlways, Counter, Never, Person, approvals, build, call, counting, deadlines, ms, people,
};

#[tokio::test(start_paused = true)]
async fn a_listener_that_never_decides_is_dropped_and_the_call_denied() {
    for (stage, bodies) in [("pre", 0), ("approval", 0), ("post", 1)] {
        let (runs, never) = (Counter::default(), Never::default());
        let deadlines = deadlines(ms(60_000), ms(200));
        let builder = ToolRuntime::builder().plugin(deadlines.clone());
        let builder = match stage {
            "pre" => builder.on_pre_execute(never.clone()),
            "approval" => builder.on_pre_execute(AskAlways).approver(deadlines.approver(never.clone())),
            _ => builder.on_post_execute(never.clone()),
        };
        let runtime = build(builder, [counting("work", &runs)]);
        let begun = Instant::now();
        let result = runtime.scope("agent").execute(call("work", json!({}))).await;
        assert_eq!(begun.elapsed().as_millis() / 10, 20, "K02: {stage}");
        let failure = result.error().expect("denied");
        assert_eq!(failure.cause(), FailureCause::StageTimeout, "K02: {stage}");
        assert_eq!(failure.code(), None, "{stage}");
        assert!(failure.message().contains("within 200ms"), "{stage}: {failure}");
        assert_eq!((runs.get(), never.dropped.get()), (bodies, 1), "K02: {stage}");
        assert_eq!(deadlines.counts().stages_dropped, 1, "{stage}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_approval_that_asks_a_person_does_not_count() {
    let runs = Counter::default();
    let people = people(&Person::who_says(Answer::allow_once()).after(ms(3_600_000)));
    let deadlines = deadlines(ms(60_000), ms(200)).with_clock(people.clock());
    let builder = ToolRuntime::builder()
        .plugin(deadlines.clone())
        .on_pre_execute(AskAlways)
        .approver(deadlines.approver(approvals(&people).0));
    let runtime = build(builder, [counting("work", &runs)]);
    let result = runtime.scope("agent").execute(call("work", json!({}))).await;
    assert_eq!((result.is_error(), runs.get()), (false, 1), "{}", result.text());
}

/// A listener on the log that never decides.
struct NeverLogs;

impl CodeDispatchLogListener for NeverLogs {
    async fn log_content(
        &self,
        _: &CodeDispatchLog,
        _: Next<'_, DispatchLog>,
    ) -> HookResult<Vec<ContentBlock>> {
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_listener_on_the_log_costs_only_its_copy() {
    let deadlines = deadlines(ms(60_000), ms(200));
    let builder = ToolRuntime::builder().plugin(deadlines.clone()).on_code_dispatch_log(NeverLogs);
    let logger = crate::support::tool("outer").body(|_, cx: RunContext| async move {
        let dispatch = CodeDispatchLog {
            outer: cx.call().clone(),
            sub_call_id: "c1:code:1".into(),
            name: "inner".to_owned(),
            arguments: toolgate::JsonValue::empty_object(),
            is_error: false,
            content: vec![ContentBlock::text("original")],
        };
        let logged = cx.runtime().logged_content(&dispatch).await;
        Ok(json!(logged.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>()))
    });
    let result = build(builder, [logger]).execute(call("outer", json!({}))).await;
    assert_eq!(result.value().expect("a success").to_text(), r#"["original"]"#);
    assert_eq!(deadlines.counts().stages_dropped, 1);
}
