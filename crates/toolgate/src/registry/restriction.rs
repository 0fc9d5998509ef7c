//! Restrictions: what a scope does not want of what it inherits (rule R3).

use std::collections::HashSet;

/// A filter on the tools that a scope inherits. It never touches what the scope registered itself, nor `run_code`.
///
/// Several restrictions intersect. A deny list lets tools in that are registered later; an allow list keeps them out.
/// Patterns judge tools that are registered later as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRestriction {
    pub(crate) allow: Option<Vec<String>>,
    pub(crate) deny: Option<Vec<String>>,
    patterns: Option<Patterns>,
}

/// Names, and beginnings of names with a `*` behind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Patterns {
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

/// Whether a name fits one of `allow`, where there is such a list, and none of `deny`. A pattern is a name, or the beginning
/// of names with a `*` behind it.
#[must_use]
pub fn patterns_admit(allow: Option<&[String]>, deny: &[String], name: &str) -> bool {
    let fits = |patterns: &[String]| {
        patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => pattern == name,
        })
    };
    !fits(deny) && allow.is_none_or(fits)
}

impl ToolRestriction {
    /// Keeps only the named tools. An empty list keeps none.
    pub fn allow(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { allow: Some(collect(names)), ..Self::default() }
    }

    /// Removes the named tools.
    pub fn deny(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { deny: Some(collect(names)), ..Self::default() }
    }

    /// Keeps the tools that [`patterns_admit`]. A pattern need not fit anything yet: it judges whatever comes and goes,
    /// such as the tools of a server that is still starting.
    pub fn matching(allow: Option<Vec<String>>, deny: Vec<String>) -> Self {
        Self { patterns: Some(Patterns { allow, deny }), ..Self::default() }
    }

    /// The same filter, which also removes the named tools.
    #[must_use]
    pub fn and_deny(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.deny.get_or_insert_default().extend(collect(names));
        self
    }

    /// Every name that the filter mentions; patterns are no names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.allow.iter().chain(&self.deny).flatten().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.as_ref().is_none_or(Vec::is_empty) && self.patterns.is_none()
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
    patterns: Option<Patterns>,
}

impl Mask {
    pub(super) fn new(restriction: ToolRestriction) -> Self {
        Self {
            allow: restriction.allow.map(HashSet::from_iter),
            deny: HashSet::from_iter(restriction.deny.unwrap_or_default()),
            patterns: restriction.patterns,
        }
    }

    pub(super) fn admits(&self, name: &str) -> bool {
        !self.deny.contains(name)
            && self.allow.as_ref().is_none_or(|allow| allow.contains(name))
            && self
                .patterns
                .as_ref()
                .is_none_or(|patterns| patterns_admit(patterns.allow.as_deref(), &patterns.deny, name))
    }
}
