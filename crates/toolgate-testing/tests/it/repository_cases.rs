//! Every case of the repository passes, and every one of them can fail.

use std::collections::BTreeMap;

use serde_json::Value;
use toolgate_sandbox::WorkerCommand;
use toolgate_testing::conformance::{self, Family, ProgramLanguage, Report, Selection};

use crate::{folder_with, repository_cases};

fn play_repository(selection: &Selection) -> Report {
    conformance::run(&repository_cases(), selection).unwrap()
}

#[test]
fn every_case_passes_or_is_skipped_for_a_known_reason() {
    let report = play_repository(&Selection::default());

    assert!(report.failures().is_empty(), "{report}");
    assert!(report.passed() > 0);
    let reasons: Vec<_> = report.skips().keys().map(String::as_str).collect();
    assert_eq!(reasons, ["requires raw-content", "requires unchecked-decisions"]);
}

#[test]
fn a_selection_plays_only_what_it_names() {
    let family = Selection { families: vec![Family::DslCompile], ..Selection::default() };
    assert_eq!(play_repository(&family).passed(), cases_of("dsl-compile").len());

    let case = Selection { case: Some("pl-p-001".to_owned()), ..Selection::default() };
    assert_eq!(play_repository(&case).passed(), 1);

    let nothing = Selection { families: vec![Family::Registry], ..case };
    assert!(!play_repository(&nothing).is_success(), "a run without a case is no success");
}

/// The code-mode family with its programs in Python, in workers of the `conformance` binary.
fn play_python() -> (Report, usize) {
    let selection = Selection {
        families: vec![Family::CodeMode],
        language: ProgramLanguage::Python,
        worker: WorkerCommand {
            program: env!("CARGO_BIN_EXE_conformance").into(),
            arguments: vec!["sandbox-worker".into()],
        },
        ..Selection::default()
    };
    (play_repository(&selection), cases_of("code-mode").len())
}

#[test]
#[cfg(not(feature = "python"))]
fn without_python_no_program_in_it_is_played() {
    let (report, cases) = play_python();
    let skips: Vec<_> = report.skips().iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
    assert_eq!(skips, [("the python sandbox is not built in", cases)]);
    assert_eq!(report.passed(), 0);
}

#[test]
#[cfg(feature = "python")]
fn every_program_in_python_passes_or_is_skipped_for_a_known_reason() {
    let (report, cases) = play_python();
    assert!(report.failures().is_empty(), "{report}");
    let skips: Vec<_> = report.skips().iter().map(|(reason, count)| (reason.as_str(), *count)).collect();
    assert_eq!(skips, [("a program is not written in python", 7), ("requires tool-error in python", 8)]);
    assert_eq!(report.passed(), cases - 15);
}

#[test]
fn every_case_notices_a_changed_expectation() {
    for family in Family::ALL.map(Family::as_str) {
        let mut cases = cases_of(family);
        for case in &mut cases {
            change_expectation(case);
        }
        let folder = folder_with(family, &Value::from(cases.clone()));
        let report = conformance::run(folder.path(), &Selection::default()).unwrap();

        let skipped: usize = report.skips().values().sum();
        let failed: BTreeMap<_, _> = report.failures().iter().map(|case| (&*case.id, &case.title)).collect();
        assert_eq!(report.passed(), 0, "{family}: {failed:?}");
        assert_eq!(failed.len() + skipped, cases.len(), "{family}");
    }
}

fn cases_of(family: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(repository_cases().join(format!("{family}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Turns the first yes or no of an expectation round; in a registry case, replaces the first observation.
fn change_expectation(case: &mut Value) {
    if let Some(steps) = case.get_mut("steps") {
        let observed = steps.as_array_mut().unwrap().iter_mut().find_map(|step| step.get_mut("expect"));
        *observed.unwrap() = Value::from("something else");
    } else {
        assert!(negate_first(&mut case["expect"]), "{case}");
    }
}

fn negate_first(value: &mut Value) -> bool {
    match value {
        Value::Bool(answer) => {
            *answer = !*answer;
            true
        }
        Value::Array(items) => items.iter_mut().any(negate_first),
        Value::Object(members) => members.values_mut().any(negate_first),
        Value::Null | Value::Number(_) | Value::String(_) => false,
    }
}
