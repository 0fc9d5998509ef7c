//! The card of a search: matching lines by file, or paths, and how much there is in all.

use std::io::{self, Write as _};

use toolgate::text::Line;
use toolgate::tool::{SearchFileMatches, SearchShape};

use crate::output::{Page, counted, grouped};

pub(super) fn card(page: &mut Page, shape: &SearchShape, truncated: bool, total: u64) -> io::Result<()> {
    match shape {
        SearchShape::Matches { matches } => {
            for file in matches {
                file_matches(page, file)?;
            }
            let shown = matches.iter().map(|file| file.lines.len() as u64).sum();
            summary(page, Count { shown, total, truncated, one: "matching line", many: "matching lines" })
        }
        SearchShape::Paths { paths } => {
            let style = page.styles().path;
            for path in paths {
                writeln!(page, "{style}{}{style:#}", Line(path))?;
            }
            summary(page, Count { shown: paths.len() as u64, total, truncated, one: "file", many: "files" })
        }
    }
}

fn file_matches(page: &mut Page, file: &SearchFileMatches) -> io::Result<()> {
    let styles = page.styles();
    let (path, faint) = (styles.path, styles.faint);
    writeln!(page, "{path}{}{path:#}", Line(&file.path))?;
    let width = file.lines.last().map_or(1, |last| last.line.to_string().len()).max(4);
    for line in &file.lines {
        writeln!(page, "{faint}{:>width$}{faint:#}  {}", line.line, Line(&line.text))?;
    }
    writeln!(page)
}

/// How much a list shows of how much there is.
struct Count {
    shown: u64,
    total: u64,
    truncated: bool,
    one: &'static str,
    many: &'static str,
}

fn summary(page: &mut Page, count: Count) -> io::Result<()> {
    let styles = page.styles();
    let (faint, warning) = (styles.faint, styles.warning);
    let Count { shown, total, truncated, one, many } = count;
    if truncated {
        let (shown, total) = (grouped(shown), counted(total, one, many));
        return writeln!(
            page,
            "{warning}… cut: {shown} of {total} shown; narrow the search to see others{warning:#}"
        );
    }
    match total {
        0 => writeln!(page, "{faint}no {many}{faint:#}"),
        total => writeln!(page, "{faint}{}{faint:#}", counted(total, one, many)),
    }
}
