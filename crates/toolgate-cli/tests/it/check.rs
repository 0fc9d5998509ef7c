//! `toolgate run --check`, with compilers that are scripts: what they are given, and what becomes of what they say.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{Run, project, run, toolgate, write};

/// A project whose `node_modules` have this compiler, or none, and a program.
fn checked(compiler: Option<&str>, program: &str, more: &[&str]) -> (TempDir, Run) {
    let folder = project();
    write(&folder, "program.ts", program);
    if let Some(script) = compiler {
        let path = folder.path().join("node_modules/.bin/tsc");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = toolgate(&folder.path().join("src"));
    command.args(["run", "../program.ts", "--check", "-C", ".."]).args(more).env("PATH", "/usr/bin:/bin");
    let run = run(&mut command);
    (folder, run)
}

#[test]
fn what_is_wrong_is_shown_at_the_authors_line() {
    let says = "test -f sdk.ts -a -f tsconfig.json && grep -q 'declare const tools' sdk.ts || exit 9
        sed -n 2p program.ts > seen; grep -q 'const 😀: string' seen || exit 8
        echo \"program.ts(2,20): error TS2322: Type 'number' is not assignable to type 'string'.\"
        echo \"  Because of that.\"
        exit 2";
    let (_folder, run) = checked(Some(says), "/* 😀 */ const 😀: string = 1;\nreturn 1", &[]);
    let run = run.exits(1);
    assert_eq!(
        run.stderr,
        "error: TS2322: Type 'number' is not assignable to type 'string'.\n         Because of that.\n  \
         ../program.ts:1:18\n  /* 😀 */ const 😀: string = 1;\n     \u{3000}          \u{3000}  ^\n"
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn a_program_without_faults_is_not_run() {
    let (_folder, run) = checked(Some("exit 0"), "await tools.read({ file_path: 'gone' }); return 1", &[]);
    let run = run.exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("../program.ts: no type errors\n", ""));
}

#[test]
fn without_a_compiler_it_says_how_to_get_one() {
    let (_folder, run) = checked(None, "return 1", &[]);
    let run = run.fails(2, "the TypeScript compiler `tsc` is not there");
    assert!(run.stderr.contains("hint: install it with `npm install --save-dev typescript`"), "{run:#?}");
}

#[test]
fn a_compiler_that_fails_or_hangs_is_no_success() {
    let (_folder, run) = checked(Some("echo 'error TS5083: no such file'; exit 1"), "return 1", &[]);
    assert!(run.exits(1).stderr.contains("TS5083"));
    let begun = Instant::now();
    let (_folder, run) = checked(Some("exec sleep 60"), "return 1", &["--timeout", "300ms"]);
    assert!(run.exits(1).stderr.contains("did not end within 300ms"));
    assert!(begun.elapsed() < Duration::from_secs(20));
    // Endless output is read up to a bound.
    let (_folder, run) =
        checked(Some("yes 'program.ts(2,1): error TS1: x'"), "return 1", &["--timeout", "20s"]);
    let run = run.exits(1);
    assert!(run.stderr.lines().count() < 200, "{}", run.stderr.len());
}
