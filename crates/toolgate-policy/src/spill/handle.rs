//! [`SpillHandle`]: the name under which a model asks for what was cut.
//!
//! Made by the store for each content that it keeps, parsed by the tools. It says nothing about the place on disk, and
//! whoever does not have it cannot guess it.

use std::fmt::{self, Write as _};
use std::str::FromStr;

/// What every handle begins with.
const PREFIX: &str = "spill_";

/// How many random bytes a handle holds.
const BYTES: usize = 16;

/// The handle of one kept content: `spill_` and 32 hexadecimal digits, drawn at random.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SpillHandle([u8; BYTES]);

/// A text is not a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a handle is `{PREFIX}` and 32 hexadecimal digits in lower case")]
pub(super) struct SpillHandleError;

impl SpillHandle {
    /// A handle that nobody can have seen.
    pub(super) fn draw() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }
}

impl FromStr for SpillHandle {
    type Err = SpillHandleError;

    fn from_str(text: &str) -> Result<Self, SpillHandleError> {
        let digits = text.strip_prefix(PREFIX).ok_or(SpillHandleError)?;
        if digits.len() != 2 * BYTES || !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        {
            return Err(SpillHandleError);
        }
        let number = u128::from_str_radix(digits, 16).map_err(|_| SpillHandleError)?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl fmt::Display for SpillHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// Not the handle itself: who reads an operator's log need not be able to read what was kept.
impl fmt::Debug for SpillHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, ..] = self.0;
        f.write_str("SpillHandle(")?;
        write!(f, "{first:02x}{second:02x}")?;
        f.write_char('…')?;
        f.write_char(')')
    }
}
