//! The card of a command: what it printed and how it ended.

use std::io::{self, Write as _};

use toolgate::text::Line;

use super::generic::text_lines;
use crate::output::Page;

pub(super) fn card(
    page: &mut Page,
    output: Option<&str>,
    exit_code: Option<i32>,
    signal: Option<&str>,
) -> io::Result<()> {
    if let Some(output) = output {
        text_lines(page, output)?;
    }
    let styles = page.styles();
    let (faint, warning) = (styles.faint, styles.warning);
    match (signal, exit_code) {
        (Some(signal), _) => writeln!(page, "{warning}ended by signal {}{warning:#}", Line(signal)),
        (None, Some(0)) => writeln!(page, "{faint}exit code 0{faint:#}"),
        (None, Some(code)) => writeln!(page, "{warning}exit code {code}{warning:#}"),
        (None, None) => Ok(()),
    }
}
