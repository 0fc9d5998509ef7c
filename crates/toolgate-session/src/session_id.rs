//! [`SessionId`]: the name of a session, which is also the stem of its file.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The name of a session: a time-ordered UUID, so that a listing by name is a listing by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(Uuid);

/// A text is not the name of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not the name of a session, which is a UUID such as 0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f", .text.escape_debug())]
pub struct SessionIdError {
    text: String,
}

impl SessionId {
    /// A name that nobody has.
    #[must_use]
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), f)
    }
}

impl FromStr for SessionId {
    type Err = SessionIdError;

    /// Reads the hyphenated form, which is the only one that is written.
    fn from_str(text: &str) -> Result<Self, SessionIdError> {
        let id = Uuid::try_parse(text).map(Self);
        id.ok()
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| SessionIdError { text: text.chars().take(80).collect() })
    }
}
