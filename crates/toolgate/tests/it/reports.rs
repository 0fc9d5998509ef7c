//! Reports of running calls: who hears of it, and that nobody who listens can harm a call (rule P18).

use std::sync::{Arc, Mutex};

use toolgate::prelude::*;
use toolgate::{Progress, Report, ToolDefinition};

fn step(done: f64) -> Report {
    Report::Progress(Progress { done, total: Some(2.0), message: Some("copying".to_owned()) })
}

fn done(report: &Report) -> f64 {
    match report {
        Report::Progress(progress) => progress.done,
        Report::Message(_) => f64::NAN,
    }
}

#[tokio::test]
async fn observers_of_the_scope_and_of_those_above_hear_of_reports_and_others_do_not() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = |who: &'static str| {
        let heard = Arc::clone(&heard);
        move |call: &ToolExecution, report: &Report| {
            if let Ok(mut heard) = heard.lock() {
                heard.push((who, call.name().to_owned(), call.root_call_id().to_string(), done(report)));
            }
        }
    };
    let runtime = ToolRuntime::builder()
        .tool(
            ToolDefinition::raw("copy", "Copies.")
                .raw_parameters(JsonValue::empty_object())
                .output_schema(JsonValue::empty_object())
                .body(|_, cx| async move {
                    cx.report(&step(1.0));
                    cx.report(&step(2.0));
                    Ok(JsonValue::from("copied"))
                }),
        )
        .tool(
            ToolDefinition::raw("twice", "Copies through another call.")
                .raw_parameters(JsonValue::empty_object())
                .output_schema(JsonValue::empty_object())
                .body(|_, cx| async move {
                    let nested = cx.nested_call("copy", JsonValue::empty_object());
                    Ok(JsonValue::from(cx.runtime().execute(nested).await.text()))
                }),
        )
        .build()
        .expect("the tools are sound");
    let (agent, other) = (runtime.scope("agent"), runtime.scope("other"));
    runtime.on_report(|_: &ToolExecution, _: &Report| std::panic::resume_unwind(Box::new("observer")));
    runtime.on_report(hear("everywhere"));
    agent.on_report(hear("agent"));
    other.on_report(hear("other"));

    let call = ToolCall::new("twice", JsonValue::empty_object(), CancellationToken::new()).with_id("root");
    let result = agent.execute(call).await;

    assert_eq!(result.text(), "copied", "P18: an observer that panics changes nothing");
    let of_copy = |who, done| (who, "copy".to_owned(), "root".to_owned(), done);
    assert_eq!(
        *heard.lock().expect("nobody panicked while holding it"),
        [
            of_copy("everywhere", 1.0),
            of_copy("agent", 1.0),
            of_copy("everywhere", 2.0),
            of_copy("agent", 2.0)
        ],
        "a sub-call is heard under its root call"
    );
}
