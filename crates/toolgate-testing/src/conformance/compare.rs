//! Comparison of what a case expects with what was observed, at any depth, and how a difference is shown.

use std::fmt::{self, Write as _};

use serde_json::Value;
use toolgate_schema::RawJson;

use super::cases::copy;

/// How much of one side of a difference is shown.
const SHOWN_CHARS: usize = 600;
const SHOWN_LINES: usize = 12;

/// One place where the observation is not what the case expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where, as a path into the case's expectation.
    pub place: String,
    /// What the case expects there.
    pub expected: String,
    /// What was observed there.
    pub got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}", self.place)?;
        for (label, text) in [("expected", &self.expected), ("got     ", &self.got)] {
            for line in text.lines() {
                writeln!(f, "    {label} {line}")?;
            }
        }
        Ok(())
    }
}

/// Collects differences.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    mismatches: Vec<Mismatch>,
}

impl Comparison {
    pub(super) fn into_mismatches(self) -> Vec<Mismatch> {
        self.mismatches
    }

    /// Notes a difference that was found elsewhere.
    pub(super) fn differs(&mut self, place: impl Into<String>, expected: &str, got: &str) {
        self.mismatches.push(Mismatch { place: place.into(), expected: shown(expected), got: shown(got) });
    }

    /// Compares two values: numbers by value, key order irrelevant. Only the first difference is kept.
    pub(super) fn json(&mut self, place: &str, expected: &Value, got: &Value) {
        if let Some((path, expected, got)) = first_difference(expected, got) {
            self.differs(format!("{place}{path}"), &text_of(expected), &text_of(got));
        }
    }

    /// Compares two values either of which may be absent.
    pub(super) fn optional(&mut self, place: &str, expected: Option<&Value>, got: Option<&Value>) {
        match (expected, got) {
            (Some(expected), Some(got)) => self.json(place, expected, got),
            (None, None) => {}
            (expected, got) => self.differs(place, &text_of(expected), &text_of(got)),
        }
    }

    /// Compares two lists of lines; both are shown from the first line that differs.
    pub(super) fn lines(&mut self, place: &str, expected: &[String], got: &[String]) {
        let same = expected.iter().zip(got).take_while(|(expected, got)| expected == got).count();
        if same < expected.len().max(got.len()) {
            let rest = |lines: &[String]| {
                let rest = lines.get(same..).unwrap_or_default();
                let mut text = rest.iter().take(SHOWN_LINES).cloned().collect::<Vec<_>>().join("\n");
                if rest.is_empty() {
                    text.push_str("(nothing more)");
                } else if rest.len() > SHOWN_LINES {
                    text.push_str("\n…");
                }
                text
            };
            self.differs(format!("{place}[{same}..]"), &rest(expected), &rest(got));
        }
    }
}

/// A step on the way from the root to a place.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The way to a place, as links to the places above it.
type Trail<'a> = Vec<(Option<usize>, Step<'a>)>;

/// One side of a difference; absent where only the other side has the place.
type Side<'a> = Option<&'a Value>;

fn first_difference<'a>(expected: &'a Value, got: &'a Value) -> Option<(String, Side<'a>, Side<'a>)> {
    let mut trail: Trail<'a> = Vec::new();
    let mut open: Vec<(Option<usize>, Side<'a>, Side<'a>)> = vec![(None, Some(expected), Some(got))];
    while let Some((at, expected, got)) = open.pop() {
        let mut go_on = |step, expected, got| {
            trail.push((at, step));
            open.push((Some(trail.len().saturating_sub(1)), expected, got));
        };
        match (expected, got) {
            (Some(Value::Object(expected)), Some(Value::Object(got))) => {
                for (name, value) in got.iter().filter(|(name, _)| !expected.contains_key(*name)).rev() {
                    go_on(Step::Key(name), None, Some(value));
                }
                for (name, value) in expected.iter().rev() {
                    go_on(Step::Key(name), Some(value), got.get(name));
                }
            }
            (Some(Value::Array(expected)), Some(Value::Array(got))) => {
                for index in (0..expected.len().max(got.len())).rev() {
                    go_on(Step::Index(index), expected.get(index), got.get(index));
                }
            }
            (Some(left), Some(right)) if scalars_equal(left, right) => {}
            (expected, got) => return Some((path_text(&trail, at), expected, got)),
        }
    }
    None
}

/// Whether both are scalars and equal. Only scalars are copied.
fn scalars_equal(left: &Value, right: &Value) -> bool {
    let is_container = |value: &Value| value.is_object() || value.is_array();
    !is_container(left) && !is_container(right) && RawJson::from(left.clone()) == RawJson::from(right.clone())
}

fn path_text(trail: &Trail<'_>, mut at: Option<usize>) -> String {
    let mut steps = Vec::new();
    while let Some((above, step)) = at.and_then(|at| trail.get(at)) {
        steps.push(*step);
        at = *above;
    }
    let mut text = String::new();
    for step in steps.into_iter().rev() {
        // Writing into a String does not fail.
        let _ = match step {
            Step::Key(name) => write!(text, ".{name}"),
            Step::Index(index) => write!(text, "[{index}]"),
        };
    }
    shown(&text)
}

/// A value as text; deep values are printed without recursion.
fn text_of(value: Option<&Value>) -> String {
    value.map_or_else(|| "(absent)".to_owned(), |value| copy(value).to_string())
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}
