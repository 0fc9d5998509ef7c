//! Durations as they are written on the command line: a whole number and a unit.

use std::time::Duration;

/// Reads `500ms`, `10s`, `2m` or `1h`.
///
/// # Errors
/// Says which form is expected when the text has another, is zero or is out of range.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
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
pub(crate) fn text_of(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    match milliseconds {
        ms if ms % 60_000 == 0 => format!("{}m", ms / 60_000),
        ms if ms % 1_000 == 0 => format!("{}s", ms / 1_000),
        ms => format!("{ms}ms"),
    }
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
