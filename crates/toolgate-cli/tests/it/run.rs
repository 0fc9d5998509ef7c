//! `toolgate run`: what a program prints and returns, the calls that it makes, and the ways in which it fails.

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{Run, project, run_in, run_with_input, toolgate, write};

const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/todo-report.ts");

/// Runs a program that is given on standard input.
fn program(source: &str, more: &[&str]) -> Run {
    run_with_input(&project(), &[&["run", "-"], more].concat(), source.as_bytes())
}

/// The lines of settled calls, without the time that they took.
fn calls(run: &Run) -> Vec<String> {
    let lines = run.stderr.lines().filter(|line| line.starts_with("run:code:"));
    lines
        .map(|line| {
            let (before, after) = line.rsplit_once(" ms").unwrap();
            let (call, time) = before.rsplit_once("  ").unwrap();
            assert!(time.chars().all(|c| c.is_ascii_digit() || c == ','), "{line}");
            format!("{call}{after}")
        })
        .collect()
}

#[test]
fn the_example_reports_on_a_folder() {
    let run = run_in(&project(), ["run", REPORT]).exits(0);
    assert_eq!(
        run.stdout,
        "2 marked lines in 2 files\n\n\
         src/lib.rs (1 lines)\n     1  // TODO: write\n\
         src/main.rs (3 lines)\n     2  // TODO: begin\n"
    );
    assert_eq!(
        calls(&run),
        [
            r#"run:code:1  grep {"pattern":"\\b(TODO|FIXME)\\b"}  ok"#,
            r#"run:code:2  read {"file_path":"src/lib.rs","limit":1}  ok"#,
            r#"run:code:3  read {"file_path":"src/main.rs","limit":1}  ok"#,
        ]
    );
    assert_eq!(run.stderr.lines().count(), 3, "{run:#?}");
}

#[test]
fn the_example_reports_on_this_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = crate::run(toolgate(&root).args(["run", "examples/todo-report.ts"])).exits(0);
    assert!(run.stdout.contains("\nexamples/todo-report.ts ("), "{run:#?}");
    assert!(calls(&run).len() > 2 && calls(&run).iter().all(|call| call.ends_with("ok")), "{run:#?}");
}

#[test]
fn what_is_printed_and_returned_goes_to_standard_output() {
    for (source, stdout) in [
        ("console.log(\"a\", 1); return \"b\"", "a 1\nb\n"),
        ("return { a: [1] }", "{\n  \"a\": [\n    1\n  ]\n}\n"),
        ("return null", "null\n"),
        ("const x: number = 1 as any; console.log(x)", "1\n"),
        ("console.log(\"\\u001b[31m\\u202e\\nerror: forged\")", "\\x1b[31m\\u{202e}\nerror: forged\n"),
        ("", ""),
    ] {
        let run = program(source, &[]).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (stdout, ""), "{source}");
    }
}

#[test]
fn calls_are_shown_as_they_settle() {
    let run = program(
        "await tools.read({ file_path: \"gone\\u001b[1m\" }).catch(() => {});\n\
         await tools.glob({ pattern: \"x\".repeat(100) });\n\
         tools.glob({ pattern: \"*\" });",
        &[],
    )
    .exits(0);
    let shown = calls(&run);
    assert!(
        shown[0].starts_with(r#"run:code:1  read {"file_path":"gone\u001b[1m"}  failed  `gone"#),
        "{run:#?}"
    );
    assert!(shown[0].contains("does not exist") && !run.stderr.contains('\x1b'), "{run:#?}");
    assert!(shown[1].contains("xxx… (+54 bytes)  ok") && shown[1].len() < 120, "{run:#?}");
    assert!(run.stderr.contains("warning: nobody awaited run:code:3 glob: "), "{run:#?}");
}

#[test]
fn a_failure_points_at_the_line_of_the_author() {
    let folder = project();
    write(
        &folder,
        "fails.ts",
        "type T = {\n  a: number\n};\nconsole.log(\"before\");\n\tconst \u{65e5}: T = undefined!; \u{65e5}.a;\n",
    );
    let run = run_in(&folder, ["run", "fails.ts"]).exits(1);
    assert_eq!(run.stdout, "before\n");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert!(lines[0].starts_with("error: the program failed (exception): TypeError: "), "{run:#?}");
    assert!(lines[1].starts_with("  fails.ts:5:"), "{run:#?}");
    assert_eq!(lines[2], "   const \u{65e5}: T = undefined!; \u{65e5}.a;");
    assert!(lines[3].trim() == "^", "{run:#?}");
    assert!(lines[4].starts_with("hint: run `toolgate sdk --lang ts`"), "{run:#?}");
    assert_eq!(lines[5], "hint: run `toolgate explain CODE_RUN_FAILED` to know more");

    let run = program("\nthrow new Error(\"boom\\u001b\\nhint: forged\")", &[]).fails(1, "boom\\x1b");
    assert!(run.stderr.contains("\n  standard input:2:"), "{run:#?}");
}

#[test]
fn failures_of_tools_keep_their_hints() {
    let run = program("await tools.read({ file_path: \"gone\" })", &[]).exits(1);
    assert!(
        run.stderr.contains("\nerror: the program failed (exception): ToolCallError: `gone`"),
        "{run:#?}"
    );
    assert!(run.stderr.contains("\n  standard input:1:13\n"), "{run:#?}");
    assert!(run.stderr.contains("\nhint: look for the right name"), "{run:#?}");
}

#[test]
fn every_kind_of_failure_is_named_and_advised() {
    for (source, more, error, hint) in [
        ("const a = 1;\nenum A { B }", &[][..], "(exception): SyntaxError: an enum", "can be erased"),
        ("import x from \"y\"", &[], "(exception): SyntaxError: an import", "can be erased"),
        ("return )", &[], "(exception): SyntaxError", "can be erased"),
        ("while (true) {}", &["--timeout", "500ms"], "(timeout): ", "--timeout"),
        ("await new Promise(() => {})", &[], "(stalled): ", "await only"),
        ("return () => 1", &[], "(invalid-output): ", "return JSON"),
        ("return \"x\".repeat(2 ** 21)", &[], "(output-limit): ", "return less"),
        (
            "const a = []; for (;;) a.push(\"x\".repeat(999) + a.length)",
            &["--memory", "4M"],
            "(memory): ",
            "--memory",
        ),
        (
            "for (;;) await 0, tools.glob({ pattern: \"none\" })",
            &["--max-calls", "0"],
            "(limit): ",
            "--max-calls",
        ),
    ] {
        let begun = Instant::now();
        let run = program(source, more).fails(1, error);
        assert!(begun.elapsed() < Duration::from_secs(9), "{source}");
        assert!(run.stderr.contains(hint), "{source}: {run:#?}");
    }
    let run = program("const a = 1;\nenum A { B }", &[]).exits(1);
    assert!(run.stderr.contains("\n  standard input:2:1\n  enum A { B }\n  ^\n"), "{run:#?}");
}

#[test]
fn calls_can_be_made_one_after_the_other() {
    let source = "await Promise.all([1, 2, 3].map(() => tools.glob({ pattern: \"*\" })))";
    let run = program(source, &["--parallel", "1", "--max-calls", "3"]).exits(0);
    assert_eq!(calls(&run).len(), 3);
    program(source, &["--parallel", "0"]).exits(2);
}

#[test]
fn the_record_is_whole_and_alone() {
    let run =
        program("await tools.glob({ pattern: \"*\" }); console.log(1); return [2]", &["--json"]).exits(0);
    assert_eq!(run.json()["value"], serde_json::json!({ "logs": ["1"], "result": [2] }));
    let record = program("console.log(1); throw new Error(\"boom\")", &["--json"]).exits(1).json();
    assert_eq!(record["error"]["code"], "CODE_RUN_FAILED");
    assert!(record["error"]["message"].as_str().unwrap().contains("boom"), "{record}");
}

#[test]
fn what_is_no_program_is_wrong_usage() {
    let folder = project();
    write(&folder, "a.js", "");
    write(&folder, "latin1.ts", b"return \"\xe9\"");
    write(&folder, "long.ts", " ".repeat(256 * 1024 + 1));
    write(&folder, "fits.mts", " ".repeat(256 * 1024));
    for (path, error) in [
        ("a.js", "does not end in .ts"),
        ("README.md", "does not end in .ts or .py"),
        ("src", "does not end in .ts or .py"),
        ("gone.ts", "the program `gone.ts` could not be read"),
        ("latin1.ts", "is not UTF-8"),
        ("long.ts", "longer than 262,144 bytes"),
    ] {
        run_in(&folder, ["run", path]).fails(2, error);
    }
    run_in(&folder, ["run", "fits.mts"]).exits(0);
    run_in(&folder, ["run", "fits.mts", "-C", "gone"]).fails(2, "the workspace root `gone`");
    for args in [&["run"][..], &["run", "a.ts", "--memory", "1"], &["run", "a.ts", "--timeout", "1"]] {
        run_in(&folder, args).exits(2);
    }
    #[cfg(target_os = "linux")]
    {
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.ts")).unwrap();
        run_in(&folder, ["run", "zero.ts"]).fails(2, "longer than 262,144 bytes");
    }
}

#[test]
fn the_workspace_can_be_another_directory() {
    let (folder, empty) = (project(), tempfile::tempdir().unwrap());
    write(&empty, "count.ts", "return (await tools.glob({ pattern: \"**/*\" })).total");
    let at = folder.path().to_str().unwrap();
    let run = crate::run(toolgate(empty.path()).args(["run", "count.ts", "--workspace", at])).exits(0);
    assert_eq!(run.stdout, "4\n");
}

#[test]
fn readers_that_go_away_are_no_failure() {
    let folder = project();
    write(
        &folder,
        "long.ts",
        "await tools.glob({ pattern: \"*\" }); for (let i = 0; i < 9000; i++) console.log(\"x\".repeat(100));",
    );
    let mut command = toolgate(folder.path());
    let mut child =
        command.args(["run", "long.ts"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 8]).unwrap();
    drop(stdout);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));

    // Without standard error the program runs as well.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = toolgate(folder.path()).args(["run", "long.ts"]).stderr(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 9000 * 101));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = project();
    write(&folder, "a.ts", "return 1");
    for args in [&["run", "a.ts"][..], &["run", "a.ts", "--json"], &["sdk", "--lang", "ts"]] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let output = toolgate(folder.path()).args(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains("error: ") && stderr.contains("No space left"), "{args:?}: {stderr}");
    }
}
