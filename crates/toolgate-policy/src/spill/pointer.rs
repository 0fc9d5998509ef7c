//! JSON pointers (RFC 6901): the way to a part of a kept value.

use super::error::SpillError;

/// How long a pointer may be, in bytes.
const MOST_BYTES: usize = 4 * 1024;

/// The names and positions on the way, unescaped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pointer(Vec<String>);

impl Pointer {
    pub(super) fn parse(text: &str) -> Result<Self, SpillError> {
        let wrong = |what: String| {
            SpillError::Arguments {
            what,
            hint: "write it like `/items/0/name`; `~1` is a `/` in a name and `~0` a `~`, and the empty pointer is the \
                   whole"
                .to_owned(),
        }
        };
        if text.len() > MOST_BYTES {
            return Err(wrong(format!("`pointer` is longer than {MOST_BYTES} bytes")));
        }
        if text.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err(wrong("`pointer` does not begin with `/`".to_owned()));
        };
        let steps = rest.split('/').map(unescape).collect::<Option<Vec<_>>>();
        steps.map(Self).ok_or_else(|| wrong("`pointer` holds a `~` without `0` or `1` behind it".to_owned()))
    }

    pub(super) fn steps(&self) -> &[String] {
        &self.0
    }
}

fn unescape(step: &str) -> Option<String> {
    let mut parts = step.split('~');
    let mut unescaped = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut rest = part.chars();
        unescaped.push(match rest.next()? {
            '0' => '~',
            '1' => '/',
            _ => return None,
        });
        unescaped.push_str(rest.as_str());
    }
    Some(unescaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_read_as_the_standard_says() {
        for (text, steps) in [
            ("", vec![]),
            ("/", vec![""]),
            ("/a/0", vec!["a", "0"]),
            ("/a~1b/~0~1/~01", vec!["a/b", "~/", "~1"]),
        ] {
            assert_eq!(Pointer::parse(text).unwrap().steps(), steps, "{text}");
        }
        for text in ["a", "a/b", "/~", "/~2", "/a~", &"/a".repeat(3000)] {
            assert!(matches!(Pointer::parse(text), Err(SpillError::Arguments { .. })), "{text}");
        }
    }
}
