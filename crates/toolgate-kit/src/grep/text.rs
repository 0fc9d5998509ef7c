//! What the model reads of the lines found, and the way back from that text to the lines.
//!
//! Each file is a paragraph: its path, then `number: text` for each line, then how many more of its lines match.

use std::fmt::Write as _;

use toolgate::tool::{SearchFileMatches, SearchLine};
use toolgate::{ContentBlock, JsonValue};

use super::types::{GrepFile, GrepOutput};
use crate::text::{blocks, path_line, path_of_line, skipped_note, text_argument};
use crate::workspace::shown_text;

/// What the line begins with that counts the lines of a file that are not shown.
const MORE: &str = "… ";

/// The matching lines by file, then notes on what is missing.
pub(super) fn render(args: &JsonValue, output: &GrepOutput) -> Vec<ContentBlock> {
    blocks(output.files.iter().map(paragraph).collect::<Vec<_>>().join("\n\n"), &notes(args, output))
}

/// The lines in the text of [`render`], by file; `None` when somebody has put another text in its place.
pub(super) fn matches_of(text: &str, files: u64, lines: u64) -> Option<Vec<SearchFileMatches>> {
    let matches = text.split("\n\n").map(file_of_paragraph).collect::<Option<Vec<_>>>()?;
    let found = matches.iter().map(|file| file.lines.len() as u64).sum::<u64>();
    (matches.len() as u64 == files && found == lines).then_some(matches)
}

fn paragraph(file: &GrepFile) -> String {
    let mut text = path_line(&file.path).into_owned();
    for line in &file.lines {
        // Writing into a String does not fail.
        let _ = write!(text, "\n{}: {}", line.number, line.text);
    }
    match file.total.saturating_sub(file.lines.len() as u64) {
        0 => {}
        more => {
            let _ = write!(text, "\n{MORE}{more} more matching lines in this file");
        }
    }
    text
}

fn file_of_paragraph(paragraph: &str) -> Option<SearchFileMatches> {
    let mut rows = paragraph.split('\n');
    let path = path_of_line(rows.next()?)?;
    let lines = rows.filter(|row| !row.starts_with(MORE)).map(|row| {
        let (number, text) = row.split_once(": ")?;
        Some(SearchLine { line: number.parse().ok()?, text: text.to_owned() })
    });
    Some(SearchFileMatches { path, lines: lines.collect::<Option<Vec<_>>>()? })
}

fn notes(args: &JsonValue, output: &GrepOutput) -> Vec<String> {
    let mut notes = Vec::new();
    if output.total == 0 {
        let pattern = shown_text(text_argument(args, "pattern").unwrap_or_default());
        let named = |name: &str, words: &str| {
            text_argument(args, name)
                .map(|value| format!(" {words} `{}`", shown_text(value)))
                .unwrap_or_default()
        };
        let (place, include) = (named("path", "in"), named("include", "in files that match"));
        notes.push(format!("No line matches `{pattern}`{place}{include}."));
        notes.push(
            "Left out: files named in .gitignore or .ignore, hidden and binary files, and .git. The search minds case; \
             start the pattern with (?i) to ignore it."
                .to_owned(),
        );
    }
    if output.truncated {
        let shown = output.files.iter().map(|file| file.lines.len()).sum::<usize>();
        notes.push(format!(
            "Shown are {shown} of {} matching lines, from {} of {} files. Narrow the pattern, give a path or an \
             include filter to see others.",
            output.total,
            output.files.len(),
            output.total_files
        ));
    }
    notes.extend(skipped_note(
        output.skipped,
        "entry could not be searched to its end",
        "entries could not be searched to their end",
        "files or directories that may not be read or are gone, lines of more than 128 KiB, names that are not UTF-8, \
         or ignore files beyond 64 KiB or 1000 rules each, or twice that on one path",
    ));
    notes
}
