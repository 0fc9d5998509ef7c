//! Bounded text for messages: whatever came from outside is cut before a message embeds it.
//!
//! Called by every error and violation of this crate when it prints. It never changes the data itself: paths and
//! names that callers read through accessors stay complete.

use std::fmt::{self, Write};

/// Longest excerpt of a path that a message embeds, in characters.
pub(crate) const PATH_CHARS: usize = 160;

/// Longest excerpt of a name or a text value that a message embeds, in characters.
pub(crate) const NAME_CHARS: usize = 60;

/// Longest message that is taken over from another crate, in characters.
const MESSAGE_CHARS: usize = 400;

/// A text as a message shows it: control characters escaped, the middle cut out when it is too long.
pub(crate) struct Excerpt<'a> {
    text: &'a str,
    limit: usize,
}

impl<'a> Excerpt<'a> {
    /// An excerpt for a path.
    pub(crate) fn path(text: &'a str) -> Self {
        Self { text, limit: PATH_CHARS }
    }

    /// An excerpt for a key, a tag or another short text.
    pub(crate) fn name(text: &'a str) -> Self {
        Self { text, limit: NAME_CHARS }
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = self.text.char_indices().nth(self.limit).is_none();
        if fits {
            return write_visible(f, self.text);
        }
        let half = self.limit / 2;
        let head = self.text.char_indices().nth(half).map_or(self.text.len(), |(at, _)| at);
        let tail = self.text.char_indices().rev().nth(half.saturating_sub(1)).map_or(0, |(at, _)| at);
        write_visible(f, self.text.get(..head).unwrap_or_default())?;
        f.write_char('…')?;
        write_visible(f, self.text.get(tail..).unwrap_or_default())
    }
}

fn write_visible(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for character in text.chars() {
        if character.is_control() {
            write!(f, "{}", character.escape_default())?;
        } else {
            f.write_char(character)?;
        }
    }
    Ok(())
}

/// Prints a foreign message up to its limit, without first building the whole of it.
pub(crate) fn bounded_message(message: &dyn fmt::Display) -> String {
    let mut sink = Bounded { text: String::new(), left: MESSAGE_CHARS };
    if write!(sink, "{message}").is_err() {
        sink.text.push('…');
    }
    sink.text
}

/// A sink that stops the writer when it is full.
struct Bounded {
    text: String,
    left: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        match part.char_indices().nth(self.left) {
            None => {
                self.left -= part.chars().count();
                self.text.push_str(part);
                Ok(())
            }
            Some((end, _)) => {
                self.text.push_str(part.get(..end).unwrap_or_default());
                self.left = 0;
                Err(fmt::Error)
            }
        }
    }
}
