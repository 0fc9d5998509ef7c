//! Call ids: what ties a call to its result in every log.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The id of a call, chosen by whoever makes it (a model, usually). Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(Arc<str>);

impl CallId {
    /// An id from the caller's text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// An id that this process has not given before: `call-1`, `call-2`, …
    #[must_use]
    pub fn generate() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(NEXT.fetch_add(1, Ordering::Relaxed));
        let mut text = String::with_capacity("call-".len() + digits.len());
        text.push_str("call-");
        text.push_str(digits);
        Self::new(text)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for CallId {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for CallId {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
