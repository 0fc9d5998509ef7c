//! `toolgate explain`: the documentation page of an error code or cause.

use std::io::Write as _;
use std::process::ExitCode;

use crate::catalog::{self, GROUPS};
use crate::cli::ExplainArgs;
use crate::fault::UsageError;
use crate::output::Page;
use crate::suggest;

/// Prints one page, or all keys with their summaries.
pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    let mut page = Page::stdout();
    match &args.key {
        Some(key) => {
            let entry = catalog::find(key).ok_or_else(|| unknown(key))?;
            page.write_all(entry.text.as_bytes())?;
        }
        None => list(&mut page)?,
    }
    page.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn list(page: &mut Page) -> std::io::Result<()> {
    let styles = page.styles();
    let (title, faint) = (styles.title, styles.faint);
    let keys = GROUPS.iter().flat_map(|group| group.pages).map(|page| page.key);
    let width = keys.map(str::len).max().unwrap_or_default();
    for group in GROUPS {
        writeln!(page, "{title}{}{title:#}", group.title)?;
        for one in group.pages {
            writeln!(page, "  {:<width$}  {}", one.key, one.summary())?;
        }
        writeln!(page)?;
    }
    writeln!(page, "{faint}Run `toolgate explain CODE` for one of them in full.{faint:#}")
}

fn unknown(key: &str) -> UsageError {
    let keys = GROUPS.iter().flat_map(|group| group.pages).map(|page| page.key);
    let error = UsageError::new(format!("there is no page on `{key}`"));
    let error = match suggest::question(&suggest::near(key, keys)) {
        Some(question) => error.with_hint(question),
        None => error,
    };
    error.with_hint("run `toolgate explain` to see them all")
}
