//! Who may speak to a gateway over HTTP: bearer tokens and what they open.

use std::fmt;
use std::io;

use ring::digest::{SHA256, digest};

/// A secret text. Its debug form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret that somebody chose.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A new secret of 256 random bits, in hexadecimal digits.
    ///
    /// # Errors
    /// The system gives no randomness.
    pub fn generate() -> io::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The text, for the one who has to know it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether it is that text. Takes as long whatever the text is: digests are compared, all of their bytes.
    fn is(&self, text: &str) -> bool {
        let (own, given) = (digest(&SHA256, self.0.as_bytes()), digest(&SHA256, text.as_bytes()));
        own.as_ref().iter().zip(given.as_ref()).fold(0, |difference, (own, given)| difference | (own ^ given))
            == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A bearer token, and whom it stands for.
#[derive(Clone, Debug)]
pub struct Credential {
    name: String,
    secret: Secret,
    profile: Option<String>,
}

impl Credential {
    /// A credential that opens every profile.
    pub fn new(name: impl Into<String>, secret: Secret) -> Self {
        Self { name: name.into(), secret, profile: None }
    }

    /// The same for one profile alone.
    #[must_use]
    pub fn for_profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }
}

/// Who may speak to a gateway.
#[derive(Clone, Debug)]
pub enum Access {
    /// Who has one of these credentials.
    Credentials(Vec<Credential>),
    /// Everybody who can reach it: every program of this machine at least.
    Everybody,
}

impl Access {
    /// The place of the credential that an `Authorization` header holds: none needed, or the place among them. Nothing
    /// where it is missing or wrong.
    pub(super) fn admits(&self, authorization: Option<&str>) -> Option<Option<usize>> {
        let credentials = match self {
            Self::Everybody => return Some(None),
            Self::Credentials(credentials) => credentials,
        };
        let (scheme, token) = authorization?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let token = token.trim();
        // All of them are looked at, so that the time does not tell which one it was.
        let matches: Vec<bool> = credentials.iter().map(|credential| credential.secret.is(token)).collect();
        matches.iter().position(|is_match| *is_match).map(Some)
    }

    pub(super) fn credential(&self, place: usize) -> Option<&Credential> {
        match self {
            Self::Everybody => None,
            Self::Credentials(credentials) => credentials.get(place),
        }
    }

    pub(super) fn places(&self) -> Vec<Option<usize>> {
        match self {
            Self::Everybody => vec![None],
            Self::Credentials(credentials) => (0..credentials.len()).map(Some).collect(),
        }
    }
}
