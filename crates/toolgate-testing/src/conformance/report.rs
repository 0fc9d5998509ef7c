//! What a run found, and how it is printed.

use std::collections::BTreeMap;
use std::fmt;

use super::cases::Malformed;
use super::compare::Mismatch;

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    passed: usize,
    failed: Vec<FailedCase>,
    skipped: BTreeMap<String, usize>,
}

/// A case that failed.
#[derive(Clone, Debug)]
pub struct FailedCase {
    /// The case's id, or its place where it has none.
    pub id: String,
    /// The case's title.
    pub title: String,
    /// What went wrong.
    pub failure: Failure,
}

/// Why a case failed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Something is not as the case expects.
    Differs(Vec<Mismatch>),
    /// The case cannot be played as it is written.
    Malformed(String),
    /// The case, or the library, panicked outside of what the library contains.
    Panicked(String),
    /// The case did not end in time.
    Hung,
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed.to_string())
    }
}

impl Report {
    /// How many cases passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.passed
    }

    /// The cases that failed, in the order of the run.
    #[must_use]
    pub fn failures(&self) -> &[FailedCase] {
        &self.failed
    }

    /// How many cases were skipped, by reason.
    #[must_use]
    pub fn skips(&self) -> &BTreeMap<String, usize> {
        &self.skipped
    }

    /// Whether there were cases at all, and none failed.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failed.is_empty() && (self.passed > 0 || !self.skipped.is_empty())
    }

    pub(super) fn ran(&mut self, id: &str, title: &str, outcome: Result<(), Failure>) {
        match outcome {
            Ok(()) => self.passed = self.passed.saturating_add(1),
            Err(failure) => self.failed(id, title, failure),
        }
    }

    pub(super) fn failed(&mut self, id: &str, title: &str, failure: Failure) {
        self.failed.push(FailedCase { id: id.to_owned(), title: title.to_owned(), failure });
    }

    pub(super) fn skipped(&mut self, reason: String) {
        let count = self.skipped.entry(reason).or_default();
        *count = count.saturating_add(1);
    }
}

/// The failed cases, the skips by reason, and the counts as the last line.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in &self.failed {
            writeln!(f, "{case}")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(f, "skipped {count}: {reason}")?;
        }
        let skipped: usize = self.skipped.values().sum();
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed.len())
    }
}

impl fmt::Display for FailedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "FAILED {}  {}", self.id, self.title)?;
        match &self.failure {
            Failure::Differs(mismatches) => {
                mismatches.iter().try_for_each(|mismatch| write!(f, "{mismatch}"))
            }
            Failure::Malformed(reason) => writeln!(f, "  malformed case: {reason}"),
            Failure::Panicked(message) => writeln!(f, "  panicked: {message}"),
            Failure::Hung => writeln!(f, "  did not end in time"),
        }
    }
}
