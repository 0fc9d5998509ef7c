//! The wall time of a program by somebody else's clock.

use std::future::{pending, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use toolgate::prelude::*;
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_sandbox::{InProcess, Language, Limits};

use crate::{run, tool};

/// What the clock was asked for: whose time, and how much.
type Asked = Arc<Mutex<Vec<(String, Duration)>>>;

/// A runtime whose programs have no time at all by the clock of the machine, with another clock.
fn runtime(clock: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static) -> (ToolRuntime, Asked) {
    let asked = Asked::default();
    let told = Arc::clone(&asked);
    let limits = Limits { wall: Duration::from_nanos(1), ..Limits::in_process() };
    let config = CodeModeConfig { limits, ..CodeModeConfig::new(Language::TypeScript) };
    let mode = CodeMode::new(InProcess::default(), config).with_clock(move |call, limit| {
        told.lock().expect("no panic").push((call.call_id().to_string(), limit));
        clock()
    });
    let waits = tool("waits").body(|_, cx: RunContext| async move {
        cx.cancellation().cancelled().await;
        Err::<JsonValue, _>(ToolError::aborted())
    });
    let builder = ToolRuntime::builder().presentation_mode(PresentationMode::Code).code_transport(mode);
    (builder.tool(waits).build().expect("valid"), asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_stands_still_ends_no_program() {
    let (runtime, asked) = runtime(|| pending().boxed());
    let result = run(&runtime, "await new Promise(r => setTimeout(r, 50)); return 1;").await;
    assert_eq!(result.value().expect("a success")["result"], json!(1), "{}", result.text());
    assert_eq!(*asked.lock().expect("no panic"), [("p".to_owned(), Duration::from_nanos(1))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_whose_time_is_up_by_that_clock_times_out() {
    for code in [
        "console.log('begun'); await new Promise(r => setTimeout(r, 60000));",
        "console.log('begun'); await tools.waits({});",
        "console.log('begun'); for (;;) {}",
    ] {
        let (runtime, _) = runtime(|| tokio::time::sleep(Duration::from_millis(200)).boxed());
        let result = run(&runtime, code).await;
        assert_eq!(result.code(), Some("CODE_RUN_FAILED"), "{code}");
        let text = result.text();
        assert!(text.contains("failed (timeout): the program ran for longer than 1ns"), "{code}: {text}");
    }
    let (runtime, _) = runtime(|| ready(()).boxed());
    assert!(run(&runtime, "for (;;) {}").await.text().contains("(timeout)"));
}
