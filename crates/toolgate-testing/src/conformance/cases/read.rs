//! From a folder to cases: which files there are, and the fields that every case has.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use toolgate_schema::{ParseLimits, RawJson};

use super::{Fields, Malformed, copy};
use crate::conformance::Family;

/// The fields that every case may have.
const HEAD: [&str; 6] = ["id", "title", "basis", "checked", "requires", "contested"];

/// A folder of cases that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read", path.display())]
pub struct ReadError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// A case: what all cases have, and the fields of its family.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) family: Family,
    pub(crate) title: String,
    /// The abilities without which it is skipped.
    pub(crate) requires: Vec<Ability>,
    body: RawJson,
}

/// What a case may demand of whoever plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ability {
    /// Content blocks may carry JSON that is not lossless.
    RawContent,
    /// A post decision can replace content and value at once.
    UncheckedDecisions,
    /// There is a policy that enforces timeouts.
    TimeoutPolicy,
}

impl fmt::Display for Ability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RawContent => "raw-content",
            Self::UncheckedDecisions => "unchecked-decisions",
            Self::TimeoutPolicy => "timeout-policy",
        })
    }
}

/// What was read in the place of one case.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) family: Family,
    /// The id, or the place in the file where there is none.
    pub(crate) id: String,
    pub(crate) case: Result<Case, Malformed>,
}

/// Where an expectation comes from, in both fields that say so.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Origin {
    Spec,
    Reference,
    Decision,
    BySpec,
}

/// Reads every family's file that the folder has.
pub(crate) fn read_folder(folder: &Path) -> Result<Vec<Read>, ReadError> {
    let failed = |path: &Path, source| ReadError { path: path.to_owned(), source };
    // A folder that is not there must not look like one without cases.
    fs::read_dir(folder).map_err(|source| failed(folder, source))?;
    let mut cases = Vec::new();
    for family in Family::ALL {
        let path = folder.join(format!("{family}.json"));
        match fs::read_to_string(&path) {
            Ok(text) => cases.extend(read_file(family, &text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&path, error)),
        }
    }
    Ok(cases)
}

fn read_file(family: Family, text: &str) -> Vec<Read> {
    let whole = |reason: String| {
        vec![Read { family, id: format!("{family}.json"), case: Err(Malformed::new(reason)) }]
    };
    match RawJson::parse_with(text, ParseLimits::unbounded()) {
        Err(error) => whole(error.to_string()),
        Ok(file) => match file.as_array() {
            None => whole("a file of cases is a list".to_owned()),
            Some(cases) => {
                cases.iter().enumerate().map(|(index, case)| read_case(family, index, case)).collect()
            }
        },
    }
}

fn read_case(family: Family, index: usize, case: &Value) -> Read {
    let id = case.get("id").and_then(Value::as_str);
    let id = id.map_or_else(|| format!("{family}[{index}]"), str::to_owned);
    Read { family, id, case: Case::new(family, case) }
}

impl Case {
    fn new(family: Family, case: &Value) -> Result<Self, Malformed> {
        let members = case.as_object().ok_or_else(|| Malformed::new("a case is an object"))?;
        let mut fields = Fields::of(members.iter().filter(|(name, _)| HEAD.contains(&name.as_str())))?;
        fields.take::<String>("id")?;
        fields.take::<Origin>("basis")?;
        fields.take::<Origin>("checked")?;
        fields.optional::<String>("contested")?;
        let title = fields.take("title")?;
        let requires = fields.optional("requires")?.unwrap_or_default();
        Ok(Self { family, title, requires, body: copy(case) })
    }

    /// The fields of the family.
    pub(crate) fn fields(&self) -> Result<Fields, Malformed> {
        let members = self.body.as_object().into_iter().flatten();
        Fields::of(members.filter(|(name, _)| !HEAD.contains(&name.as_str())))
    }
}
