//! Which hidden names a pattern asks for.
//!
//! Called once per search. Names that start with a dot are left out of a walk unless the pattern spells such a name
//! out; `.git` is left out always.

/// The beginnings of hidden names that a pattern spells out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HiddenNames {
    prefixes: Vec<String>,
}

impl HiddenNames {
    /// Reads them off a glob: each name in it that starts with a literal dot, up to its first wildcard.
    pub(crate) fn named_by(pattern: &str) -> Self {
        let mut prefixes = Vec::new();
        let mut at_start = true;
        for (position, character) in pattern.char_indices() {
            if at_start && character == '.' {
                let rest = pattern.get(position..).unwrap_or_default();
                let name = rest.split(['/', '*', '?', '[', '{', '}', ',', '\\']).next().unwrap_or_default();
                if !matches!(rest, "." | "..") && !rest.starts_with("./") && !rest.starts_with("../") {
                    prefixes.push(name.to_owned());
                }
            }
            at_start = matches!(character, '/' | '{' | ',');
        }
        Self { prefixes }
    }

    /// Whether a walk leaves this name out.
    pub(crate) fn leave_out(&self, name: &str) -> bool {
        name == ".git"
            || (name.starts_with('.')
                && !self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_shows_the_hidden_names_it_spells_out() {
        for (pattern, name, left_out) in [
            ("**/*", ".env", true),
            ("**/*", "env", false),
            (".env", ".env", false),
            ("**/.env", ".env", false),
            ("**/.env*", ".env.local", false),
            ("{.env,.npmrc}", ".npmrc", false),
            (".github/**/*.yml", ".github", false),
            (".github/**/*.yml", ".gitlab", true),
            ("**/.*", ".anything", false),
            ("./src/*.rs", ".hidden", true),
            ("*.rs", ".rs", true),
            ("**/.*", ".git", true),
            (".git/config", ".git", true),
        ] {
            assert_eq!(HiddenNames::named_by(pattern).leave_out(name), left_out, "{pattern} {name}");
        }
    }
}
