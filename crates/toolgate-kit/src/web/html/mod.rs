//! HTML to Markdown, in one pass and without a tree.
//!
//! A page comes from anybody. Converters that build a document first need a hundred times the page's memory or run
//! out of stack on pages of nothing but open tags; here a tokenizer feeds a writer whose state is a short list of open
//! containers, so that time is linear in the page, memory is bounded by page and output, and nothing recurses.
//!
//! The Markdown is for reading by a model: text is not escaped, and what only styles is left out.

mod inline;
mod markdown;
mod walk;

use url::Url;

use crate::stop::{Stop, Stopped};

/// What a page says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its title, on one line.
    pub(crate) title: Option<String>,
    /// Its text as Markdown.
    pub(crate) markdown: String,
    /// Whether the Markdown was cut because it grew longer than allowed.
    pub(crate) cut: bool,
}

/// Reads a page whose address is `base`. The Markdown has at most about `limit` bytes.
pub(crate) fn read_page(html: &str, base: Option<&Url>, limit: usize, stop: &Stop) -> Result<Page, Stopped> {
    walk::walk(html, base, limit, stop)
}

#[cfg(test)]
mod tests;
