//! Texts with `*` in them, which stands for any characters: names of tools and values of arguments.

use std::fmt;

/// A text in which `*` stands for any characters, none included. Nothing else has a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wildcard(String);

impl Wildcard {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether it is one text, without a `*`.
    pub(crate) fn literal(&self) -> Option<&str> {
        (!self.0.contains('*')).then_some(&*self.0)
    }

    /// Whether the whole text fits. Takes time in proportion to both lengths, whatever they hold.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(last) = parts.next_back() else { return text == first };
        let Some(rest) = text.strip_prefix(first) else { return false };
        let Some(mut rest) = rest.strip_suffix(last) else { return false };
        for part in parts {
            let Some(found) = rest.find(part) else { return false };
            rest = rest.get(found + part.len()..).unwrap_or_default();
        }
        true
    }
}

impl fmt::Display for Wildcard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
