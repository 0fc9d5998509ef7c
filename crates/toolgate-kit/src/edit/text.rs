//! What the model reads of an edited file.

use toolgate::ContentBlock;

use super::types::EditOutput;
use crate::change::other_names_note;
use crate::text::{blocks, counted, path_line};

pub(super) fn render(output: &EditOutput) -> Vec<ContentBlock> {
    let EditOutput { path, replacements, changes, other_names } = output;
    let places = counted(*replacements, "replacement", "replacements");
    let first = changes.hunks.first().map(|hunk| format!(", from line {} on", hunk.new_line));
    let body = format!(
        "Edited `{}`: {places} ({} lines){}.",
        path_line(path),
        changes.counts(),
        first.unwrap_or_default()
    );
    let notes: Vec<String> = other_names_note(*other_names).into_iter().collect();
    blocks(body, &notes)
}
