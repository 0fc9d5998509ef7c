//! Ctrl-C while a tool is working.

use std::fs;
use std::io::Write as _;

use tempfile::TempDir;

/// A folder in which a search takes many seconds: one file under many names.
pub(crate) fn slow_search() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("0.txt");
    let mut file = fs::File::create(&first).unwrap();
    let block = "abababab cdcdcdcd abcabcabc deedeedee\n".repeat(10_000);
    for _ in 0..100 {
        file.write_all(block.as_bytes()).unwrap();
    }
    for n in 1..300 {
        fs::hard_link(&first, folder.path().join(format!("{n}.txt"))).unwrap();
    }
    folder
}

#[cfg(unix)]
mod signals {
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::slow_search;
    use crate::{Run, toolgate};

    const PATIENCE: Duration = Duration::from_secs(20);

    fn begin(folder: &tempfile::TempDir, args: &[&str]) -> Child {
        let mut command = toolgate(folder.path());
        command.args(["call", "grep", r#"{"pattern":"(a|b|ab)*c(d|e)*needle"}"#]).args(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn interrupt(child: &Child) {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    }

    /// Waits until the process has taken Ctrl-C over.
    fn wait_until_listening(child: &Child) {
        let begun = Instant::now();
        let status = format!("/proc/{}/status", child.id());
        let listens = || {
            let text = std::fs::read_to_string(&status).unwrap();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
            u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
        };
        while !listens() {
            assert!(begun.elapsed() < PATIENCE, "the process never took Ctrl-C over");
            thread::yield_now();
        }
    }

    fn end(child: Child) -> Run {
        let begun = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < PATIENCE, "the process did not stop");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_call_is_cancelled_and_its_result_shown() {
        let folder = slow_search();
        let child = begin(&folder, &[]);
        wait_until_listening(&child);
        interrupt(&child);
        end(child).fails(130, "the call was cancelled");

        let child = begin(&folder, &["--json"]);
        wait_until_listening(&child);
        interrupt(&child);
        let record = end(child).exits(130).json();
        assert_eq!(record["isError"], true);
        assert_eq!(record["error"]["name"], "AbortError");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_and_its_calls_are_cancelled() {
        let folder = slow_search();
        crate::write(&folder, "loop.ts", "while (true) {}");
        crate::write(&folder, "search.ts", "await tools.grep({ pattern: \"(a|b|ab)*c(d|e)*needle\" })");
        for (program, json) in [("loop.ts", false), ("search.ts", false), ("loop.ts", true)] {
            let mut command = toolgate(folder.path());
            command.args(["run", program]).args(json.then_some("--json"));
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            wait_until_listening(&child);
            // Into the loop, and into the search.
            thread::sleep(Duration::from_millis(100));
            interrupt(&child);
            let run = end(child).exits(130);
            if json {
                assert_eq!(run.json()["isError"], true);
            } else {
                assert_eq!(run.stdout, "");
                assert!(run.stderr.contains("error: the program failed (abort): "), "{run:#?}");
            }
        }
    }

    #[test]
    fn output_that_nobody_reads_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        crate::write(&folder, "long.txt", format!("{}\n", "x".repeat(1_000)).repeat(250));
        let mut command = toolgate(folder.path());
        command.args(["call", "read", r#"{"file_path":"long.txt"}"#]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The first byte shows that the call is over; the pipe holds less than the rest.
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        interrupt(&child);
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                child.kill().unwrap();
            }
            thread::yield_now();
        };
        assert_eq!(status.code(), Some(130));
        drop(stdout);
    }
}
