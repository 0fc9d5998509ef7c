//! The card of a file window: which part of which file, its numbered lines, and what is not shown.

use std::io::{self, Write as _};

use toolgate::ReadFileLine;
use toolgate::text::Line;

use crate::output::{Page, counted, grouped};

/// The window of a file.
pub(super) struct Window<'a> {
    /// The file.
    pub(super) path: &'a str,
    /// The first line asked for.
    pub(super) offset: u64,
    /// The lines.
    pub(super) lines: &'a [ReadFileLine],
    /// How many lines the file has.
    pub(super) total_lines: u64,
}

pub(super) fn card(page: &mut Page, window: &Window<'_>, language: Option<&str>) -> io::Result<()> {
    let styles = page.styles();
    let (path, faint, warning) = (styles.path, styles.faint, styles.warning);
    write!(page, "{path}{}{path:#}  {faint}{}", Line(window.path), range(window))?;
    if let Some(language) = language {
        write!(page, "  {}", Line(language))?;
    }
    writeln!(page, "{faint:#}")?;
    let width = window.lines.last().map_or(1, |last| last.number.to_string().len()).max(4);
    for line in window.lines {
        write!(page, "{faint}{:>width$}{faint:#}", line.number)?;
        match line.text.as_str() {
            "" => writeln!(page)?,
            text => writeln!(page, "  {}", Line(text))?,
        }
    }
    match window.lines.last() {
        Some(last) if last.number < window.total_lines => {
            let more = counted(window.total_lines - last.number, "more line", "more lines");
            writeln!(page, "{warning}… {more}; continue with \"offset\": {}{warning:#}", last.number + 1)
        }
        Some(_) | None => Ok(()),
    }
}

/// `lines 1–20 of 300`, or why there are none.
fn range(window: &Window<'_>) -> String {
    let total = window.total_lines;
    match (window.lines.first(), window.lines.last()) {
        (Some(first), Some(last)) if first.number == last.number => {
            format!("line {} of {}", grouped(first.number), grouped(total))
        }
        (Some(first), Some(last)) => {
            format!("lines {}–{} of {}", grouped(first.number), grouped(last.number), grouped(total))
        }
        _ if total == 0 => "empty file".to_owned(),
        _ => format!("no line {}: the file has {}", grouped(window.offset), counted(total, "line", "lines")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(offset: u64, lines: &[ReadFileLine], total_lines: u64) -> String {
        range(&Window { path: "a", offset, lines, total_lines })
    }

    #[test]
    fn ranges_read_well() {
        let line = |number| ReadFileLine { number, text: String::new() };
        assert_eq!(window(1, &[line(1), line(2)], 3_000), "lines 1–2 of 3,000");
        assert_eq!(window(7, &[line(7)], 7), "line 7 of 7");
        assert_eq!(window(1, &[], 0), "empty file");
        assert_eq!(window(9, &[], 3), "no line 9: the file has 3 lines");
    }
}
