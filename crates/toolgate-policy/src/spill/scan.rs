//! Finds the part of a JSON text that a pointer means, by reading over the rest.
//!
//! The text is one that this process wrote or has checked, so this is no parser: it minds strings and brackets. It reads
//! a file once from its start, in blocks, and remembers only the names and brackets on the way, so that any part of any
//! value is found in bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};

use toolgate::Cancellation;

use super::blocking::check;
use super::error::SpillError;
use super::pointer::Pointer;

/// How much is read at once, which nothing interrupts.
const BLOCK: usize = 64 * 1024;

/// How many names of an object are told.
const MOST_NAMES: usize = 50;

/// How long a name is told at most, in bytes. The name on a pointer is compared whatever its length.
const MOST_NAME: usize = 200;

/// What kind of value a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

/// A part of a JSON text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) kind: Kind,
    /// Where it stands, in bytes.
    pub(super) start: u64,
    pub(super) end: u64,
    /// How many members a list or object has.
    pub(super) members: Option<u64>,
    /// The first names of an object.
    pub(super) names: Vec<String>,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}

/// Finds the part of `file` that `pointer` means. Of two members with one name it is the first.
pub(super) fn find(file: File, pointer: &Pointer, cancellation: &Cancellation) -> Result<Part, SpillError> {
    let input = BufReader::with_capacity(BLOCK, file);
    let mut scanner = Scanner { input, at: 0, cancellation };
    for (depth, step) in pointer.steps().iter().enumerate() {
        if let Err(what) = scanner.enter(step)? {
            let way = pointer.steps().iter().take(depth).map(|step| excerpt(step)).collect::<Vec<_>>();
            let place = if way.is_empty() { "the value".to_owned() } else { format!("`/{}`", way.join("/")) };
            return Err(SpillError::NotFound { what: format!("{place} {what}") });
        }
    }
    scanner.part()
}

struct Scanner<'a> {
    input: BufReader<File>,
    /// How much has been read.
    at: u64,
    cancellation: &'a Cancellation,
}

impl Scanner<'_> {
    /// Goes from the container that comes next to its member `step`, or says why there is none.
    fn enter(&mut self, step: &str) -> Result<Result<(), String>, SpillError> {
        match self.kind()? {
            Kind::Object => self.enter_object(step),
            Kind::Array => self.enter_array(step),
            kind @ (Kind::String | Kind::Number | Kind::Boolean | Kind::Null) => {
                Ok(Err(format!("is of kind {} and has no members", kind.as_str())))
            }
        }
    }

    fn enter_object(&mut self, step: &str) -> Result<Result<(), String>, SpillError> {
        let mut names = Vec::new();
        let mut count = 0;
        self.bump()?;
        while self.next_member(b'}', count)? {
            let name = self.name(step.len())?;
            self.expect(b':')?;
            if name.as_deref() == Some(step) {
                return Ok(Ok(()));
            }
            if count < MOST_NAMES as u64 {
                names.push(name.map_or_else(|| "…".to_owned(), |name| excerpt(&name)));
            }
            count += 1;
            self.skip_value()?;
        }
        let shown = names.join("`, `");
        let more = if count > names.len() as u64 { " and others" } else { "" };
        Ok(Err(match count {
            0 => "is an empty object".to_owned(),
            _ => format!("has no member `{}`; it has `{shown}`{more}", excerpt(step)),
        }))
    }

    fn enter_array(&mut self, step: &str) -> Result<Result<(), String>, SpillError> {
        let is_plain =
            step == "0" || (!step.starts_with('0') && step.bytes().all(|byte| byte.is_ascii_digit()));
        let wanted = step.parse::<u64>().ok().filter(|_| is_plain);
        let mut count = 0;
        self.bump()?;
        while self.next_member(b']', count)? {
            if wanted == Some(count) {
                return Ok(Ok(()));
            }
            count += 1;
            self.skip_value()?;
        }
        Ok(Err(format!("is a list of {count} items, counted from 0, and has no item `{}`", excerpt(step))))
    }

    /// The value that comes next, with what is in it.
    fn part(&mut self) -> Result<Part, SpillError> {
        let kind = self.kind()?;
        let start = self.at;
        let (mut count, mut names) = (0, Vec::new());
        let members = match kind {
            Kind::Object => {
                self.bump()?;
                while self.next_member(b'}', count)? {
                    let name = self.name(MOST_NAME)?;
                    if count < MOST_NAMES as u64 {
                        names.push(name.map_or_else(|| "…".to_owned(), |name| excerpt(&name)));
                    }
                    self.expect(b':')?;
                    self.skip_value()?;
                    count += 1;
                }
                Some(count)
            }
            Kind::Array => {
                self.bump()?;
                while self.next_member(b']', count)? {
                    self.skip_value()?;
                    count += 1;
                }
                Some(count)
            }
            Kind::String | Kind::Number | Kind::Boolean | Kind::Null => {
                self.skip_value()?;
                None
            }
        };
        Ok(Part { kind, start, end: self.at, members, names })
    }

    /// Whether another member of an open container follows. Its end is read where not.
    fn next_member(&mut self, end: u8, count: u64) -> Result<bool, SpillError> {
        self.skip_space()?;
        if self.peek()? == Some(end) {
            self.bump()?;
            return Ok(false);
        }
        if count > 0 {
            self.expect(b',')?;
        }
        self.skip_space()?;
        Ok(true)
    }

    fn skip_value(&mut self) -> Result<(), SpillError> {
        match self.kind()? {
            Kind::String => self.skip_string(),
            Kind::Object | Kind::Array => {
                let mut depth = 0_u64;
                loop {
                    match self.peek()?.ok_or_else(damaged)? {
                        b'"' => self.skip_string()?,
                        byte => {
                            self.bump()?;
                            match byte {
                                b'{' | b'[' => depth += 1,
                                b'}' | b']' => depth -= 1,
                                _ => {}
                            }
                        }
                    }
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
            Kind::Number | Kind::Boolean | Kind::Null => {
                while let Some(byte) = self.peek()?
                    && !matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
                {
                    self.bump()?;
                }
                Ok(())
            }
        }
    }

    fn skip_string(&mut self) -> Result<(), SpillError> {
        self.bump()?;
        loop {
            match self.peek()?.ok_or_else(damaged)? {
                b'"' => return self.bump(),
                b'\\' => {
                    self.bump()?;
                    self.bump()?;
                }
                _ => self.bump()?,
            }
        }
    }

    /// The name that comes next; none where it is longer than `most` bytes.
    fn name(&mut self, most: usize) -> Result<Option<String>, SpillError> {
        // A character of one byte may be written as an escape of six.
        let room = most.saturating_mul(6).saturating_add(2);
        let mut raw = Vec::new();
        let mut keep = |byte| {
            if raw.len() <= room {
                raw.push(byte);
            }
        };
        self.skip_space()?;
        self.expect(b'"')?;
        keep(b'"');
        loop {
            let byte = self.peek()?.ok_or_else(damaged)?;
            self.bump()?;
            keep(byte);
            match byte {
                b'"' => break,
                b'\\' => {
                    keep(self.peek()?.ok_or_else(damaged)?);
                    self.bump()?;
                }
                _ => {}
            }
        }
        if raw.len() > room {
            return Ok(None);
        }
        serde_json::from_slice(&raw).map(Some).map_err(|_| damaged())
    }

    /// The kind of the value that comes next.
    fn kind(&mut self) -> Result<Kind, SpillError> {
        self.skip_space()?;
        match self.peek()?.ok_or_else(damaged)? {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b't' | b'f' => Ok(Kind::Boolean),
            b'n' => Ok(Kind::Null),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            _ => Err(damaged()),
        }
    }

    fn skip_space(&mut self) -> Result<(), SpillError> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek()? {
            self.bump()?;
        }
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Result<(), SpillError> {
        self.skip_space()?;
        if self.peek()? == Some(byte) { self.bump() } else { Err(damaged()) }
    }

    fn peek(&mut self) -> Result<Option<u8>, SpillError> {
        if self.input.buffer().is_empty() {
            check(self.cancellation)?;
        }
        Ok(self.input.fill_buf().map_err(SpillError::Unreadable)?.first().copied())
    }

    fn bump(&mut self) -> Result<(), SpillError> {
        if self.input.buffer().is_empty() {
            return self.input.read_exact(&mut [0]).map(|()| self.at += 1).map_err(SpillError::Unreadable);
        }
        self.input.consume(1);
        self.at += 1;
        Ok(())
    }
}

/// The text is not what was written.
fn damaged() -> SpillError {
    SpillError::Unreadable(io::Error::new(io::ErrorKind::InvalidData, "it is not the JSON that was written"))
}

/// A name as a message shows it.
fn excerpt(name: &str) -> String {
    let shown = name.chars().take(60).flat_map(char::escape_debug).collect::<String>();
    if name.chars().nth(60).is_some() { format!("{shown}…") } else { shown }
}
