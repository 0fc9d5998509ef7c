//! What the model reads of a page.

use toolgate::ContentBlock;

use super::types::WebFetchOutput;
use crate::text::blocks;

/// Title, address and status, then the text, then notes on what is missing.
pub(super) fn render(output: &WebFetchOutput) -> Vec<ContentBlock> {
    let title = output.title.as_deref().map(|title| format!("{title}\n")).unwrap_or_default();
    let head = format!("{title}{} (HTTP {})", output.url, output.status_code);
    let body = if output.text.is_empty() { head } else { format!("{head}\n\n{}", output.text) };
    blocks(body, &notes(output))
}

fn notes(output: &WebFetchOutput) -> Vec<String> {
    let WebFetchOutput { offset, total_characters: total, .. } = output;
    let shown = output.text.chars().count() as u64;
    let end = offset.saturating_add(shown);
    let mut notes = Vec::new();
    if *total == 0 {
        notes.push("The page has no text.".to_owned());
    } else if shown == 0 {
        notes.push(format!(
            "Nothing to show: the text has {total} characters, and offset {offset} is past its end."
        ));
    } else if end < *total {
        let first = offset.saturating_add(1);
        notes.push(format!("Characters {first} to {end} of {total}. Continue with offset {end}."));
    } else if *offset > 0 {
        notes.push(format!("This is the end of the text, which has {total} characters."));
    }
    if let Some(bytes) = output.cut_at_bytes {
        notes.push(format!("Incomplete: the page is longer; only its first {bytes} bytes were read."));
    }
    notes
}
