//! What can go wrong before and after a call, as the reader of the terminal sees it, and the exit codes.
//!
//! A failed call is not one of these: it has a result, which `commands::call` shows.

use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use toolgate::text::{Line, Text};

use crate::output::Page;
use crate::toolbox;

/// The call failed, or this program did.
pub(crate) const FAILED: u8 = 1;
/// The command line, or what it names, cannot be used.
pub(crate) const WRONG_USAGE: u8 = 2;
/// Ctrl-C ended the call.
pub(crate) const INTERRUPTED: u8 = 130;

/// A mistake in what was given on the command line.
#[derive(Debug)]
pub(crate) struct UsageError {
    message: String,
    excerpt: Option<String>,
    hints: Vec<String>,
}

impl UsageError {
    /// A mistake in words. The text may hold anything; it is escaped when it is shown.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), excerpt: None, hints: Vec::new() }
    }

    /// The same with the lines that show its place.
    pub(crate) fn with_excerpt(mut self, excerpt: String) -> Self {
        self.excerpt = Some(excerpt);
        self
    }

    /// The same with what to do about it.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UsageError {}

/// Shows an error on standard error and gives the exit code that goes with it.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let mut page = Page::stderr();
    let (shown, code) = match error.downcast_ref::<UsageError>() {
        Some(usage) => (show(&mut page, &usage.message, usage.excerpt.as_deref(), &usage.hints), WRONG_USAGE),
        None => {
            let text = format!("{error:#}");
            let (message, hints) = split_hints(&text);
            (show(&mut page, message, None, &hints), FAILED)
        }
    };
    // Where standard error is gone too, the exit code is all that is left to say.
    let _ = shown.and_then(|()| page.flush());
    ExitCode::from(code)
}

/// Shows what clap has to say: help and version on standard output, a mistake on standard error. What was typed is
/// shown escaped like everything else from outside.
pub(crate) fn report_usage(answer: &clap::Error) -> ExitCode {
    if !answer.use_stderr() {
        return match answer.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => report(&anyhow::Error::new(error).context("standard output could not be written")),
        };
    }
    let mut page = Page::stderr();
    let mut text = answer.render().to_string();
    if let Some(ContextValue::String(word)) = answer.get(ContextKind::InvalidSubcommand)
        && toolbox::open(Path::new(".")).is_ok_and(|tools| tools.runtime.get(word).is_some())
    {
        text.push_str(&format!("hint: a tool is called with `toolgate call {word} '{{…}}'`\n"));
    }
    let _ = write!(page, "{}", Text(&text)).and_then(|()| page.flush());
    ExitCode::from(WRONG_USAGE)
}

/// Writes the `error:` line, the lines that show the place, and the `hint:` lines.
pub(crate) fn show(
    page: &mut Page,
    message: &str,
    excerpt: Option<&str>,
    hints: &[String],
) -> io::Result<()> {
    let styles = page.styles();
    let (error, hint) = (styles.error, styles.hint);
    write!(page, "{error}error:{error:#} ")?;
    paragraph(page, message, "       ")?;
    if let Some(excerpt) = excerpt {
        writeln!(page, "{}", Text(excerpt))?;
    }
    for text in hints {
        write!(page, "{hint}hint:{hint:#} ")?;
        paragraph(page, text, "      ")?;
    }
    Ok(())
}

/// Writes a text whose further lines are indented, so that none of them looks like a line of this program.
fn paragraph(page: &mut Page, text: &str, indent: &str) -> io::Result<()> {
    for (at, line) in text.split('\n').enumerate() {
        writeln!(page, "{}{}", if at > 0 { indent } else { "" }, Line(line))?;
    }
    Ok(())
}

/// A message, and the `hint:` lines that tools put behind it.
pub(crate) fn split_hints(message: &str) -> (&str, Vec<String>) {
    let mut parts = message.split("\nhint: ");
    let text = parts.next().unwrap_or_default();
    (text, parts.map(str::to_owned).collect())
}

/// Whether the reader of the output went away, which is its good right.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_in_messages_are_found() {
        assert_eq!(split_hints("no file"), ("no file", vec![]));
        assert_eq!(
            split_hints("no file:\nsuch\nhint: look\nhint: again"),
            ("no file:\nsuch", vec!["look".to_owned(), "again".to_owned()])
        );
    }
}
