//! The lock file: one JSON text with servers and tools in order, written whole and put in place by a rename.
//!
//! Every pin is on lines of its own, so that people and version control can merge two files. A pin whose digest is not
//! that of its definition, because a merge or an editor broke it, matches nothing: its tool waits for approval.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde_json::Value;
use toolgate::{JsonValue, ParseError, ParseLimits};

use super::definition::{canonical, digest_of, sorted};
use crate::upstream::Offer;

/// The largest lock file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The only version there is.
const VERSION: i64 = 1;

/// What a tool said of itself when it was trusted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pin {
    digest: String,
    definition: JsonValue,
}

impl Pin {
    pub(super) fn of(offer: &Offer) -> Self {
        let definition = canonical(offer);
        Self { digest: digest_of(&definition), definition }
    }

    /// Whether the two are the same definition.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.digest == other.digest && self.definition == other.definition
    }

    /// The definition: name, description, schemas and hints, with keys in order.
    pub(super) fn definition(&self) -> &JsonValue {
        &self.definition
    }
}

/// The pins of all servers.
pub(super) type Servers = BTreeMap<String, BTreeMap<String, Pin>>;

/// A lock file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockFileError {
    /// It cannot be read.
    #[error("the lock file cannot be read")]
    Read(#[source] io::Error),
    /// It cannot be written.
    #[error("the lock file cannot be written")]
    Write(#[source] io::Error),
    /// It is larger than 64 MiB.
    #[error("the lock file is larger than 64 MiB")]
    TooLarge,
    /// It is not JSON.
    #[error("the lock file is not JSON: {0}; hint: look for marks of a merge that was not finished")]
    Json(#[source] ParseError),
    /// It is no lock file of a version that is known.
    #[error("the lock file has another form than this version writes")]
    Form,
}

/// Reads a file; nothing where there is none.
pub(super) fn read(path: &Path) -> Result<Servers, LockFileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Servers::new()),
        Err(error) => return Err(LockFileError::Read(error)),
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(LockFileError::Read)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(LockFileError::TooLarge);
    }
    let limits = ParseLimits { max_values: usize::MAX, ..ParseLimits::default() };
    let file = JsonValue::parse_slice(&bytes, limits).map_err(LockFileError::Json)?;
    servers(&file).ok_or(LockFileError::Form)
}

fn servers(file: &Value) -> Option<Servers> {
    if file.get("version")?.as_i64()? != VERSION {
        return None;
    }
    let servers = file.get("servers")?.as_object()?.iter();
    servers
        .map(|(server, tools)| {
            let tools = tools.as_object()?.iter();
            let tools = tools.map(|(tool, pin)| {
                let definition = sorted(&JsonValue::copy_of(pin.get("definition")?).ok()?);
                let written = pin.get("sha256")?.as_str()?;
                // A digest that is not the definition's own is kept as it is, so that it matches nothing.
                let digest = if digest_of(&definition) == written { written } else { "" };
                Some((tool.clone(), Pin { digest: digest.to_owned(), definition }))
            });
            Some((server.clone(), tools.collect::<Option<_>>()?))
        })
        .collect()
}

/// Writes a file whole: beside its place, then by a rename.
pub(super) fn write(path: &Path, servers: &Servers) -> Result<(), LockFileError> {
    let tools = |tools: &BTreeMap<String, Pin>| {
        JsonValue::object(tools.iter().map(|(name, pin)| {
            let members = [
                ("sha256".to_owned(), JsonValue::from(pin.digest.as_str())),
                ("definition".to_owned(), pin.definition.clone()),
            ];
            (name.clone(), JsonValue::object(members))
        }))
    };
    let file = JsonValue::object([
        ("version".to_owned(), JsonValue::from(VERSION)),
        (
            "servers".to_owned(),
            JsonValue::object(servers.iter().map(|(name, all)| (name.clone(), tools(all)))),
        ),
    ]);
    put_in_place(path, format!("{file:#}\n").as_bytes()).map_err(LockFileError::Write)
}

fn put_in_place(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_data()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // Nothing is left of an attempt that failed; where even that fails, there is nothing more to do.
        let _ = fs::remove_file(&beside);
    }
    written
}
