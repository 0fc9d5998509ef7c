//! Keeps contents in files and finds them again. Blocking; called from threads where that is allowed.
//!
//! It decides who may know of a handle, by scope; whether policy lets the reader have it is asked by
//! [`super::access`].

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::de::IgnoredAny;
use toolgate::{JsonValue, ParseLimits, Scope};

use super::config::Quota;
use super::entry::{Body, Entry, File, Form, Origin};
use super::error::SpillError;
use super::folder::{RunFolder, SpillFolderError};
use super::handle::SpillHandle;
use super::shelf::{Found, NoRoom, Shelf};

/// How many times longer than its compact text indented JSON may be.
const MOST_INDENTED: u64 = 4;

/// Tells the time.
pub(super) type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// The contents that this process keeps. Dropping it removes them.
pub(super) struct SpillStore {
    folder: RunFolder,
    shelf: Mutex<Shelf>,
    clock: Clock,
}

/// A content could not be kept. It stays where it was.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeepError {
    #[error("it could not be written")]
    Io(#[from] io::Error),
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}

impl SpillStore {
    pub(super) fn open(folder: &Path, quota: Quota, clock: Clock) -> Result<Self, SpillFolderError> {
        Ok(Self { folder: RunFolder::open(folder)?, shelf: Mutex::new(Shelf::new(quota)), clock })
    }

    /// Keeps a content. What is older goes where there is no room otherwise.
    pub(super) fn keep(&self, origin: &Origin, body: &Body) -> Result<Entry, KeepError> {
        let handle = SpillHandle::draw().map_err(io::Error::other)?;
        let (form, text_bytes) = form_of(body);
        let mut entry = Entry {
            handle,
            number: 0,
            owner: origin.owner,
            tool: Arc::clone(&origin.tool),
            access: origin.access,
            text_bytes,
            value_bytes: value_of(body).map(compact_bytes),
            call_bytes: compact_bytes(&origin.arguments),
            form,
        };
        let mut removed = Vec::new();
        let number = self.lock().reserve(entry.bytes(), (self.clock)(), &mut removed);
        self.remove_files(&removed);
        entry.number = number?;
        match self.write(&entry, origin, body) {
            Ok(()) => {
                self.lock().put(entry.clone(), (self.clock)());
                Ok(entry)
            }
            Err(error) => {
                self.lock().release(entry.bytes());
                self.remove_files(std::slice::from_ref(&entry));
                Err(error.into())
            }
        }
    }

    /// Takes back what nobody has been told of.
    pub(super) fn discard(&self, entry: &Entry) {
        let taken = self.lock().take(entry.handle);
        self.remove_files(taken.as_slice());
    }

    /// What is kept under a handle, if the reader may know of it.
    pub(super) fn find(&self, handle: SpillHandle, reader: Option<&Scope>) -> Result<Entry, SpillError> {
        let mut removed = Vec::new();
        let found = self.lock().find(handle, reader, (self.clock)(), &mut removed);
        self.remove_files(&removed);
        match found {
            Found::Kept(entry) => Ok(entry),
            Found::Gone => Err(SpillError::Expired),
            Found::Unknown => Err(SpillError::Unknown),
        }
    }

    /// A file of a kept content.
    pub(super) fn open_file(&self, entry: &Entry, file: File) -> Result<fs::File, SpillError> {
        self.folder.read(&file.name(entry.number)).map_err(|error| {
            // It made room for something else a moment ago.
            let is_gone = error.kind() == io::ErrorKind::NotFound;
            if is_gone { SpillError::Expired } else { SpillError::Unreadable(error) }
        })
    }

    /// The arguments of the call that a content came from.
    pub(super) fn arguments(&self, entry: &Entry) -> Result<JsonValue, SpillError> {
        let text = io::read_to_string(self.open_file(entry, File::Call)?).map_err(SpillError::Unreadable)?;
        JsonValue::parse_with(&text, ParseLimits::unbounded())
            .map_err(|error| SpillError::Unreadable(io::Error::other(error)))
    }

    fn write(&self, entry: &Entry, origin: &Origin, body: &Body) -> io::Result<()> {
        let name = |file: File| file.name(entry.number);
        self.folder.write(&name(File::Text), |out| write_text(out, body, &entry.form))?;
        if let Some(value) = value_of(body) {
            self.folder.write(&name(File::Value), |out| write!(out, "{value}"))?;
        }
        self.folder.write(&name(File::Call), |out| write!(out, "{}", origin.arguments))
    }

    fn remove_files(&self, entries: &[Entry]) {
        for name in entries.iter().flat_map(Entry::files) {
            self.folder.remove(&name);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        // The shelf is whole between any two of its steps.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The form to keep a content in, and how long its text then is.
fn form_of(body: &Body) -> (Form, u64) {
    match body {
        Body::Text(text, _) if is_json(text) => (Form::JsonText, text.len() as u64),
        Body::Text(text, _) => (Form::Text, text.len() as u64),
        Body::Value { value, compact_bytes } => {
            let most = compact_bytes.saturating_mul(MOST_INDENTED);
            let mut counter = Counter { bytes: 0, most };
            match write!(counter, "{value:#}") {
                Ok(()) => (Form::Indented, counter.bytes),
                Err(_) => (Form::Compact, *compact_bytes),
            }
        }
        Body::Image { data, media_type } => (Form::Image(media_type.clone()), data.len() as u64),
    }
}

/// Whether a text is a JSON list or object.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn value_of(body: &Body) -> Option<&JsonValue> {
    match body {
        Body::Text(_, value) => value.as_ref(),
        Body::Value { .. } | Body::Image { .. } => None,
    }
}

fn write_text(out: &mut dyn io::Write, body: &Body, form: &Form) -> io::Result<()> {
    match body {
        Body::Text(text, _) => out.write_all(text.as_bytes()),
        Body::Value { value, .. } if *form == Form::Indented => write!(out, "{value:#}"),
        Body::Value { value, .. } => write!(out, "{value}"),
        Body::Image { data, .. } => out.write_all(data.as_bytes()),
    }
}

/// How long the compact text of a value is.
fn compact_bytes(value: &JsonValue) -> u64 {
    let mut counter = Counter { bytes: 0, most: u64::MAX };
    // Counting to the largest number does not fail.
    let _ = write!(counter, "{value}");
    counter.bytes
}

/// Counts what is written to it, and refuses to go beyond a limit.
struct Counter {
    bytes: u64,
    most: u64,
}

impl io::Write for Counter {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.bytes = self.bytes.saturating_add(part.len() as u64);
        if self.bytes > self.most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(part.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
