//! What the fetch tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// The arguments of the `web_fetch` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebFetchArgs {
    /// The absolute `http` or `https` address of the page, without user name and password.
    pub(crate) url: String,
    /// How many characters of the page's text to leave out at its start; 0 if left out. To read on in a long page, give
    /// the offset that the result before named.
    pub(crate) offset: Option<u64>,
}

/// A window of the text of a page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct WebFetchOutput {
    /// The address after redirects.
    pub(crate) url: String,
    /// The HTTP status. A page that is an error page is returned like any other.
    pub(crate) status_code: u16,
    /// The type that the server gave the page; empty if none.
    pub(crate) content_type: String,
    /// The title of an HTML page.
    pub(crate) title: Option<String>,
    /// The text from `offset` on: Markdown for an HTML page, else the text as it is.
    pub(crate) text: String,
    /// How many characters were left out before `text`.
    pub(crate) offset: u64,
    /// How many characters the text has in all, as far as the page was read.
    pub(crate) total_characters: u64,
    /// Whether anything of the page is missing here after `text`.
    pub(crate) truncated: bool,
    /// Where the page was read only in part: how many bytes of it were read.
    pub(crate) cut_at_bytes: Option<u64>,
}
