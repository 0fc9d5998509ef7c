//! `toolgate run` of programs in Python, in a build that has it and in one that has not.

use crate::{Run, project, run_in, run_with_input, write};

/// Runs a program that is given on standard input.
fn program(source: &str, more: &[&str]) -> Run {
    run_with_input(&project(), &[&["run", "-", "--lang", "py"], more].concat(), source.as_bytes())
}

#[test]
#[cfg(not(feature = "python"))]
fn a_build_without_python_says_how_to_get_it() {
    let folder = project();
    write(&folder, "a.py", "print(1)\n");
    for run in [run_in(&folder, ["run", "a.py"]), program("print(1)\n", &[])] {
        let run = run.fails(2, "is Python, and this build runs no Python");
        assert!(
            run.stderr
                .contains("\nhint: build it with Python: `cargo run --release --features python -- run")
        );
    }
}

#[cfg(feature = "python")]
mod built_in {
    use super::{Run, program, project, run_in, write};

    const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/todo_report.py");

    /// The names of the calls that were shown.
    fn calls(run: &Run) -> Vec<&str> {
        run.stderr.lines().filter_map(|line| line.strip_prefix("run:code:")?.split("  ").nth(1)).collect()
    }

    #[test]
    fn the_example_says_the_same_in_both_languages() {
        let run = run_in(&project(), ["run", REPORT]).exits(0);
        assert_eq!(
            run.stdout,
            "2 marked lines in 2 files\n\n\
             src/lib.rs (1 lines)\n     1  // TODO: write\n\
             src/main.rs (3 lines)\n     2  // TODO: begin\n"
        );
        assert_eq!(
            run.stdout,
            run_in(&project(), ["run", &REPORT.replace("todo_report.py", "todo-report.ts")]).stdout
        );
        let shown: Vec<_> =
            calls(&run).iter().map(|call| call.split(' ').next().unwrap_or_default().to_owned()).collect();
        assert_eq!(shown, ["grep", "read", "read"], "{run:#?}");
    }

    #[test]
    fn what_is_printed_and_returned_goes_to_standard_output() {
        for (source, stdout) in [
            ("print('a', 1)\nreturn 'b'", "a 1\nb\n"),
            ("return {'a': [1]}", "{\n  \"a\": [\n    1\n  ]\n}\n"),
            ("return None", "null\n"),
            ("return 9007199254740993", "9007199254740993\n"),
            ("print('\\x1b[31m\\u202e\\nerror: forged')", "\\x1b[31m\\u{202e}\nerror: forged\n"),
            ("", ""),
        ] {
            let run = program(source, &[]).exits(0);
            assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (stdout, ""), "{source}");
        }
        let folder = project();
        write(&folder, "program", "return 1");
        assert_eq!(run_in(&folder, ["run", "program", "--lang", "py"]).exits(0).stdout, "1\n");
    }

    #[test]
    fn a_failure_points_at_the_line_of_the_author() {
        let folder = project();
        let source = "def f(x):\n    return 日(x)\n\nprint(\"before\")\nif True:\n\tf(tools['read'])\n";
        write(&folder, "fails.py", source);
        let run = run_in(&folder, ["run", "fails.py"]).exits(1);
        assert_eq!(run.stdout, "before\n");
        let lines: Vec<_> = run.stderr.lines().collect();
        assert!(lines[0].starts_with("error: the program failed (exception): NameError: "), "{run:#?}");
        assert_eq!(lines[1], "  fails.py:2:12", "{run:#?}");
        assert_eq!(lines[2], "      return 日(x)");
        assert_eq!(lines[3], "             ^");
        assert!(lines[4].starts_with("hint: run `toolgate sdk --lang py`"), "{run:#?}");
        assert_eq!(lines[5], "hint: run `toolgate explain CODE_RUN_FAILED` to know more");

        let run = program("x = await tools.read({'file_path': 'gone'})", &[]).exits(1);
        assert!(
            run.stderr.contains("\nerror: the program failed (exception): ToolCallError: `gone`"),
            "{run:#?}"
        );
        assert!(run.stderr.contains("\n  standard input:1:5\n"), "{run:#?}");
    }

    #[test]
    fn every_kind_of_failure_is_named_and_advised() {
        for (source, more, error, hint) in [
            ("class A(B):\n    pass", &[][..], "(exception): SyntaxError", "docs/python.md"),
            ("return )", &[], "(exception): SyntaxError", "docs/python.md"),
            ("import csv", &[], "(exception): ModuleNotFoundError", "docs/python.md"),
            ("while True:\n    pass", &["--timeout", "500ms"], "(timeout): ", "--timeout"),
            ("return {1}", &[], "(invalid-output): ", "dictionaries"),
            ("return 'x' * 2 ** 21", &[], "(output-limit): ", "return less"),
            ("a = []\nwhile True:\n    a.append('x' * 999)", &["--memory", "4M"], "(memory): ", "--memory"),
            ("await tools.glob({'pattern': 'none'})", &["--max-calls", "0"], "(limit): ", "--max-calls"),
        ] {
            let run = program(source, more).fails(1, error);
            assert!(run.stderr.contains(hint), "{source}: {run:#?}");
        }
    }
}
