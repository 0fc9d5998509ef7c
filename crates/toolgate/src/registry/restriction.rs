//! Restrictions: what a scope does not want of what it inherits (rule R3).

use std::collections::HashSet;

/// A filter on the tools that a scope inherits. It never touches what the scope registered itself, nor `run_code`.
///
/// Several restrictions intersect. A deny list lets tools in that are registered later; an allow list keeps them out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRestriction {
    pub(crate) allow: Option<Vec<String>>,
    pub(crate) deny: Option<Vec<String>>,
}

impl ToolRestriction {
    /// Keeps only the named tools. An empty list keeps none.
    pub fn allow(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { allow: Some(collect(names)), deny: None }
    }

    /// Removes the named tools.
    pub fn deny(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { allow: None, deny: Some(collect(names)) }
    }

    /// The same filter, which also removes the named tools.
    #[must_use]
    pub fn and_deny(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.deny.get_or_insert_default().extend(collect(names));
        self
    }

    /// Every name that the filter mentions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.allow.iter().chain(&self.deny).flatten().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.as_ref().is_none_or(Vec::is_empty)
    }
}

fn collect(names: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}

/// A restriction in the form that is asked.
#[derive(Debug)]
pub(super) struct Mask {
    allow: Option<HashSet<String>>,
    deny: HashSet<String>,
}

impl Mask {
    pub(super) fn new(restriction: ToolRestriction) -> Self {
        Self {
            allow: restriction.allow.map(HashSet::from_iter),
            deny: HashSet::from_iter(restriction.deny.unwrap_or_default()),
        }
    }

    pub(super) fn admits(&self, name: &str) -> bool {
        !self.deny.contains(name) && self.allow.as_ref().is_none_or(|allow| allow.contains(name))
    }
}
