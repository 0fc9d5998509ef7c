//! JSON text from a value of any depth, compact or indented.
//!
//! Called by `Display`, `Debug` and `to_text`. It never recurses and allocates only its list of open containers.

use std::fmt::{self, Write};

use serde_json::{Number, Value, map};

use super::scan::plain_run;

/// Deepest indentation in levels. Below it lines stop moving to the right, so that indented text of a deep value
/// stays linear in the value.
const INDENTED_LEVELS: usize = 64;

/// Writes compact text, or indented text when the formatter asks for the alternate form.
pub(super) fn write(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    let style = if f.alternate() { Style::Indented } else { Style::Compact };
    write_value(f, value, style)
}

/// A value of any depth as indented JSON text, two spaces for each level.
#[must_use]
pub fn indented_text(value: &Value) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = write_value(&mut text, value, Style::Indented);
    text
}

/// Compact text.
pub(super) fn compact(value: &Value) -> String {
    // Room for a scalar, so that the shortest values need one allocation and no growing.
    let mut text = String::with_capacity(24);
    // Writing into a String cannot fail.
    let _ = write_value(&mut text, value, Style::Compact);
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Compact,
    Indented,
}

/// A container that has been opened and not yet closed.
enum Open<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(map::Iter<'a>),
}

/// Integers are what most numbers are, and are written without the general formatting.
fn write_number<W: Write>(out: &mut W, number: &Number) -> fmt::Result {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => out.write_str(itoa::Buffer::new().format(number)),
        (None, Some(number)) => out.write_str(itoa::Buffer::new().format(number)),
        (None, None) => write!(out, "{number}"),
    }
}

fn write_value<W: Write>(out: &mut W, value: &Value, style: Style) -> fmt::Result {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next {
        let mut first = false;
        match value {
            Value::Null => out.write_str("null")?,
            Value::Bool(true) => out.write_str("true")?,
            Value::Bool(false) => out.write_str("false")?,
            Value::Number(number) => write_number(out, number)?,
            Value::String(text) => write_string(out, text)?,
            Value::Array(items) if items.is_empty() => out.write_str("[]")?,
            Value::Object(members) if members.is_empty() => out.write_str("{}")?,
            Value::Array(items) => {
                out.write_char('[')?;
                open.push(Open::Array(items.iter()));
                first = true;
            }
            Value::Object(members) => {
                out.write_char('{')?;
                open.push(Open::Object(members.iter()));
                first = true;
            }
        }
        next = advance(out, &mut open, first, style)?;
    }
    Ok(())
}

/// Writes what stands between two values, closing every container that has ended.
fn advance<'a, W: Write>(
    out: &mut W,
    open: &mut Vec<Open<'a>>,
    mut first: bool,
    style: Style,
) -> Result<Option<&'a Value>, fmt::Error> {
    loop {
        let levels = open.len();
        let (member, close) = match open.last_mut() {
            None => return Ok(None),
            Some(Open::Array(items)) => (items.next().map(|item| (None, item)), ']'),
            Some(Open::Object(members)) => (members.next().map(|(name, value)| (Some(name), value)), '}'),
        };
        let Some((name, value)) = member else {
            open.pop();
            break_line(out, levels - 1, style)?;
            out.write_char(close)?;
            first = false;
            continue;
        };
        if !first {
            out.write_char(',')?;
        }
        break_line(out, levels, style)?;
        if let Some(name) = name {
            write_string(out, name)?;
            out.write_str(if style == Style::Indented { ": " } else { ":" })?;
        }
        return Ok(Some(value));
    }
}

fn break_line<W: Write>(out: &mut W, levels: usize, style: Style) -> fmt::Result {
    if style == Style::Compact {
        return Ok(());
    }
    out.write_char('\n')?;
    for _ in 0..levels.min(INDENTED_LEVELS) / 8 {
        out.write_str("                ")?;
    }
    (0..levels.min(INDENTED_LEVELS) % 8).try_for_each(|_| out.write_str("  "))
}

/// Writes a quoted string, escaping only what JSON requires.
fn write_string<W: Write>(out: &mut W, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let bytes = text.as_bytes();
    let mut start = 0;
    loop {
        let end = plain_run(bytes, start);
        out.write_str(text.get(start..end).unwrap_or_default())?;
        let Some(byte) = bytes.get(end) else { break };
        match byte {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            0x08 => out.write_str("\\b")?,
            0x0c => out.write_str("\\f")?,
            control => write!(out, "\\u{control:04x}")?,
        }
        start = end + 1;
    }
    out.write_char('"')
}
