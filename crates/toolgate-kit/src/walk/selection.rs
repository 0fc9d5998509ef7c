//! What a walk is asked to yield, and which directories can be left unopened because of it.
//!
//! Built by the glob and grep engines from their patterns; read by [`super::tree`] for every entry.

use globset::{GlobBuilder, GlobMatcher};

use super::HiddenNames;

/// Whether a link counts as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// A link that leads to a file inside the workspace is yielded under its own name.
    List,
    /// Links are left out.
    Skip,
}

/// The files a walk yields.
#[derive(Debug)]
pub(crate) struct Selection {
    matcher: Option<GlobMatcher>,
    hidden: HiddenNames,
    links: Links,
    /// Names of the directories that the pattern starts with.
    prefix: Vec<String>,
    /// How many directories deep a match can be at most.
    depth: Option<usize>,
}

impl Selection {
    /// Every file that is neither ignored nor hidden.
    pub(crate) fn everything(links: Links) -> Self {
        Self { matcher: None, hidden: HiddenNames::default(), links, prefix: Vec::new(), depth: None }
    }

    /// The files whose path below the start of the walk matches a glob. In it `*` and `?` stay within one name, and
    /// `**` crosses directories.
    pub(crate) fn matching(pattern: &str, links: Links) -> Result<Self, globset::Error> {
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build()?;
        let mut prefix = pattern
            .split('/')
            .take_while(|name| !name.contains(['*', '?', '[', ']', '{', '}', '\\']))
            .map(str::to_owned)
            .collect::<Vec<_>>();
        let separators = pattern.matches('/').count();
        prefix.truncate(separators);
        Ok(Self {
            matcher: Some(glob.compile_matcher()),
            hidden: HiddenNames::named_by(pattern),
            links,
            prefix,
            depth: (!pattern.contains("**")).then_some(separators),
        })
    }

    pub(super) fn links(&self) -> Links {
        self.links
    }

    /// Whether names of this form are left out altogether.
    pub(super) fn leaves_out(&self, name: &str) -> bool {
        self.hidden.leave_out(name)
    }

    /// Whether a file is wanted, by its path below the start of the walk.
    pub(super) fn wants_file(&self, path: &str) -> bool {
        self.matcher.as_ref().is_none_or(|matcher| matcher.is_match(path))
    }

    /// Whether a directory can hold wanted files, by its name and the number of directories above it.
    pub(super) fn wants_directory(&self, name: &str, above: usize) -> bool {
        self.prefix.get(above).is_none_or(|wanted| wanted == name)
            && self.depth.is_none_or(|depth| above < depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_cannot_hold_matches_stay_closed() {
        for (pattern, name, above, wanted) in [
            ("**/*.rs", "src", 0, true),
            ("**/*.rs", "src", 9, true),
            ("*.rs", "src", 0, false),
            ("src/*.rs", "src", 0, true),
            ("src/*.rs", "lib", 0, false),
            ("src/*.rs", "deep", 1, false),
            ("src/**", "deep", 5, true),
            ("src/{a,b/c}/*.rs", "a", 1, true),
            ("[ab]/c", "a", 0, true),
        ] {
            let selection = Selection::matching(pattern, Links::Skip).unwrap();
            assert_eq!(selection.wants_directory(name, above), wanted, "{pattern} {name} {above}");
        }
    }

    #[test]
    fn a_star_stays_within_one_name() {
        let selection = Selection::matching("src/*.rs", Links::Skip).unwrap();
        assert!(selection.wants_file("src/a.rs") && !selection.wants_file("src/b/a.rs"));
        let selection = Selection::matching("**/*.{ts,tsx}", Links::Skip).unwrap();
        assert!(selection.wants_file("a.ts") && selection.wants_file("x/y/a.tsx"));
    }
}
