//! What `bash` gives back: output, ends, limits, folder, environment, cards.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::tool::ToolResult;
use toolgate::{CancellationToken, JsonValue, ToolCall, ToolEffect, ToolExecutionMode, ToolResultView};
use toolgate_kit::{EnvironmentConfig, ShellConfig};

use crate::shell_bench::{ShellBench, unconfined};

#[tokio::test]
async fn output_is_what_was_printed_in_the_order_of_printing() {
    let bench = ShellBench::new(unconfined());
    for (command, output) in [
        ("echo a; echo b >&2; echo c; echo d >&2", "a\nb\nc\nd\n"),
        ("printf x", "x"),
        ("", ""),
        ("printf '\\377\\000\\033[31m'", "\u{fffd}\0\u{1b}[31m"),
        ("printf '€'; printf 'ü' >&2", "€ü"),
        ("cat; echo rest", "rest\n"),
        ("read line || echo nothing to read", "nothing to read\n"),
        ("exec >&- 2>&-; echo lost", ""),
        ("tty", "not a tty\n"),
        ("yes | head -n 2", "y\ny\n"),
        ("x=1\nif [ $x = 1 ]; then\necho two lines\nfi", "two lines\n"),
        ("echo ${BASH_VERSION:+bash}", "bash\n"),
    ] {
        let command = format!(": ; {command}");
        let value = bench.bash(&command).await;
        assert_eq!(value["output"], output, "{command}");
        assert_eq!(value["omitted_bytes"], 0);
    }
}

#[tokio::test]
async fn the_end_of_a_command_is_told() {
    let bench = ShellBench::new(unconfined());
    for (command, code, signal) in [
        ("true", json!(0), Value::Null),
        ("exit 3", json!(3), Value::Null),
        ("no-such-program", json!(127), Value::Null),
        ("exec ./no-such-file", json!(127), Value::Null),
        ("kill -SEGV $$", Value::Null, json!("SIGSEGV")),
        ("kill -KILL $$", Value::Null, json!("SIGKILL")),
        ("kill -TERM $$", Value::Null, json!("SIGTERM")),
    ] {
        let value = bench.bash(command).await;
        assert_eq!((&value["exit_code"], &value["signal"]), (&code, &signal), "{command}");
    }
}

#[tokio::test]
async fn a_long_output_keeps_its_ends_and_its_length() {
    let bench = ShellBench::new(ShellConfig { max_output_bytes: 400, ..unconfined() });
    let value = bench.bash("echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    let text = value["output"].as_str().unwrap();
    assert!(text.starts_with("begin\nxxx") && text.ends_with("xxx\nend\n"), "{text}");
    let total = value["output_bytes"].as_u64().unwrap();
    assert_eq!(total, 3_000_000 + 11);
    assert_eq!(value["omitted_bytes"], total - 400);
    assert!(text.contains(&format!("\n[… {} bytes left out …]\n", total - 400)), "{text}");
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_and_says_what_it_had_printed() {
    let bench = ShellBench::new(unconfined());
    let (code, message) = bench.failure(json!({ "command": "yes", "timeout_ms": 300 })).await;
    assert_eq!(code, "TOOL_TIMEOUT");
    assert!(message.starts_with("the command did not finish within 300 ms"), "{message:.200}");
    let count = message.split("It had printed ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(count.parse::<u64>().unwrap() > 100_000, "{count}");
    assert!(message.contains(" bytes left out …]\n") && message.contains("y\ny\n"), "{message:.200}");
    assert!(message.contains("\nhint: "));

    let (_, message) = bench.failure(json!({ "command": "sleep 100", "timeout_ms": 50 })).await;
    assert!(message.contains("It had printed nothing."), "{message}");
}

#[tokio::test]
async fn no_command_may_take_longer_than_all_may() {
    let bench = ShellBench::new(ShellConfig { max_timeout_ms: 200, ..unconfined() });
    let (code, message) = bench.failure(json!({ "command": "sleep 100", "timeout_ms": 60_000 })).await;
    assert_eq!((code.as_str(), message.contains("within 200 ms")), ("TOOL_TIMEOUT", true), "{message}");
}

#[tokio::test]
async fn a_cancelled_command_says_what_it_had_printed() {
    let bench = ShellBench::new(unconfined());
    let token = CancellationToken::new();
    let command = json!({ "command": "echo begun; echo $$ > p; sleep 100" });
    let call = bench.runtime.execute(ToolCall::new("bash", command, token.clone()));
    let cancel = async {
        bench.numbers("p", 1).await;
        token.cancel();
    };
    let (result, ()) = tokio::join!(call, cancel);
    assert_eq!(result.code(), Some("ABORTED"));
    assert!(result.text().ends_with("It had printed 6 bytes:\nbegun\n"), "{}", result.text());
}

#[tokio::test]
async fn a_command_begins_in_a_folder_of_the_workspace() {
    let bench = ShellBench::new(unconfined());
    std::fs::create_dir_all(bench.path("sub/deep")).unwrap();
    std::fs::create_dir(bench.outside("beside")).unwrap();
    std::os::unix::fs::symlink(bench.outside("beside"), bench.path("link")).unwrap();
    std::fs::write(bench.path("file"), "").unwrap();
    let root = std::fs::canonicalize(bench.path(".")).unwrap();
    for (workdir, expected) in [(None, ""), (Some("sub"), "sub"), (Some("sub/../sub/deep"), "sub/deep")] {
        let value =
            bench.value("bash", json!({ "command": "pwd -P; pwd", "workdir": workdir.unwrap_or(".") })).await;
        let folder = root.join(expected).to_string_lossy().trim_end_matches('/').to_owned();
        assert_eq!(value["output"], format!("{folder}\n{folder}\n"), "{workdir:?}");
    }
    let outside = bench.outside("beside").to_string_lossy().into_owned();
    for (workdir, code) in [
        ("..", "OUTSIDE_WORKSPACE"),
        ("sub/../../beside", "OUTSIDE_WORKSPACE"),
        (outside.as_str(), "OUTSIDE_WORKSPACE"),
        ("link", "OUTSIDE_WORKSPACE"),
        ("/proc/self/cwd", "OUTSIDE_WORKSPACE"),
        ("none", "FILE_NOT_FOUND"),
        ("file", "NOT_A_DIRECTORY"),
    ] {
        let args = json!({ "command": "echo ran > ran", "workdir": workdir });
        assert_eq!(bench.failure(args).await.0, code, "{workdir}");
    }
    assert!(!bench.path("ran").exists() && !bench.outside("beside/ran").exists());
}

#[tokio::test]
async fn commands_that_cannot_be_are_refused() {
    let bench = ShellBench::new(unconfined());
    for args in [
        json!({ "command": "echo a\0b" }),
        json!({ "command": " \n" }),
        json!({ "command": "x".repeat(200_000) }),
        json!({ "command": "true", "timeout_ms": 0 }),
        json!({ "command": "true", "background": true }),
    ] {
        assert_eq!(bench.failure(args).await.0, "INVALID_ARGS");
    }
    let bench = ShellBench::new(ShellConfig { shell: Some("/no/such/shell".into()), ..unconfined() });
    let (code, message) = bench.failure(json!({ "command": "true" })).await;
    assert_eq!(code, "SHELL_UNAVAILABLE");
    assert!(message.contains("/no/such/shell cannot be started"), "{message}");
}

#[tokio::test]
async fn a_long_command_of_odd_characters_arrives_unchanged() {
    let bench = ShellBench::new(unconfined());
    let text = "\u{1}\"\\ü😀\t".repeat(9_000);
    let value = bench.bash(&format!("cat > f <<'E'\n{text}\nE")).await;
    assert_eq!(value["exit_code"], 0, "{value}");
    assert_eq!(std::fs::read_to_string(bench.path("f")).unwrap(), format!("{text}\n"));
}

#[tokio::test]
async fn a_command_gets_a_clean_state_of_signals_descriptors_and_sessions() {
    let bench = ShellBench::new(unconfined());
    let value = bench.bash("ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' /proc/self/status").await;
    let output = value["output"].as_str().unwrap();
    // 3 is what `ls` reads.
    let signals = output.strip_prefix("0 1 2 3 ").unwrap();
    for line in signals.lines() {
        let mask = u64::from_str_radix(line.split_whitespace().last().unwrap(), 16).unwrap();
        // Those beyond belong to the C library; who starts the tests may have ignored them.
        assert_eq!(mask & 0x7fff_ffff, 0, "{line}");
    }
    assert_eq!(signals.lines().count(), 2);
    // Number, group and session are one, and there is no terminal.
    let value = bench.bash("echo $$; cut -d' ' -f5,6,7 /proc/$$/stat").await;
    let output = value["output"].as_str().unwrap();
    let (own, rest) = output.split_once('\n').unwrap();
    assert_eq!(rest, format!("{own} {own} 0\n"));
}

#[tokio::test]
async fn the_environment_is_quiet_and_what_is_set_is_there() {
    let environment = EnvironmentConfig {
        set: [("MY_TOKEN".to_owned(), "given".to_owned())].into(),
        ..EnvironmentConfig::default()
    };
    let bench = ShellBench::new(ShellConfig { environment, ..unconfined() });
    let value =
        bench.bash("echo $TERM $PAGER $GIT_TERMINAL_PROMPT $MY_TOKEN; echo $PATH; stat -c %a $TMPDIR").await;
    let path = std::env::var("PATH").unwrap();
    assert_eq!(value["output"], format!("dumb cat 0 given\n{path}\n700\n"));
}

#[tokio::test]
async fn the_folder_of_temporary_files_lasts_as_long_as_the_session() {
    let bench = ShellBench::new(unconfined());
    bench.bash("echo kept > $TMPDIR/f").await;
    let value = bench.bash("cat $TMPDIR/f; echo $TMPDIR").await;
    let output = value["output"].as_str().unwrap();
    let folder = output.strip_prefix("kept\n").unwrap().trim_end().to_owned();
    assert!(std::path::Path::new(&folder).is_dir());
    drop(bench);
    assert!(!std::path::Path::new(&folder).exists());
}

#[tokio::test]
async fn directories_that_may_not_be_changed_are_removed_with_the_folder_and_nothing_else_is() {
    use std::os::unix::fs::PermissionsExt as _;

    let bench = ShellBench::new(unconfined());
    let kept = tempfile::tempdir().unwrap();
    let outside = kept.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::set_permissions(&outside, std::fs::Permissions::from_mode(0o500)).unwrap();
    let command = format!(
        "mkdir -p $TMPDIR/a/b $TMPDIR/c && ln -s {} $TMPDIR/a/out && chmod 555 $TMPDIR/a && chmod 0 $TMPDIR/c && \
         echo $TMPDIR && chmod 555 $TMPDIR",
        outside.display()
    );
    let value = bench.bash(&command).await;
    let folder = value["output"].as_str().unwrap().trim_end();
    assert!(std::path::Path::new(folder).is_dir(), "{value}");
    drop(bench);
    assert!(!std::path::Path::new(folder).exists());
    assert_eq!(std::fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o500);
}

#[test]
fn a_supervisor_whose_owner_is_gone_removes_the_folder_of_temporary_files() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::Command;

    let place = tempfile::tempdir().unwrap();
    for (name, stays) in [("toolgate-shell-x", false), ("mine", true)] {
        let folder = place.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        let mut supervisor = Command::new(env!("CARGO_BIN_EXE_shell_supervisor"));
        let status = supervisor.env("TMPDIR", &folder).stdin(OwnedFd::from(theirs)).status().unwrap();
        assert!(status.success(), "{status}");
        assert_eq!(folder.exists(), stays, "{name}");
    }
}

#[test]
fn folders_of_temporary_files_that_nobody_holds_are_removed_when_they_are_old() {
    /// Set for the process that has a folder of temporary files for itself.
    const PLACE: &str = "TOOLGATE_KIT_TEST_PLACE";
    let this = "bash::folders_of_temporary_files_that_nobody_holds_are_removed_when_they_are_old";
    let names = |place: &std::path::Path| {
        let mut names: Vec<_> = std::fs::read_dir(place)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    if let Some(place) = std::env::var_os(PLACE) {
        let executor = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bench = ShellBench::new(unconfined());
        let before = names(place.as_ref());
        assert!(before.contains(&"toolgate-shell-abandoned".to_owned()), "without a command nothing is done");
        executor.block_on(bench.bash("true"));
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let hour = std::time::SystemTime::now() - Duration::from_secs(3600);
    let folder = |name: &str| {
        std::fs::create_dir(place.path().join(name)).unwrap();
        std::fs::write(place.path().join(name).join("f"), "x").unwrap();
        std::fs::File::open(place.path().join(name)).unwrap()
    };
    folder("toolgate-shell-abandoned").set_modified(hour).unwrap();
    folder("toolgate-shell-young");
    folder("toolgate-notes").set_modified(hour).unwrap();
    let held = folder("toolgate-shell-held");
    held.set_modified(hour).unwrap();
    held.lock().unwrap();
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", this])
        .env(PLACE, place.path())
        .env("TMPDIR", place.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && printed.contains("1 passed"), "{printed}");
    assert_eq!(names(place.path()), ["toolgate-notes", "toolgate-shell-held", "toolgate-shell-young"]);
}

#[tokio::test]
async fn cards_show_the_command_and_its_end() {
    let bench = ShellBench::new(unconfined());
    let tool = bench.runtime.get("bash").unwrap();
    let args = json!({ "command": "echo hi\nexit 2", "description": "Greet" });
    let shown = JsonValue::encode(&args).unwrap();
    let call = serde_json::to_value(tool.present_call(&shown)).unwrap();
    let root = std::fs::canonicalize(bench.path(".")).unwrap();
    let expected = json!({ "card": "terminal", "title": "echo hi\nexit 2", "description": "Greet", "cwd": root.to_str().unwrap() });
    assert_eq!(call, expected);
    for (args, expected) in [
        (args, json!({ "card": "terminal", "output": "hi\n", "exitCode": 2 })),
        (json!({ "command": "true" }), json!({ "card": "terminal", "exitCode": 0 })),
        (
            json!({ "command": "echo x; kill -9 $$" }),
            json!({ "card": "terminal", "output": "x\n", "signal": "SIGKILL" }),
        ),
    ] {
        let result = bench.call("bash", args).await;
        let durable = ToolResult { content: result.content(), error: result.error(), meta: result.meta() };
        let view: ToolResultView = tool.present_result(&shown, &durable);
        let mut view = serde_json::to_value(view).unwrap();
        view.as_object_mut().unwrap().remove("title");
        assert_eq!(view, expected);
    }
}

#[tokio::test]
async fn the_registry_knows_what_the_tools_do() {
    let bench = ShellBench::new(unconfined());
    let call = |tool: &str, args: Value| ToolCall::new(tool, args, CancellationToken::new());
    for (tool, args, effect, mode) in [
        ("bash", json!({ "command": "true" }), ToolEffect::NonIdempotent, ToolExecutionMode::Exclusive),
        ("job_output", json!({ "job_id": "job-1" }), ToolEffect::Pure, ToolExecutionMode::Parallel),
        ("job_list", json!({}), ToolEffect::Pure, ToolExecutionMode::Parallel),
        ("job_kill", json!({ "job_id": "job-1" }), ToolEffect::Idempotent, ToolExecutionMode::Exclusive),
    ] {
        let definition = bench.runtime.get(tool).unwrap();
        assert_eq!(
            (definition.effect(), bench.runtime.execution_mode(&call(tool, args))),
            (effect, mode),
            "{tool}"
        );
        assert!(definition.timeout().is_some(), "{tool}");
    }
    let description = bench.runtime.get("bash").unwrap().description().to_owned();
    for part in ["/bin/bash", "120 s", "600 s", "whatever files its user may"] {
        assert!(description.contains(part), "{description}");
    }
}
