//! What the model reads of a window, and the way back from that text to its lines.

use toolgate::{ContentBlock, ReadFileLine};

use super::types::{LineEndings, ReadOutput};
use crate::text::{blocks, path_line};

/// The numbered lines, then notes on whatever is not plain about the window.
pub(super) fn render(output: &ReadOutput) -> Vec<ContentBlock> {
    let lines = output.lines.iter().map(|line| format!("{:>6}\t{}", line.number, line.text));
    blocks(lines.collect::<Vec<_>>().join("\n"), &notes(output))
}

/// The lines in the text of [`render`]; `None` when somebody has put another text in its place.
pub(super) fn lines_of(text: &str, offset: u64, count: u64) -> Option<Vec<ReadFileLine>> {
    let lines = text.split('\n').zip(offset..).map(|(line, number)| {
        let (before, text) = line.split_once('\t')?;
        (before.trim_start().parse() == Ok(number)).then(|| ReadFileLine { number, text: text.to_owned() })
    });
    lines.collect::<Option<Vec<_>>>().filter(|lines| lines.len() as u64 == count)
}

fn notes(output: &ReadOutput) -> Vec<String> {
    let ReadOutput { offset, total_lines, .. } = output;
    let path = path_line(&output.path);
    let Some(last) = output.lines.last().map(|line| line.number) else {
        return vec![match total_lines {
            0 => format!("`{path}` is empty."),
            _ => format!(
                "Nothing to show: `{path}` has {total_lines} lines, and line {offset} is past its end."
            ),
        }];
    };
    let mut notes = Vec::new();
    if last < *total_lines {
        notes.push(format!(
            "Lines {offset} to {last} of {total_lines}. Continue with offset {}.",
            last.saturating_add(1)
        ));
    } else if *offset > 1 {
        notes.push(format!("Lines {offset} to {last} of {total_lines}; this is the end of the file."));
    } else if output.truncated {
        notes.push("All lines are here, but not all of their text: very long lines are cut.".to_owned());
    }
    match output.line_endings {
        Some(LineEndings::Crlf) => notes.push("The lines end with CRLF.".to_owned()),
        Some(LineEndings::Mixed) => {
            notes.push("Some of these lines end with CRLF, others with LF.".to_owned())
        }
        Some(LineEndings::Lf) | None => {}
    }
    if output.byte_order_mark {
        notes.push("The file starts with a UTF-8 byte order mark.".to_owned());
    }
    if last == *total_lines && !output.final_newline {
        notes.push("The last line has no line ending.".to_owned());
    }
    notes
}
