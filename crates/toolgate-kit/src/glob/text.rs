//! What the model reads of the files found, and the way back from that text to their paths.

use toolgate::{ContentBlock, JsonValue};

use super::types::GlobOutput;
use crate::text::{blocks, path_line, path_of_line, skipped_note, text_argument};
use crate::workspace::shown_text;

/// One path a line, then notes on what is missing.
pub(super) fn render(args: &JsonValue, output: &GlobOutput) -> Vec<ContentBlock> {
    let paths = output.paths.iter().map(|path| path_line(path)).collect::<Vec<_>>();
    blocks(paths.join("\n"), &notes(args, output))
}

/// The paths in the text of [`render`]; `None` when somebody has put another text in its place.
pub(super) fn paths_of(text: &str, count: u64) -> Option<Vec<String>> {
    text.split('\n').map(path_of_line).collect::<Option<Vec<_>>>().filter(|paths| paths.len() as u64 == count)
}

fn notes(args: &JsonValue, output: &GlobOutput) -> Vec<String> {
    let mut notes = Vec::new();
    if output.total == 0 {
        let pattern = shown_text(text_argument(args, "pattern").unwrap_or_default());
        let place = text_argument(args, "path").map(|path| format!(" in `{}`", shown_text(path)));
        notes.push(format!("No file matches `{pattern}`{}.", place.unwrap_or_default()));
        notes.push(
            "Left out: files named in .gitignore or .ignore, hidden ones unless the pattern spells the dot out, and \
             .git. `*` does not cross directories; `**/` does."
                .to_owned(),
        );
    }
    if output.truncated {
        let (shown, total) = (output.paths.len(), output.total);
        notes.push(format!(
            "The first {shown} of {total} files. Narrow the pattern, or give a path, to see others."
        ));
    }
    notes.extend(skipped_note(
        output.skipped,
        "entry could not be looked at in full",
        "entries could not be looked at in full",
        "directories that may not be read or are gone, names that are not UTF-8, or ignore files beyond 64 KiB or \
         1000 rules each, or twice that on one path",
    ));
    notes
}
