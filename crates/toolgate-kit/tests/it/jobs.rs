//! Jobs: they run on, are read bit by bit, end when they are told to, and never outlive whoever began them.

use serde_json::{Value, json};
use toolgate::{CancellationToken, Scope, ToolCall, ToolExecutionResult, ToolRuntime};
use toolgate_kit::ShellConfig;

use crate::shell_bench::{ShellBench, assert_gone, exists, tools, unconfined};

/// A command that writes its number and those of what it starts, and never ends.
const ENDLESS: &str = "setsid sh -c 'echo $$ >> p; exec sleep 300' & echo $$ >> p; sleep 300";

async fn start(bench: &ShellBench, command: &str) -> String {
    let value = bench.value("bash", json!({ "command": command, "run_in_background": true })).await;
    value["job_id"].as_str().unwrap().to_owned()
}

/// Reads a job until it has ended.
async fn read_to_end(bench: &ShellBench, id: &str) -> (String, Value) {
    let mut all = String::new();
    loop {
        let value = bench.value("job_output", json!({ "job_id": id, "wait_ms": 20_000 })).await;
        all.push_str(value["output"].as_str().unwrap());
        if value["running"] == false && value["unread_bytes"] == 0 {
            return (all, value);
        }
    }
}

#[tokio::test]
async fn a_job_is_read_bit_by_bit_to_its_end() {
    let bench = ShellBench::new(unconfined());
    let id = start(
        &bench,
        "echo one; while [ ! -e go ]; do sleep 0.01; done; printf 'tw\\303'; printf '\\266'; exit 5",
    )
    .await;
    let first = bench.value("job_output", json!({ "job_id": id, "wait_ms": 20_000 })).await;
    assert_eq!(
        (&first["output"], &first["running"], &first["exit_code"]),
        (&json!("one\n"), &json!(true), &Value::Null)
    );
    let nothing = bench.value("job_output", json!({ "job_id": id })).await;
    assert_eq!((&nothing["output"], &nothing["running"]), (&json!(""), &json!(true)));
    std::fs::write(bench.path("go"), "").unwrap();
    let (rest, last) = read_to_end(&bench, &id).await;
    assert_eq!((rest.as_str(), &last["exit_code"], &last["total_bytes"]), ("twö", &json!(5), &json!(8)));
    // The end is remembered.
    let again = bench.value("job_output", json!({ "job_id": id })).await;
    assert_eq!(
        (&again["output"], &again["exit_code"], &again["running"]),
        (&json!(""), &json!(5), &json!(false))
    );
}

#[tokio::test]
async fn what_nobody_reads_in_time_is_counted() {
    let bench = ShellBench::new(ShellConfig { job_buffer_bytes: 1_000, ..unconfined() });
    let id = start(&bench, "head -c 500000 /dev/zero | tr '\\0' x; printf end").await;
    let list = loop {
        let list = bench.value("job_list", json!({})).await;
        if list["jobs"][0]["running"] == false {
            break list;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    };
    assert_eq!(list["jobs"][0]["unread_bytes"], 1_000);
    let value = bench.value("job_output", json!({ "job_id": id })).await;
    assert_eq!((&value["dropped_bytes"], &value["total_bytes"]), (&json!(499_003), &json!(500_003)));
    assert_eq!(value["output"], format!("{}end", "x".repeat(997)));
}

#[tokio::test]
async fn a_killed_job_leaves_nothing() {
    let bench = ShellBench::new(unconfined());
    let id = start(&bench, ENDLESS).await;
    let numbers = bench.numbers("p", 2).await;
    assert!(numbers.iter().all(|number| exists(*number)));
    let value = bench.value("job_kill", json!({ "job_id": id })).await;
    assert_eq!(value["running"], false);
    assert_eq!(value["ended_because"], "it was killed with job_kill");
    assert!(numbers.iter().all(|number| !exists(*number)));
    // Once more changes nothing.
    assert_eq!(bench.value("job_kill", json!({ "job_id": id })).await["running"], false);
}

/// K05, for what the kit starts: the shell, what it forks, and the supervisor above it.
#[tokio::test]
async fn fifty_jobs_opened_and_closed_leave_no_process_and_no_zombie() {
    let bench = ShellBench::new(unconfined());
    for opened in 1..=50 {
        let id = start(&bench, "sleep 300 & echo $! >> p; echo $PPID >> p; echo $$ >> p; wait").await;
        let numbers = bench.numbers("p", 3 * opened).await;
        assert!(numbers.iter().rev().take(3).all(|number| exists(*number)));
        bench.value("job_kill", json!({ "job_id": id })).await;
    }
    assert_gone(&bench.numbers("p", 150).await);
}

#[tokio::test]
async fn a_job_has_the_time_it_was_given() {
    let bench = ShellBench::new(unconfined());
    let args = json!({ "command": ENDLESS, "run_in_background": true, "timeout_ms": 1_000 });
    let id = bench.value("bash", args).await["job_id"].as_str().unwrap().to_owned();
    let (_, last) = read_to_end(&bench, &id).await;
    assert_eq!(last["ended_because"], "it did not finish within 1 s");
    assert_gone(&bench.numbers("p", 2).await);
}

#[tokio::test]
async fn no_more_jobs_run_than_may() {
    let bench = ShellBench::new(ShellConfig { max_jobs: 2, ..unconfined() });
    let first = start(&bench, "sleep 300").await;
    start(&bench, "sleep 300").await;
    let args = json!({ "command": "echo ran > ran", "run_in_background": true });
    assert_eq!(bench.failure(args.clone()).await.0, "JOB_LIMIT");
    bench.value("job_kill", json!({ "job_id": first })).await;
    let id = bench.value("bash", args).await["job_id"].as_str().unwrap().to_owned();
    read_to_end(&bench, &id).await;
    assert!(bench.path("ran").exists());
}

async fn in_scope(scope: &Scope, tool: &str, args: Value) -> ToolExecutionResult {
    scope.execute(ToolCall::new(tool, args, CancellationToken::new())).await
}

#[tokio::test]
async fn a_job_belongs_to_the_scope_that_began_it() {
    let bench = ShellBench::new(unconfined());
    let (one, other) = (bench.runtime.scope("one"), bench.runtime.scope("other"));
    let job = json!({ "command": "sleep 300", "run_in_background": true });
    assert!(!in_scope(&one, "bash", job).await.is_error());
    for tool in ["job_output", "job_kill"] {
        let result = in_scope(&other, tool, json!({ "job_id": "job-1" })).await;
        assert_eq!(result.code(), Some("UNKNOWN_JOB"), "{tool}");
        assert_eq!(
            bench.call(tool, json!({ "job_id": "job-1" })).await.code(),
            Some("UNKNOWN_JOB"),
            "{tool}"
        );
    }
    assert_eq!(in_scope(&other, "job_list", json!({})).await.text(), "No jobs.");
    assert!(in_scope(&one, "job_list", json!({})).await.text().starts_with("job-1: runs for "));
    assert!(!in_scope(&one, "job_kill", json!({ "job_id": "job-1" })).await.is_error());
}

#[tokio::test]
async fn nothing_outlives_whoever_began_it() {
    let job = json!({ "command": ENDLESS, "run_in_background": true });
    // The scope of the agent closes; the tools are everybody's.
    let bench = ShellBench::new(unconfined());
    let agent = bench.runtime.scope("agent");
    assert!(!in_scope(&agent, "bash", job.clone()).await.is_error());
    let numbers = bench.numbers("p", 2).await;
    agent.close();
    assert_gone(&numbers);

    // The runtime is dropped.
    let bench = ShellBench::new(unconfined());
    start(&bench, ENDLESS).await;
    let numbers = bench.numbers("p", 2).await;
    assert!(numbers.iter().all(|number| exists(*number)));
    drop(bench);
    assert_gone(&numbers);

    // The plugin is unplugged, while somebody still holds a tool; or the scope closes that it was plugged into.
    for unplugs in [true, false] {
        let bench = ShellBench::new(unconfined());
        let runtime = ToolRuntime::builder().build().unwrap();
        let scope = runtime.scope("agent");
        let handle = scope.plug(tools(&bench.path("."), unconfined())).unwrap();
        let tool = scope.get("bash").unwrap();
        assert!(!in_scope(&scope, "bash", job.clone()).await.is_error());
        let numbers = bench.numbers("p", 2).await;
        assert!(numbers.iter().all(|number| exists(*number)));
        if unplugs {
            handle.unplug();
        } else {
            scope.close();
        }
        assert_gone(&numbers);
        drop(tool);
    }
}

#[tokio::test]
async fn waiting_for_output_can_be_cancelled_and_loses_nothing() {
    let bench = ShellBench::new(unconfined());
    let id = start(&bench, "while [ ! -e go ]; do sleep 0.01; done; echo late").await;
    let token = CancellationToken::new();
    let args = json!({ "job_id": id, "wait_ms": 60_000 });
    let waiting = bench.runtime.execute(ToolCall::new("job_output", args, token.clone()));
    let (result, ()) = tokio::join!(waiting, async { token.cancel() });
    assert!(result.code().is_some_and(|code| code.starts_with("ABORTED")), "{}", result.text());
    std::fs::write(bench.path("go"), "").unwrap();
    assert_eq!(read_to_end(&bench, &id).await.0, "late\n");
}
