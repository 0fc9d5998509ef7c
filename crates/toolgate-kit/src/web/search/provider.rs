//! What a search provider is.

use std::future::Future;
use std::pin::Pin;

use toolgate::ToolError;

use crate::codes::WEB_ERROR;
use crate::web::error::WebError;

/// Answers searches.
pub trait SearchProvider: Send + Sync + 'static {
    /// Finds at most `count` pages, 1 to 20, for `query`, a text of 1 to 400 characters. The best come first.
    ///
    /// An implementation is dropped when the call is cancelled or its time is over, and must leave nothing running.
    /// It never puts its key into an error.
    ///
    /// # Errors
    /// [`SearchError::Unconfigured`] where something has to be set up first, else [`SearchError::Failed`].
    fn search<'a>(
        &'a self,
        query: &'a str,
        count: u32,
    ) -> Pin<Box<dyn Future<Output = Result<SearchAnswer, SearchError>> + Send + 'a>>;
}

/// What a provider found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchAnswer {
    /// The pages.
    pub sources: Vec<SearchSource>,
    /// An answer in words, from providers that give one.
    pub answer: Option<String>,
    /// Whether the provider has more pages.
    pub truncated: bool,
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchSource {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What it says about the query, in a few lines; may be empty.
    pub snippet: String,
}

/// A search that was not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The provider lacks something that whoever runs the program has to set up; code `SEARCH_UNAVAILABLE`.
    #[error("web search is not available: {what}")]
    Unconfigured {
        /// What is missing or wrong.
        what: String,
        /// What to set, and where.
        hint: String,
    },
    /// The provider did not answer, or not with what it should; code `SEARCH_FAILED`.
    #[error("the search failed: {what}")]
    Failed {
        /// What happened.
        what: String,
        /// What to do.
        hint: String,
    },
}

impl SearchError {
    pub(super) fn into_tool_error(self) -> ToolError {
        let (code, hint) = match &self {
            Self::Unconfigured { hint, .. } => ("SEARCH_UNAVAILABLE", hint),
            Self::Failed { hint, .. } => ("SEARCH_FAILED", hint),
        };
        ToolError::coded(WEB_ERROR, code, format!("{self}\nhint: {hint}"))
    }
}

impl From<WebError> for SearchError {
    fn from(error: WebError) -> Self {
        Self::Failed { what: error.to_string(), hint: error.hint().to_owned() }
    }
}
