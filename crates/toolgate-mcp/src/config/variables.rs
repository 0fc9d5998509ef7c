//! `${NAME}`, `${env:NAME}` and `${NAME:-default}` in texts of a configuration, as other programs' files have them.

use super::ConfigError;

/// Where the values of variables come from.
pub trait Variables {
    /// The value of a variable, where it is set.
    fn get(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Variables for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// The text with the values of its variables. `$` before anything but `{` is an ordinary character, and so is a `${`
/// that is not followed by a name and `}`. Values are not expanded again.
///
/// # Errors
/// [`ConfigError::UnsetVariable`] for a variable that is not set and has no default.
pub fn expand(text: &str, variables: &dyn Variables) -> Result<String, ConfigError> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once("${") {
        expanded.push_str(head);
        match tail.split_once('}').and_then(|(inside, after)| Some((reference(inside)?, after))) {
            Some(((name, default), after)) => {
                // An empty variable counts as unset where there is a default, as in a shell.
                let value = variables.get(name).filter(|value| default.is_none() || !value.is_empty());
                let value = value.or_else(|| default.map(str::to_owned));
                expanded.push_str(&value.ok_or_else(|| ConfigError::UnsetVariable(name.to_owned()))?);
                rest = after;
            }
            None => {
                expanded.push_str("${");
                rest = tail;
            }
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Name and default of a reference; none where the text is no reference.
fn reference(inside: &str) -> Option<(&str, Option<&str>)> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    let mut letters = name.chars();
    let begins = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    (begins && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, default))
}
