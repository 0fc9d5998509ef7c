//! The names under which the tools of servers are known here: `mcp__server__tool`, in the alphabet that every model
//! provider accepts.
//!
//! A name depends on its server and its tool alone, so that another server, or another tool, never changes it. The plain
//! form is kept wherever it can be read back in one way; every other pair gets a readable form with a digest behind it.

use ring::digest::{SHA256, digest};

/// The longest name that every provider accepts, in bytes.
pub const MOST_BYTES: usize = 64;

const PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";
/// Sixty bits of SHA-256, five to a letter.
const DIGEST_LETTERS: usize = 12;
/// How much of a server's name a shortened form shows.
const SERVER_LETTERS: usize = 15;

/// The name of a server's tool: at most 64 letters, digits, `_` and `-`. Two pairs have one name only where twelve
/// letters of a SHA-256 digest agree.
#[must_use]
pub fn tool_name(server: &str, tool: &str) -> String {
    let plain = format!("{PREFIX}{server}{SEPARATOR}{tool}");
    if is_plain(server, tool) && plain.len() <= MOST_BYTES { plain } else { digested(server, tool) }
}

/// Whether a name can be that of a tool of this server: all of them can that begin as its tools' names do.
#[must_use]
pub fn could_be_of(name: &str, server: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with(&shown(server, SERVER_LETTERS)))
}

/// Whether the first separator behind the prefix is the one between the two, and the whole cannot be taken for a form
/// with a digest.
fn is_plain(server: &str, tool: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && text.chars().all(is_letter);
    is_word(server)
        && is_word(tool)
        && !server.contains(SEPARATOR)
        && !server.ends_with('_')
        && !ends_like_a_digest(tool)
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn ends_like_a_digest(tool: &str) -> bool {
    let Some(at) = tool.len().checked_sub(DIGEST_LETTERS) else { return false };
    // Only ASCII comes here, so every index is a boundary.
    tool.get(..at).is_some_and(|head| head.ends_with(SEPARATOR))
        && tool.get(at..).is_some_and(|tail| tail.bytes().all(|byte| ALPHABET.contains(&byte)))
}

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

fn digested(server: &str, tool: &str) -> String {
    let server_shown = shown(server, SERVER_LETTERS);
    let around = PREFIX.len() + 2 * SEPARATOR.len() + DIGEST_LETTERS;
    let tool_shown = shown(tool, MOST_BYTES - around - server_shown.len());
    format!("{PREFIX}{server_shown}{SEPARATOR}{tool_shown}{SEPARATOR}{}", digest_of(server, tool))
}

/// The first letters of a text, with `-` for what is none.
fn shown(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if is_letter(c) { c } else { '-' }).collect()
}

fn digest_of(server: &str, tool: &str) -> String {
    // The length in front tells where the server ends.
    let input = format!("{}:{server}{tool}", server.len());
    let digest = digest(&SHA256, input.as_bytes());
    let mut bits = digest.as_ref().iter().take(8).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    let mut letters = String::with_capacity(DIGEST_LETTERS);
    for _ in 0..DIGEST_LETTERS {
        bits = bits.rotate_left(5);
        let letter = ALPHABET.get(usize::try_from(bits & 31).unwrap_or_default()).copied().unwrap_or(b'a');
        letters.push(char::from(letter));
    }
    letters
}
