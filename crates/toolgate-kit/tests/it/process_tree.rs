//! Nothing of a command is left when its call has ended, whatever the command does about it (K04).

use std::fs;
use std::time::Duration;

use serde_json::json;
use toolgate::{CancellationToken, ToolCall};
use toolgate_kit::{SandboxMode, ShellConfig};

use crate::shell_bench::{PATIENCE, ShellBench, assert_gone, confined, exists, unconfined};

/// Commands that do not end by themselves, and how many numbers they write into `p`.
const ENDLESS: &[(&str, usize)] = &[
    ("setsid sh -c 'echo $$ >> p; exec sleep 300' & sleep 300", 1),
    ("echo $$ >> p; exec sleep 300", 1),
    ("(setsid sh -c '(sleep 300 & echo $! >> p) &' &); sleep 300", 1),
    ("nohup sleep 300 > /dev/null 2>&1 & echo $! >> p; sleep 300", 1),
    ("trap '' TERM INT HUP; sh -c 'echo $$ >> p; while :; do sleep 1; done' & echo $$ >> p; wait", 2),
    ("sh -c 'echo $$ >> p; kill -STOP $$' & sleep 300", 1),
    ("exec >&- 2>&-; sleep 300 & echo $! >> p; wait", 1),
    ("env -i setsid sh -c 'echo $$ >> p; exec sleep 300' & sleep 300", 1),
    (
        "for i in 1 2 3 4 5 6 7 8; do setsid sh -c 'echo $$ >> p; setsid sh -c \"echo \\$\\$ >> p; sleep 300\"' & done; wait",
        16,
    ),
];

#[tokio::test]
async fn a_cancelled_command_takes_everything_with_it() {
    for mode in [SandboxMode::Full, SandboxMode::WorkspaceWrite] {
        for (command, count) in ENDLESS {
            let bench = ShellBench::new(confined(mode, None));
            let token = CancellationToken::new();
            let call = ToolCall::new("bash", json!({ "command": command }), token.clone());
            let call = bench.runtime.execute(call);
            let cancel = async {
                let numbers = bench.numbers("p", *count).await;
                assert!(numbers.iter().all(|number| exists(*number)), "{command}");
                token.cancel();
                numbers
            };
            let (result, numbers) = tokio::join!(call, cancel);
            assert_eq!(result.code(), Some("ABORTED"), "{command}: {}", result.text());
            // Not within some time: when the call ends, they are gone.
            for number in &numbers {
                assert!(!exists(*number), "{command} left {number}");
            }
        }
    }
}

#[tokio::test]
async fn a_late_command_takes_everything_with_it() {
    let bench = ShellBench::new(unconfined());
    let command = "setsid sh -c 'echo $$ >> p; exec sleep 300' & sleep 300";
    let (code, _) = bench.failure(json!({ "command": command, "timeout_ms": 1_000 })).await;
    assert_eq!(code, "TOOL_TIMEOUT");
    let numbers = bench.numbers("p", 1).await;
    assert!(!exists(numbers[0]));
}

#[tokio::test]
async fn a_dropped_call_takes_everything_with_it() {
    let bench = ShellBench::new(unconfined());
    let command = json!({ "command": "setsid sh -c 'echo $$ >> p; exec sleep 300' & sleep 300" });
    let call = bench.runtime.execute(ToolCall::new("bash", command, CancellationToken::new()));
    let numbers = tokio::select! {
        result = call => panic!("it ended: {}", result.text()),
        numbers = bench.numbers("p", 1) => numbers,
    };
    assert_gone(&numbers);
}

#[tokio::test]
async fn what_a_shell_leaves_behind_ends_with_it_and_is_told() {
    for (command, ended) in [
        ("sleep 300 & echo $! >> p; echo done", 1),
        ("setsid nohup sleep 300 > /dev/null & echo $! >> p; sleep 300 & echo $! >> p; echo done", 2),
        // Soon over by itself.
        ("setsid sh -c 'echo $$ >> p' & wait; echo done", 0),
        ("(sleep 0.02; echo $BASHPID >> p) & echo done", 0),
    ] {
        let bench = ShellBench::new(unconfined());
        let value = bench.bash(command).await;
        assert_eq!((&value["output"], &value["exit_code"]), (&json!("done\n"), &json!(0)), "{command}");
        assert_eq!(value["ended_processes"], ended, "{command}");
        for number in bench.numbers("p", 1).await {
            assert!(!exists(number), "{command}");
        }
    }
    let bench = ShellBench::new(unconfined());
    let text = bench.call("bash", json!({ "command": "sleep 300 & echo done" })).await.text();
    assert!(text.contains("1 process that the command had left running"), "{text}");
}

#[tokio::test]
async fn a_command_that_multiplies_is_ended() {
    let bench = ShellBench::new(ShellConfig { max_processes: 40, ..unconfined() });
    let command = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; echo $BASHPID >> p; sleep 300; }; f 7";
    let (code, message) = bench.failure(json!({ "command": command })).await;
    assert_eq!(code, "PROCESS_LIMIT", "{message}");
    assert!(message.contains("more than 40 processes"), "{message}");
    for number in bench.numbers("p", 1).await {
        assert!(!exists(number), "{number}");
    }
}

#[tokio::test]
async fn a_command_that_kills_its_supervisor_is_ended_by_the_owner() {
    let bench = ShellBench::new(unconfined());
    let command = "setsid sh -c 'echo $$ >> p; exec sleep 300' & setsid sleep 300 & echo $! >> p; \
                   while [ $(wc -l < p) -lt 2 ]; do :; done; kill -KILL $PPID; sleep 300";
    let (code, message) = bench.failure(json!({ "command": command })).await;
    assert_eq!(code, "SUPERVISOR_KILLED", "{message}");
    assert_gone(&bench.numbers("p", 2).await);
}

#[tokio::test]
async fn a_polite_signal_does_not_end_a_supervisor() {
    let bench = ShellBench::new(unconfined());
    let value =
        bench.bash("for s in TERM HUP INT QUIT USR1 ALRM; do kill -$s $PPID; done; sleep 0.1; echo on").await;
    assert_eq!((&value["output"], &value["exit_code"]), (&json!("on\n"), &json!(0)));
}

#[tokio::test]
async fn a_command_may_clean_up_before_it_is_killed() {
    let bench = ShellBench::new(unconfined());
    let command = "trap 'echo cleaned > cleaned; exit' TERM; echo $$ > p; while :; do sleep 0.01; done";
    let token = CancellationToken::new();
    let call = bench.runtime.execute(ToolCall::new("bash", json!({ "command": command }), token.clone()));
    let cancel = async {
        bench.numbers("p", 1).await;
        token.cancel();
    };
    tokio::join!(call, cancel);
    assert_eq!(fs::read_to_string(bench.path("cleaned")).unwrap(), "cleaned\n");
}

#[tokio::test]
async fn a_call_cancelled_at_once_runs_nothing_for_long() {
    let bench = ShellBench::new(unconfined());
    for after in [0, 1, 3, 10, 30] {
        let token = CancellationToken::new();
        let command = json!({ "command": "echo $$ >> p; sleep 300" });
        let call = bench.runtime.execute(ToolCall::new("bash", command, token.clone()));
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(after)).await;
            token.cancel();
        };
        let (result, ()) =
            tokio::time::timeout(PATIENCE, async { tokio::join!(call, cancel) }).await.unwrap();
        assert!(result.code().is_some_and(|code| code.starts_with("ABORTED")), "{}", result.text());
    }
    let text = fs::read_to_string(bench.path("p")).unwrap_or_default();
    for number in text.lines() {
        assert!(!exists(number.parse().unwrap()), "{number}");
    }
}
