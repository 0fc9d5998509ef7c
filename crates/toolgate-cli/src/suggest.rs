//! Near names for a name that does not exist.

/// More characters than any real name has; longer ones are not compared.
const LONGEST: usize = 128;
/// How many names are suggested.
const SHOWN: usize = 3;
/// How alike two names must be, from 0 to 1.
const LIKENESS: f64 = 0.75;

/// The candidates that somebody may have meant by `name`, the likeliest first. Case does not count.
pub(crate) fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.chars().nth(LONGEST).is_some() {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let mut scored: Vec<_> = candidates
        .into_iter()
        .map(|candidate| (likeness(&name, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(SHOWN).map(|(_, candidate)| candidate).collect()
}

/// Slips of the keyboard, or a longer name that holds the shorter one as a word (`read_file` for `read`).
fn likeness(name: &str, candidate: &str) -> f64 {
    let is_word = |long: &str, short: &str| {
        short.len() > 2 && long.split(|c: char| !c.is_alphanumeric()).any(|word| word == short)
    };
    if is_word(name, candidate) || is_word(candidate, name) {
        return 1.0;
    }
    strsim::normalized_damerau_levenshtein(name, candidate).max(strsim::jaro_winkler(name, candidate) - 0.1)
}

/// ``did you mean `a` or `b`?``, or nothing where there are no names.
pub(crate) fn question(names: &[&str]) -> Option<String> {
    let (last, rest) = names.split_last()?;
    let rest = rest.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Some(if rest.is_empty() {
        format!("did you mean `{last}`?")
    } else {
        format!("did you mean {rest} or `{last}`?")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_name() {
        for (name, expected) in [
            ("raed", vec!["read"]),
            ("READ", vec!["read"]),
            ("read_file", vec!["read"]),
            ("gerp", vec!["grep"]),
            ("globb", vec!["glob"]),
            ("", vec![]),
            ("zzz", vec![]),
            ("write", vec![]),
        ] {
            assert_eq!(near(name, ["read", "glob", "grep"]), expected, "{name}");
        }
        assert_eq!(near(&"r".repeat(1_000_000), ["read"]), Vec::<&str>::new());
    }

    #[test]
    fn questions_read_well() {
        assert_eq!(question(&[]), None);
        assert_eq!(question(&["a"]).unwrap(), "did you mean `a`?");
        assert_eq!(question(&["a", "b", "c"]).unwrap(), "did you mean `a`, `b` or `c`?");
    }
}
