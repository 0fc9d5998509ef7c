//! The inner loop of reading and writing strings: how far a run of bytes needs no attention.
//!
//! Called by the parser and the printer. Eight bytes are tested at once, in safe code.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The index of the first byte from `at` on that is a quote, a backslash or a control character, or the length.
///
/// All three are ASCII, so the index is a character boundary when `bytes` is UTF-8.
pub(super) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let special = special_bytes(u64::from_le_bytes(*chunk));
        if special != 0 {
            // The lowest marked byte is exact; only bytes above it can be marked wrongly, by a borrow.
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            break;
        }
        at += 1;
    }
    at
}

/// Marks with its high bit each byte of a word that is a quote, a backslash or below 0x20.
fn special_bytes(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = word.wrapping_sub(ONES * 0x20) & !word;
    let quotes = quote.wrapping_sub(ONES) & !quote;
    let backslashes = backslash.wrapping_sub(ONES) & !backslash;
    (below | quotes | backslashes) & HIGHS
}
