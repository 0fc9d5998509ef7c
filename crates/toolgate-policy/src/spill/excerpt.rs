//! Where a text may be cut: never within a character, and at the end of a line where one is near.
//!
//! Called for the head and tail that stay in a result, and for the windows that the tools give. It works on bytes that
//! were read from the middle of a UTF-8 text, so the first and the last character may be incomplete.

/// The part of `window` to show of a beginning: it ends with a whole character, and with a line break where there is
/// one in the second half.
pub(super) fn head_of(window: &[u8]) -> &[u8] {
    let end = character_end(window);
    let whole = window.get(..end).unwrap_or_default();
    match whole.iter().rposition(|byte| *byte == b'\n') {
        Some(at) if at + 1 >= whole.len() / 2 => whole.get(..=at).unwrap_or_default(),
        Some(_) | None => whole,
    }
}

/// The part of `window` to show of an end: it begins with a whole character, and behind a line break where there is one
/// in the first half. A window that begins a line is told by `at_line_start`.
pub(super) fn tail_of(window: &[u8], at_line_start: bool) -> &[u8] {
    let start = window.iter().position(|byte| !is_inner(*byte)).unwrap_or(window.len());
    let whole = window.get(start..).unwrap_or_default();
    if at_line_start {
        return whole;
    }
    match whole.iter().position(|byte| *byte == b'\n') {
        // A break at the very end leaves nothing to show.
        Some(at) if at < whole.len() / 2 => whole.get(at + 1..).unwrap_or_default(),
        Some(_) | None => whole,
    }
}

/// Whether a byte continues a character.
pub(super) fn is_inner(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Where the last whole character of a window ends.
fn character_end(window: &[u8]) -> usize {
    let Some(last) = window.iter().rposition(|byte| !is_inner(*byte)) else { return 0 };
    let length = match window.get(last).copied().unwrap_or_default() {
        0b1111_0000.. => 4,
        0b1110_0000.. => 3,
        0b1100_0000.. => 2,
        _ => 1,
    };
    if last + length <= window.len() { window.len() } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of characters of every length, with and without lines, different for each seed.
    fn text(seed: u64, length: usize) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let alphabet = ['a', 'ü', '€', '😀', '\n', '\r', 'b', 'c'];
        let lines = !seed.is_multiple_of(3);
        let mut text = String::new();
        while text.len() < length {
            let letter = alphabet[(next() % 8) as usize];
            text.push(if letter == '\n' && !lines { 'x' } else { letter });
        }
        text
    }

    #[test]
    fn any_cut_of_any_text_is_text_and_loses_little() {
        for seed in 1..400 {
            let whole = text(seed, 200);
            for at in 0..=whole.len() {
                let head = head_of(&whole.as_bytes()[..at]);
                assert!(whole.starts_with(std::str::from_utf8(head).unwrap()), "{seed} {at}");
                let lost = at - head.len();
                assert!(lost < 4 || (lost <= at / 2 + 3 && head.ends_with(b"\n")), "{seed} {at} {lost}");

                let window = &whole.as_bytes()[at..];
                let starts_line = at > 0 && whole.as_bytes()[at - 1] == b'\n';
                let tail = tail_of(window, starts_line);
                assert!(whole.ends_with(std::str::from_utf8(tail).unwrap()), "{seed} {at}");
                let (lost, before) = (window.len() - tail.len(), whole.len() - tail.len());
                let begins_line = before > 0 && whole.as_bytes()[before - 1] == b'\n';
                assert!(lost < 4 || (lost <= window.len() / 2 + 4 && begins_line), "{seed} {at} {lost}");
            }
        }
    }

    #[test]
    fn a_cut_prefers_the_end_of_a_line() {
        assert_eq!(head_of(b"one\ntwo\nth"), b"one\ntwo\n");
        assert_eq!(head_of(b"o\na very long line"), b"o\na very long line");
        assert_eq!(tail_of(b"e\ntwo\nthree\n", false), b"two\nthree\n");
        assert_eq!(tail_of(b"one\ntwo\nthree\n", true), b"one\ntwo\nthree\n");
        assert_eq!(tail_of(b"a very long line\nx", false), b"a very long line\nx");
    }
}
