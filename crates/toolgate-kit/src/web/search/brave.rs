//! The Brave Search API.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderName;
use serde::Deserialize;
use url::Url;

use super::{SearchAnswer, SearchError, SearchProvider, SearchSource, key};
use crate::key::KeySource;
use crate::stop::Stop;
use crate::web::config::SearchConfig;
use crate::web::html::read_page;
use crate::web::http::{HttpClient, Target};
use crate::workspace::shown_text;

/// Where the API is.
const HOME: &str = "https://api.search.brave.com/";

/// How many bytes an answer may have; those of 20 pages have a tenth.
const MOST_BYTES: usize = 1024 * 1024;

/// How many bytes a title or a snippet may have.
const MOST_TEXT: usize = 2000;

/// Asks the Brave Search API.
pub(crate) struct Brave {
    client: Arc<HttpClient>,
    base_url: Option<String>,
    key: KeySource,
}

#[derive(Deserialize)]
struct Answer {
    query: Option<Query>,
    web: Option<Web>,
}

#[derive(Deserialize)]
struct Query {
    more_results_available: Option<bool>,
}

#[derive(Deserialize)]
struct Web {
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    title: String,
    url: String,
    description: Option<String>,
}

impl Brave {
    pub(crate) fn new(client: Arc<HttpClient>, config: &SearchConfig) -> Self {
        Self { client, base_url: config.base_url.clone(), key: config.key.clone() }
    }

    fn target(&self, query: &str, count: u32) -> Result<Target, SearchError> {
        let base = self.base_url.as_deref().unwrap_or(HOME);
        let unusable = |why: String| SearchError::Unconfigured {
            what: format!("`{}` cannot be the provider's address: {why}", shown_text(base)),
            hint: "correct `base_url` in the section `[web.search]` of the configuration".to_owned(),
        };
        let mut url = Url::parse(base)
            .and_then(|base| base.join("res/v1/web/search"))
            .map_err(|error| unusable(error.to_string()))?;
        url.query_pairs_mut()
            .append_pair("q", query)
            .append_pair("count", &count.to_string())
            .append_pair("text_decorations", "false")
            .append_pair("result_filter", "web");
        let target = Target::parse(url.as_str()).map_err(|error| unusable(error.to_string()))?;
        if target.is_tls() || target.is_this_machine() {
            Ok(target)
        } else {
            Err(unusable("it would send the key over a network in plain text".to_owned()))
        }
    }

    async fn ask(&self, query: &str, count: u32) -> Result<SearchAnswer, SearchError> {
        let target = self.target(query, count)?;
        let key = key::header(&self.key).await?;
        let header = (HeaderName::from_static("x-subscription-token"), key);
        let reply = self.client.get(&target, "application/json", Some(header)).await?;
        if let Some(error) = refusal(reply.status) {
            return Err(error);
        }
        let body = reply.read(MOST_BYTES).await?;
        let answer: Answer = serde_json::from_slice(&body.bytes)
            .map_err(|_| failed("the provider's answer is not the JSON that was expected"))?;
        let more = answer.query.and_then(|query| query.more_results_available).unwrap_or(false);
        let found = answer.web.map(|web| web.results).unwrap_or_default();
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        let truncated = more || found.len() > most;
        let sources = found.into_iter().take(most).map(Found::into_source).collect();
        Ok(SearchAnswer { sources, answer: None, truncated })
    }
}

impl SearchProvider for Brave {
    fn search<'a>(
        &'a self,
        query: &'a str,
        count: u32,
    ) -> Pin<Box<dyn Future<Output = Result<SearchAnswer, SearchError>> + Send + 'a>> {
        Box::pin(self.ask(query, count))
    }
}

impl Found {
    fn into_source(self) -> SearchSource {
        SearchSource {
            title: plain(&self.title),
            url: self.url,
            snippet: plain(&self.description.unwrap_or_default()),
        }
    }
}

/// Text with the tags and references of HTML resolved, on one line and bounded.
fn plain(html: &str) -> String {
    let end = html.floor_char_boundary(MOST_TEXT);
    let page = read_page(html.get(..end).unwrap_or(html), None, MOST_TEXT, &Stop::when(|| false));
    let text = page.map(|page| page.markdown).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn failed(what: impl Into<String>) -> SearchError {
    SearchError::Failed { what: what.into(), hint: "try again later".to_owned() }
}

/// What a status other than success means.
fn refusal(status: StatusCode) -> Option<SearchError> {
    match status.as_u16() {
        200..=299 => None,
        401 | 403 => Some(SearchError::Unconfigured {
            what: format!("the provider refused the key (HTTP {})", status.as_u16()),
            hint: "whoever runs this program has to give a valid key; `key` in the section `[web.search]` of the \
                   configuration says where it comes from"
                .to_owned(),
        }),
        429 => Some(SearchError::Failed {
            what: "the provider takes no more searches for now (HTTP 429)".to_owned(),
            hint: "wait before the next search, or search less often".to_owned(),
        }),
        code => Some(failed(format!("the provider answered HTTP {code}"))),
    }
}
