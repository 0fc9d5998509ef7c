//! The conformance runner: plays the cases of a folder against the library and reports what differs.
//!
//! `conformance/FORMAT.md` in the repository describes the cases. They are data: the runner interprets them through
//! the library's public interface, and no case is known to it by its id. Called by the `conformance` binary and by
//! tests.

mod apart;
mod cases;
mod compare;
mod families;
mod family;
mod language;
mod report;
mod script;

use std::collections::HashSet;
use std::path::Path;

use cases::Read;
pub use cases::ReadError;
pub use compare::Mismatch;
pub use family::{Family, UnknownFamily};
pub use language::{ProgramLanguage, UnknownLanguage};
pub use report::{FailedCase, Failure, Report};
use toolgate_sandbox::WorkerCommand;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The families to run; all of them where none is named.
    pub families: Vec<Family>,
    /// The id of the one case to run; every case where there is none.
    pub case: Option<String>,
    /// The language of the programs that are played.
    pub language: ProgramLanguage,
    /// Where programs in Python run; this binary again unless told otherwise.
    pub worker: WorkerCommand,
}

impl Selection {
    fn has_family(&self, family: Family) -> bool {
        self.families.is_empty() || self.families.contains(&family)
    }

    fn has_case(&self, id: &str) -> bool {
        self.case.as_ref().is_none_or(|case| case == id)
    }
}

/// Runs the selected cases of a folder, one after the other.
///
/// A case that is malformed, panics or hangs is a failed case; the others still run.
///
/// # Errors
/// The folder, or one of its files, cannot be read.
pub fn run(folder: &Path, selection: &Selection) -> Result<Report, ReadError> {
    let mut report = Report::default();
    let mut seen = HashSet::new();
    let Selection { language, worker, .. } = selection;
    for Read { family, id, case } in cases::read_folder(folder)? {
        let is_new = seen.insert(id.clone());
        if !selection.has_family(family) || !selection.has_case(&id) {
            continue;
        }
        match case {
            Err(malformed) => report.failed(&id, "", malformed.into()),
            Ok(case) if !is_new => {
                report.failed(&id, &case.title, Failure::Malformed("the id is used twice".to_owned()));
            }
            Ok(case) => match families::reason_to_skip(&case, *language) {
                Some(reason) => report.skipped(reason),
                None => {
                    let (title, language, worker) = (case.title.clone(), *language, worker.clone());
                    report.ran(&id, &title, apart::run(move || families::run(&case, language, worker)))
                }
            },
        }
    }
    Ok(report)
}
