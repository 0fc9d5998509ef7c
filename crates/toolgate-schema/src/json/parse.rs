//! The JSON parser: text to value with an explicit stack and exact rules for numbers (rules S4, S6).
//!
//! Called by `JsonValue` and `RawJson`; `parse_token` reads the scalars. It never recurses, never builds a level that the limits refuse, and never
//! changes a value silently: what it cannot represent exactly enough, it refuses with the path.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::path::{Root, Segment, render};

use super::{ParseError, ParseErrorKind, RawJson};

/// How much a text from outside may ask of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Levels of nested lists and objects. A scalar has none, `[]` has one.
    pub max_depth: usize,
    /// Values of every kind, lists and objects included: what a text costs in memory, which its length does not tell.
    pub max_values: usize,
}

impl ParseLimits {
    /// No limit but memory, for texts that this process wrote itself.
    #[must_use]
    pub const fn unbounded() -> Self {
        Self { max_depth: usize::MAX, max_values: usize::MAX }
    }
}

impl Default for ParseLimits {
    /// 1,000 levels and 1,000,000 values.
    fn default() -> Self {
        Self { max_depth: 1_000, max_values: 1_000_000 }
    }
}

/// Whether negative zero may stand in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NegativeZero {
    Refused,
    Accepted,
}

/// Parses one whole text.
pub(super) fn parse(
    text: &str,
    limits: ParseLimits,
    negative_zero: NegativeZero,
) -> Result<RawJson, ParseError> {
    let mut parser =
        Parser { text, bytes: text.as_bytes(), at: 0, limits, negative_zero, open: Vec::new(), values: 0 };
    match parser.document() {
        Ok(value) => Ok(RawJson::from(value)),
        Err(fault) => {
            let path = render(Root::RELATIVE, parser.segments(&fault));
            let error = ParseError::new(fault.kind, parser.bytes, fault.at, path);
            // Finished members of open containers may be deep; their owners drop them without recursion.
            for container in parser.open.drain(..) {
                drop(RawJson::from(container.into_value()));
            }
            Err(error)
        }
    }
}

/// A container whose end has not been read. In an object the last entry is the one being read; its value is null
/// until it is complete.
enum Container {
    Array(Vec<Value>),
    Object(Map<String, Value>),
}

impl Container {
    fn into_value(self) -> Value {
        match self {
            Self::Array(items) => Value::Array(items),
            Self::Object(members) => Value::Object(members),
        }
    }
}

/// Where a fault lies, seen from the innermost open container.
enum Place {
    /// At the member that is being read.
    Member,
    /// At the container itself.
    Container,
    /// At a key of the container which could not be added to it.
    Key(String),
}

pub(super) struct Fault {
    kind: ParseErrorKind,
    at: usize,
    place: Place,
}

pub(super) type Parsed<T> = Result<T, Box<Fault>>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    limits: ParseLimits,
    pub(super) negative_zero: NegativeZero,
    open: Vec<Container>,
    /// How many values have begun.
    values: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Parsed<Value> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.fault(ParseErrorKind::ByteOrderMark, 0, Place::Container));
        }
        loop {
            let Some(value) = self.value_start()? else { continue };
            if let Some(value) = self.attach(value)? {
                self.skip_space();
                if self.at < self.bytes.len() {
                    // The value is complete and may be deep: give it to an owner that can drop it.
                    drop(RawJson::from(value));
                    return Err(self.fault(ParseErrorKind::TrailingText, self.at, Place::Container));
                }
                return Ok(value);
            }
        }
    }

    /// Reads a scalar or an empty container, or opens a container and returns none.
    fn value_start(&mut self) -> Parsed<Option<Value>> {
        self.skip_space();
        self.values = self.values.saturating_add(1);
        if self.values > self.limits.max_values {
            let kind = ParseErrorKind::TooManyValues { limit: self.limits.max_values };
            return Err(self.member_fault(kind, self.at));
        }
        let value = match self.peek() {
            Some(b'"') => {
                self.at += 1;
                Value::String(self.string()?)
            }
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b'{') => return self.open_object(),
            Some(b'[') => return self.open_array(),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.member_fault(ParseErrorKind::ExpectedValue, self.at)),
            None => return Err(self.member_fault(ParseErrorKind::UnexpectedEnd, self.at)),
        };
        Ok(Some(value))
    }

    fn open_array(&mut self) -> Parsed<Option<Value>> {
        self.enter()?;
        if self.eat(b']') {
            return Ok(Some(Value::Array(Vec::new())));
        }
        self.open.push(Container::Array(Vec::new()));
        Ok(None)
    }

    fn open_object(&mut self) -> Parsed<Option<Value>> {
        self.enter()?;
        if self.eat(b'}') {
            return Ok(Some(Value::Object(Map::new())));
        }
        self.open.push(Container::Object(Map::new()));
        self.key()?;
        Ok(None)
    }

    /// Refuses a level that the limits do not allow; otherwise skips its opening byte and space.
    fn enter(&mut self) -> Parsed<()> {
        if self.open.len() >= self.limits.max_depth {
            return Err(self.member_fault(ParseErrorKind::TooDeep { limit: self.limits.max_depth }, self.at));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Puts a value into its container, closes containers that end here, and returns the document when the
    /// outermost one is complete. Otherwise the next value is due.
    fn attach(&mut self, mut value: Value) -> Parsed<Option<Value>> {
        loop {
            let (end, is_object) = match self.open.last_mut() {
                None => return Ok(Some(value)),
                Some(Container::Array(items)) => {
                    items.push(value);
                    (b']', false)
                }
                Some(Container::Object(members)) => {
                    if let Some(place) = members.values_mut().next_back() {
                        *place = value;
                    }
                    (b'}', true)
                }
            };
            self.skip_space();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if is_object {
                        self.skip_space();
                        self.key()?;
                    }
                    return Ok(None);
                }
                Some(byte) if byte == end => {
                    self.at += 1;
                    match self.open.pop() {
                        Some(container) => value = container.into_value(),
                        None => return Ok(None),
                    }
                }
                Some(_) => {
                    return Err(self.fault(ParseErrorKind::ExpectedCommaOrEnd, self.at, Place::Container));
                }
                None => return Err(self.fault(ParseErrorKind::UnexpectedEnd, self.at, Place::Container)),
            }
        }
    }

    /// Reads a key and its colon, and adds the entry with a null that its value will replace.
    fn key(&mut self) -> Parsed<()> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.at += 1,
            Some(_) => return Err(self.fault(ParseErrorKind::ExpectedKey, start, Place::Container)),
            None => return Err(self.fault(ParseErrorKind::UnexpectedEnd, start, Place::Container)),
        }
        let name = self.string().map_err(|mut fault| {
            fault.place = Place::Container;
            fault
        })?;
        let mut twice = None;
        if let Some(Container::Object(members)) = self.open.last_mut() {
            match members.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(Value::Null);
                }
                Entry::Occupied(entry) => twice = Some(entry.key().clone()),
            }
        }
        if let Some(name) = twice {
            return Err(self.fault(ParseErrorKind::DuplicateKey, start, Place::Key(name)));
        }
        self.skip_space();
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.member_fault(ParseErrorKind::ExpectedColon, self.at)),
            None => Err(self.member_fault(ParseErrorKind::UnexpectedEnd, self.at)),
        }
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        if there {
            self.at += 1;
        }
        there
    }

    #[cold]
    pub(super) fn member_fault(&self, kind: ParseErrorKind, at: usize) -> Box<Fault> {
        self.fault(kind, at, Place::Member)
    }

    #[cold]
    fn fault(&self, kind: ParseErrorKind, at: usize, place: Place) -> Box<Fault> {
        Box::new(Fault { kind, at, place })
    }

    /// The way from the root to a fault.
    fn segments<'a>(&'a self, fault: &'a Fault) -> impl Iterator<Item = Segment<&'a str>> {
        let members = match fault.place {
            Place::Member => self.open.len(),
            // The innermost container contributes no member of its own.
            Place::Container | Place::Key(_) => self.open.len().saturating_sub(1),
        };
        let key = match &fault.place {
            Place::Member | Place::Container => None,
            Place::Key(name) => Some(Segment::Key(name.as_str())),
        };
        let open = self.open.iter().take(members).map(|container| match container {
            Container::Array(items) => Segment::Index(items.len()),
            Container::Object(entries) => Segment::Key(entries.keys().next_back().map_or("", String::as_str)),
        });
        open.chain(key)
    }
}
