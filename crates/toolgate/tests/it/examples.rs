//! Every example runs and prints what its header promises.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The promise of an example: the text block below `Prints:` in its header.
fn promised(source: &str) -> String {
    source
        .lines()
        .skip_while(|line| *line != "//! ```text")
        .skip(1)
        .take_while(|line| *line != "//! ```")
        .map(|line| format!("{}\n", line.trim_start_matches("//!").trim_start()))
        .collect()
}

/// Cargo builds examples beside the test binaries.
fn built(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("this test is a file");
    let profile = tests.parent().and_then(Path::parent).expect("target/<profile>/deps");
    profile.join("examples").join(name)
}

#[test]
fn every_example_prints_what_it_promises() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(".rs")) else {
            continue;
        };
        let promise = promised(&std::fs::read_to_string(&path).expect("a source"));
        assert!(!promise.is_empty(), "{name} promises nothing");
        let program = built(name);
        assert!(program.exists(), "{name} is not built; hint: run `cargo test -p toolgate` without `--test`");
        let output = Command::new(program).output().expect("it starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), promise, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 6);
}
