//! [`Secret`]: what a browser has to know. Drawn or read by whoever starts the server; compared by the gate.

use std::fmt;

use subtle::ConstantTimeEq as _;

/// How many random bytes a secret holds.
const BYTES: usize = 32;

/// 32 random bytes, written as 64 hexadecimal digits.
#[derive(Clone)]
pub struct Secret([u8; BYTES]);

/// The system gives no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes")]
pub struct NoRandomness;

impl Secret {
    /// One that nobody can guess.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn draw() -> Result<Self, NoRandomness> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(bytes))
    }

    /// Reads the digits that [`reveal`](Self::reveal) writes; nothing else is a secret.
    #[must_use]
    pub fn parse(digits: &str) -> Option<Self> {
        let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
        Some(Self(bytes?.try_into().ok()?))
    }

    /// The secret in digits, to be kept where only the user can read it.
    #[must_use]
    pub fn reveal(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether a text is this secret. How long that takes says nothing about where the two differ.
    pub(crate) fn is(&self, digits: &str) -> bool {
        Self::parse(digits).is_some_and(|other| self.0.ct_eq(&other.0).into())
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// Not the secret: logs are read by others.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_digits_are_a_secret() {
        let secret = Secret::draw().unwrap();
        let digits = secret.reveal();
        assert!(secret.is(&digits));
        assert!(!Secret::draw().unwrap().is(&digits));
        for wrong in [&digits[1..], &digits.to_uppercase(), &format!("{digits}0"), "", &"é".repeat(32)] {
            assert!(!secret.is(wrong), "{wrong}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
