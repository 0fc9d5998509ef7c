//! What an owner and a supervisor say to each other, over the socket that is the supervisor's standard input.
//!
//! The owner sends an [`Order`] on one line of JSON, and later [`END`] to have the command ended; when it goes away
//! instead, the command is ended too. The supervisor answers with [`News`], a line each. What a piped program is to read
//! cannot be one of the three descriptors that a supervisor is started with: [`handover`](super::handover) sends it along
//! with the order.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toolgate::{JsonValue, ParseLimits};

use crate::confine::Confinement;

/// How a supervisor is started. The program must call [`supervisor_main`](crate::supervisor_main).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupervisorCommand {
    /// The binary.
    pub program: PathBuf,
    /// What it is given.
    pub arguments: Vec<OsString>,
}

impl Default for SupervisorCommand {
    /// This binary again, with the one argument `shell-supervisor`.
    fn default() -> Self {
        // The link stays right when the file was replaced while this process runs.
        let link = PathBuf::from("/proc/self/exe");
        let program =
            if link.exists() { link } else { std::env::current_exe().unwrap_or_else(|_| "toolgate".into()) };
        Self { program, arguments: vec!["shell-supervisor".into()] }
    }
}

/// The byte by which an owner has a command ended.
pub(super) const END: u8 = b'.';

/// What to run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) confinement: Confinement,
    pub(super) most_processes: usize,
    /// The folder of temporary files, to be removed where the owner cannot any more.
    pub(super) scratch: Option<PathBuf>,
    pub(super) manner: Manner,
}

/// How the program is connected, and how it is watched and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Manner {
    /// It reads nothing, prints to one place, and is over soon.
    Command,
    /// It talks over three pipes for as long as the owner likes. The one that it reads comes with the order.
    Piped {
        /// How long it may take to end itself once it is asked to.
        grace_ms: u64,
    },
}

/// What happened.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum News {
    /// The command runs.
    Started,
    /// It never began.
    Refused {
        why: String,
        /// It was the confinement.
        unconfined: bool,
    },
    /// The shell has ended, and so has everything that it had started.
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
        /// How many processes outlived the shell and were ended.
        stragglers: usize,
        /// It was ended because it had too many processes.
        too_many: bool,
        /// How many processes could not be ended.
        left: usize,
    },
}

/// One message as a line.
pub(super) fn line<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut line = JsonValue::encode(message)
        .map_err(|error| io::Error::other(error.to_string()))?
        .to_text()
        .into_bytes();
    line.push(b'\n');
    Ok(line)
}

/// The message of a line.
pub(super) fn message<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    let text = std::str::from_utf8(line).map_err(io::Error::other)?;
    let value = JsonValue::parse_with(text, ParseLimits::unbounded());
    let value = value.map_err(|error| io::Error::other(error.to_string()))?;
    value.decode().map_err(|error| io::Error::other(error.to_string()))
}
