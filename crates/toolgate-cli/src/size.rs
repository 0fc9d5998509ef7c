//! Amounts of memory as they are written on the command line: a whole number and a unit.

/// Less than this, and the language itself does not fit.
const LEAST: u64 = 1 << 20;
/// As much as one program may ever have.
const MOST: u64 = 2 << 30;

/// Reads `512K`, `64M` or `1G`; the units are powers of 1,024 bytes.
///
/// # Errors
/// Says which form is expected when the text has another or is out of range.
pub(crate) fn parse(text: &str) -> Result<usize, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let bytes_each: u64 = match unit {
        "K" | "k" | "KiB" => 1 << 10,
        "M" | "m" | "MiB" => 1 << 20,
        "G" | "g" | "GiB" => 1 << 30,
        _ => return Err("expected a whole number and a unit, such as 64M or 1G".to_owned()),
    };
    let Ok(number) = number.parse::<u64>() else {
        return Err("expected a whole number before the unit, such as 64M".to_owned());
    };
    let bytes = number.checked_mul(bytes_each).filter(|bytes| (LEAST..=MOST).contains(bytes));
    let bytes = bytes.ok_or_else(|| "a program's memory is between 1M and 2G".to_owned())?;
    usize::try_from(bytes).map_err(|_| "this machine has no such memory".to_owned())
}

/// The size in the form that [`parse`] reads. What it gives was read in units of 1,024 bytes.
pub(crate) fn text_of(bytes: usize) -> String {
    format!("{}K", bytes >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [("64M", 64 << 20), ("1024K", 1 << 20), ("2G", 2_usize << 30), ("8MiB", 8 << 20)]
        {
            assert_eq!(parse(text), Ok(bytes), "{text}");
            assert_eq!(parse(&text_of(bytes)), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "64", "M", "0M", "1K", "-1M", "1.5M", "64 M", "3G", "99999999999999999999M", "64MB", "1T"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
