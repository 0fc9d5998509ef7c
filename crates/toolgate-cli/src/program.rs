//! The text of a program: from a file or standard input, bounded while it is read.
//!
//! What cannot be a program ends here, with a hint. Whether a text is one is for the sandbox to say.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context as _;
use toolgate_sandbox::{Language, Limits};

use crate::cli::Lang;
use crate::fault::UsageError;
use crate::output::grouped;

/// A program, and what to call it.
#[derive(Debug)]
pub(crate) struct ProgramText {
    /// The path as it was given, or `standard input`.
    pub(crate) name: String,
    /// What it is written in.
    pub(crate) language: Language,
    pub(crate) source: String,
}

/// Reads the program at a path, or standard input for `-`, as long as it is within the limits.
///
/// # Errors
/// A [`UsageError`] where there is no such file, or it holds no text of a language that runs here.
pub(crate) fn read(path: &Path, lang: Option<Lang>, limits: &Limits) -> anyhow::Result<ProgramText> {
    let lang = lang.map(Lang::language);
    if path.as_os_str() == "-" {
        let name = "standard input".to_owned();
        let language = runnable(lang.unwrap_or(Language::TypeScript), &name)?;
        let bytes = read_bounded(io::stdin().lock(), limits).context("standard input could not be read")?;
        return Ok(ProgramText { source: text(bytes, &name, limits)?, language, name });
    }
    let name = path.display().to_string();
    let language = match lang {
        Some(lang) => lang,
        None => language_of(path, &name)?,
    };
    let language = runnable(language, &name)?;
    let bytes = File::open(path).and_then(|file| read_bounded(file, limits)).map_err(|error| {
        UsageError::new(format!("the program `{name}` could not be read: {error}"))
            .with_hint("give the path of a .ts or .py file, or - to read the program from standard input")
    })?;
    Ok(ProgramText { source: text(bytes, &name, limits)?, language, name })
}

/// Refuses the language that this build lacks.
///
/// # Errors
/// It is Python, and this build has none.
pub(crate) fn runnable(language: Language, name: &str) -> Result<Language, UsageError> {
    if language == Language::Python && !cfg!(feature = "python") {
        return Err(UsageError::new(format!("`{name}` is Python, and this build runs no Python"))
            .with_hint("build it with Python: `cargo run --release --features python -- run …`"));
    }
    Ok(language)
}

/// The language that the name of a file says.
fn language_of(path: &Path, name: &str) -> Result<Language, UsageError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "ts" | "mts" => Ok(Language::TypeScript),
        "py" => Ok(Language::Python),
        "js" | "mjs" | "cjs" => Err(UsageError::new(format!("`{name}` does not end in .ts"))
            .with_hint("JavaScript is TypeScript without types: give the file a name that ends in .ts")),
        _ => {
            Err(UsageError::new(format!("`{name}` does not end in .ts or .py, so its language is not known"))
                .with_hint("say the language with --lang ts or --lang py"))
        }
    }
}

/// Reads one byte more than the limit at most, so that too much is noticed and never kept.
fn read_bounded(source: impl Read, limits: &Limits) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limits.source as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn text(bytes: Vec<u8>, name: &str, limits: &Limits) -> Result<String, UsageError> {
    if bytes.len() > limits.source {
        let limit = grouped(limits.source as u64);
        return Err(UsageError::new(format!("the program `{name}` is longer than {limit} bytes"))
            .with_hint("let the program read its data from files of the workspace with `tools.read`"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = grouped(error.utf8_error().valid_up_to() as u64);
        UsageError::new(format!("the program `{name}` is not UTF-8: it has another byte after {at} bytes"))
            .with_hint("save the program as UTF-8")
    })
}
