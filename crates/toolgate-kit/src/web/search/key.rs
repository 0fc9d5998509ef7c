//! The key of a search provider, as the header that carries it.

use hyper::header::HeaderValue;

use super::SearchError;
use crate::key::KeySource;

/// Fetches the key, marked so that HTTP libraries do not show it.
pub(super) async fn header(source: &KeySource) -> Result<HeaderValue, SearchError> {
    let missing = |what: String| SearchError::Unconfigured { what, hint: hint(source) };
    let key = source.fetch().await.map_err(|error| missing(error.to_string()))?;
    let mut value =
        HeaderValue::from_str(key.reveal()).map_err(|_| missing("no header can carry the key".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn hint(source: &KeySource) -> String {
    let here = source.remedy();
    format!(
        "whoever runs this program can {here}, or name another place in `key` of the section `[web.search]` of the \
         configuration; a key for the Brave Search API comes from https://brave.com/search/api"
    )
}
