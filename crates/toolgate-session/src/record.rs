//! [`Record`]: an event with its place, its time and its checksum, as one line of JSON text.
//!
//! Every back end keeps these very bytes. The checksum stands at the end and covers all bytes before it, so that a
//! line is checked before anything in it is believed.

use std::io::Write as _;

use serde_json::Value;
use toolgate::{JsonValue, ParseLimits};

use crate::Event;
use crate::event::EventError;

/// `,"crc":"` eight digits `"}`.
const CHECKSUM_LABEL: &[u8] = b",\"crc\":\"";
const CHECKSUM_LENGTH: usize = CHECKSUM_LABEL.len() + 8 + 2;

/// The last place that a session can have: what any reader of JSON takes for the number that it is, and far from where
/// counting on would go wrong. A larger one was never given.
pub(crate) const LAST_PLACE: u64 = (1 << 53) - 1;

/// One event of a session as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The place in the session, from 1 to 2^53 − 1 and without gaps.
    pub seq: u64,
    /// When it was appended: RFC 3339 with an offset.
    pub time: String,
    /// What happened.
    pub event: Event,
}

/// Bytes are not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The checksum is missing or does not fit: the bytes are not those that were written.
    #[error("the checksum does not fit")]
    Checksum,
    /// The bytes are those that were written, and this version cannot read them.
    #[error("the record cannot be read: {0}")]
    Shape(String),
    /// The event cannot be read.
    #[error(transparent)]
    Event(#[from] EventError),
}

impl Record {
    /// The record as one line, without the end of the line.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(256);
        // Writing to memory cannot fail.
        let _ = write!(line, "{{\"seq\":{},\"time\":", self.seq);
        let _ = serde_json::to_writer(&mut line, &self.time);
        let _ = write!(line, ",\"type\":\"{}\",\"data\":", self.event.kind());
        self.event.write_data(&mut line);
        let sum = crc32fast::hash(&line);
        line.extend_from_slice(CHECKSUM_LABEL);
        let _ = write!(line, "{sum:08x}\"}}");
        line
    }

    /// Reads a line, without its end.
    ///
    /// # Errors
    /// [`RecordError`]; [`RecordError::Checksum`] before anything else.
    pub fn from_line(line: &[u8]) -> Result<Self, RecordError> {
        if !is_intact(line) {
            return Err(RecordError::Checksum);
        }
        let value = JsonValue::parse_slice(line, ParseLimits::unbounded())
            .map_err(|error| RecordError::Shape(error.to_string()))?;
        let missing = |field: &str| RecordError::Shape(format!("`{field}` is missing or wrong"));
        let text = |field: &str| value.get(field).and_then(Value::as_str).ok_or_else(|| missing(field));
        let data = value.get("data").and_then(Value::as_object).ok_or_else(|| missing("data"))?;
        Ok(Self {
            seq: value.get("seq").and_then(Value::as_u64).filter(is_place).ok_or_else(|| missing("seq"))?,
            time: text("time")?.to_owned(),
            event: Event::read(text("type")?, data)?,
        })
    }
}

/// Whether the bytes of a line are those that were written.
pub(crate) fn is_intact(line: &[u8]) -> bool {
    let Some((covered, end)) =
        line.len().checked_sub(CHECKSUM_LENGTH).and_then(|at| line.split_at_checked(at))
    else {
        return false;
    };
    let mut expected = CHECKSUM_LABEL.to_vec();
    let _ = write!(expected, "{:08x}\"}}", crc32fast::hash(covered));
    end == expected
}

/// The place of an intact line, without reading the rest of it.
pub(crate) fn seq_of(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"{\"seq\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok().filter(is_place)
}

fn is_place(seq: &u64) -> bool {
    (1..=LAST_PLACE).contains(seq)
}
