//! What the model reads of a written file.

use toolgate::ContentBlock;

use super::types::{WriteOutcome, WriteOutput};
use crate::change::other_names_note;
use crate::text::{blocks, counted, path_line};

pub(super) fn render(output: &WriteOutput) -> Vec<ContentBlock> {
    let path = path_line(&output.path);
    let size =
        format!("{}, {}", counted(output.lines, "line", "lines"), counted(output.bytes, "byte", "bytes"));
    let body = match (output.outcome, &output.changes) {
        (WriteOutcome::Created, _) => format!("Created `{path}`: {size}."),
        (WriteOutcome::Replaced, Some(changes)) => {
            format!("Replaced `{path}`: {size} ({}).", changes.counts())
        }
        (WriteOutcome::Replaced, None) => {
            format!("Replaced `{path}`: {size}. What it held before was no text, or too large to compare.")
        }
        (WriteOutcome::Unchanged, _) => {
            format!("`{path}` has exactly this content already; nothing was written.")
        }
    };
    let notes: Vec<String> = other_names_note(output.other_names).into_iter().collect();
    blocks(body, &notes)
}
