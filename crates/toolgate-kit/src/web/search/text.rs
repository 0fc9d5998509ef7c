//! What the model reads of a search.

use toolgate::{ContentBlock, JsonValue};

use super::types::WebSearchOutput;
use crate::text::{blocks, text_argument};
use crate::workspace::shown_text;

/// The answer, then the pages with number, title, address and snippet.
pub(super) fn render(args: &JsonValue, output: &WebSearchOutput) -> Vec<ContentBlock> {
    let pages = output.sources.iter().zip(1..).map(|(page, number)| {
        let snippet = if page.snippet.is_empty() { String::new() } else { format!("\n   {}", page.snippet) };
        format!("{number}. {}\n   {}{snippet}", page.title, page.url)
    });
    let parts = output.answer.iter().cloned().chain(pages).collect::<Vec<_>>();
    let mut notes = Vec::new();
    if output.sources.is_empty() {
        let query = shown_text(text_argument(args, "query").unwrap_or_default());
        notes.push(format!("Nothing was found for `{query}`."));
    } else if output.truncated {
        notes.push("There are more pages. Make the query more precise to see others.".to_owned());
    }
    blocks(parts.join("\n\n"), &notes)
}
