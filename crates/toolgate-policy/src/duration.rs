//! Durations as people write them, on a command line and in a configuration: a whole number and a unit.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Reads `500ms`, `10s`, `2m` or `1h`.
///
/// # Errors
/// Says which form is expected when the text has another, is zero or is out of range.
pub fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let milliseconds_each: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("expected a whole number and a unit, such as 500ms, 10s, 2m or 1h".to_owned()),
    };
    let Ok(number) = number.parse::<u64>() else {
        return Err("expected a whole number before the unit, such as 10s".to_owned());
    };
    match number.checked_mul(milliseconds_each) {
        Some(0) => Err("a duration must be longer than zero".to_owned()),
        Some(milliseconds) if milliseconds <= LONGEST_MS => Ok(Duration::from_millis(milliseconds)),
        Some(_) | None => Err("a duration is at most 8760h".to_owned()),
    }
}

/// A year: longer than any call, and far from what a timer cannot represent.
const LONGEST_MS: u64 = 8_760 * 3_600_000;

/// The duration in the form that [`parse`] reads, in the largest unit that is exact.
#[must_use]
pub fn text_of(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    match milliseconds {
        ms if ms % 60_000 == 0 => format!("{}m", ms / 60_000),
        ms if ms % 1_000 == 0 => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
}

/// A duration that is read from text.
struct Written(Duration);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map(Self).map_err(|expected| D::Error::custom(format!("{text:?}: {expected}")))
    }
}

/// Reads a duration of a configuration.
pub(crate) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Ok(Written::deserialize(deserializer)?.0)
}

/// Reads a duration that may be left out.
pub(crate) fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    one(deserializer).map(Some)
}

/// Reads a table of durations.
pub(crate) fn table<'de, D>(deserializer: D) -> Result<BTreeMap<String, Duration>, D::Error>
where
    D: Deserializer<'de>,
{
    let table = BTreeMap::<String, Written>::deserialize(deserializer)?;
    Ok(table.into_iter().map(|(name, Written(duration))| (name, duration)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for (text, milliseconds, again) in [
            ("500ms", 500, "500ms"),
            ("10s", 10_000, "10s"),
            ("2m", 120_000, "2m"),
            ("90s", 90_000, "90s"),
            ("1h", 3_600_000, "60m"),
        ] {
            let duration = parse(text).unwrap();
            assert_eq!(duration, Duration::from_millis(milliseconds), "{text}");
            assert_eq!(text_of(duration), again);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "10",
            "s",
            "0s",
            "-1s",
            "1.5s",
            "10 s",
            "10S",
            "99999999999999999999ms",
            "18446744073709551615h",
            "9000h",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
