//! What the search tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `web_search` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebSearchArgs {
    /// What to search for, in words as for any search engine; 400 characters at most.
    pub(crate) query: String,
    /// How many pages to list, 1 to 20; 10 if left out.
    pub(crate) count: Option<u32>,
}

/// What was found on the web.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct WebSearchOutput {
    /// The pages, the best first.
    pub(crate) sources: Vec<FoundPage>,
    /// An answer in words, where the provider gives one.
    pub(crate) answer: Option<String>,
    /// Whether there are more pages than listed.
    pub(crate) truncated: bool,
}

/// One page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct FoundPage {
    /// Its title, on one line.
    pub(crate) title: String,
    /// Its address.
    pub(crate) url: String,
    /// What it says about the query; may be empty.
    pub(crate) snippet: String,
}
