//! What is shown of a matching line: all of it, or the part around the match.
//!
//! Called by [`super::file`] for each line that is kept. A line may be megabytes long; what leaves here is not.

use std::ops::Range;

/// How much of one line is shown, in bytes.
const SHOWN_BYTES: usize = 500;

/// How much of that stands before the match.
const BEFORE_MATCH: usize = 100;

/// The text of a line without its line ending, cut to the part around `found` when it is long. What is not UTF-8 is
/// replaced.
pub(super) fn excerpt(line: &[u8], found: Range<usize>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= SHOWN_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let latest = line.len() - SHOWN_BYTES;
    let start = character_start(line, found.start.saturating_sub(BEFORE_MATCH).min(latest));
    let end = character_start(line, start + SHOWN_BYTES);
    let shown = String::from_utf8_lossy(line.get(start..end).unwrap_or_default());
    let before = if start > 0 { format!("[{start} bytes …] ") } else { String::new() };
    let after = if end < line.len() { format!(" [… {} bytes]", line.len() - end) } else { String::new() };
    [before.as_str(), &shown, &after].concat()
}

/// The start of the character that the byte at `position` belongs to.
fn character_start(line: &[u8], position: usize) -> usize {
    let is_inner = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    let earliest = position.saturating_sub(3);
    (earliest..=position).rev().find(|at| !is_inner(at)).unwrap_or(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(excerpt(b"one\r\n", 0..1), "one");
        assert_eq!(excerpt(b"one", 0..1), "one");
        assert_eq!(excerpt(b"a\xff", 0..1), "a\u{fffd}");
        let exact = "x".repeat(SHOWN_BYTES);
        assert_eq!(excerpt(exact.as_bytes(), 0..1), exact);
    }

    #[test]
    fn a_long_line_is_shown_around_the_match() {
        let line = format!("{}NEEDLE{}\n", "a".repeat(5000), "b".repeat(5000));
        let shown = excerpt(line.as_bytes(), 5000..5006);
        assert_eq!(
            shown,
            format!("[4900 bytes …] {}NEEDLE{} [… 4606 bytes]", "a".repeat(100), "b".repeat(394))
        );
        let shown = excerpt(line.as_bytes(), 0..1);
        assert!(shown.starts_with("aaa") && shown.ends_with("[… 9506 bytes]"), "{shown}");
        let shown = excerpt(line.as_bytes(), 10_005..10_006);
        assert!(shown.starts_with("[9506 bytes …] ") && shown.ends_with('b'), "{shown}");
    }

    #[test]
    fn characters_are_not_cut() {
        let line = "😀".repeat(1000);
        for start in 0..40 {
            let shown = excerpt(line.as_bytes(), start * 4..start * 4 + 4);
            assert!(!shown.contains('\u{fffd}'), "{start} {shown}");
        }
        let invalid = [0x80_u8; 2000];
        assert!(excerpt(&invalid, 1000..1001).len() < 4 * SHOWN_BYTES);
    }
}
