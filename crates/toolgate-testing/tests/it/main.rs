//! The conformance cases of the repository, and the runner's own ability to fail.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing helper fails its test"
)]

mod command_line;
mod failing_cases;
mod repository_cases;
mod tidy;

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolgate_testing::conformance::{self, Report, Selection};

/// The cases of the repository.
fn repository_cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases")
}

/// A folder with one file of cases.
fn folder_with(family: &str, cases: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(format!("{family}.json")), cases.to_string()).unwrap();
    folder
}

/// Plays one file of cases.
fn play(family: &str, cases: &Value) -> Report {
    conformance::run(folder_with(family, cases).path(), &Selection::default()).unwrap()
}
