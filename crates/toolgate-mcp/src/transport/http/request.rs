//! The HTTP client, and requests to one server.
//!
//! Called by `client`, `stream` and the log-in. A redirect is followed within one origin only, so that no header of the
//! configuration reaches another server, and no proxy of the environment is used.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use reqwest::redirect::{Attempt, Policy};
use rmcp::model::ClientJsonRpcMessage;
use rustls::{ClientConfig, RootCertStore};

use super::HttpError;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// How many redirects are followed.
const REDIRECTS: usize = 5;

/// How long a refusal may take to be sent.
const REFUSAL: Duration = Duration::from_secs(5);

/// A client that trusts the certificates of the system.
pub(crate) fn client() -> Result<reqwest::Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    // Some of a system's certificates may be unusable; the others count.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(redirect))
        .retry(reqwest::retry::never())
        .no_proxy()
        .user_agent(concat!("toolgate/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| error.to_string())
}

fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_method =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let first = attempt.previous().first();
    let is_same = first.is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps_method && is_same && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// What every request to a server carries.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) client: reqwest::Client,
    /// From the configuration; marked so that no message shows their values.
    pub(super) headers: HeaderMap,
}

/// What one request carries beyond that.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub(super) session: Option<Arc<str>>,
    pub(super) token: Option<String>,
    /// Of the protocol, as its version.
    pub(super) headers: HashMap<HeaderName, HeaderValue>,
}

impl Target {
    /// A request that takes JSON and event streams.
    pub(super) fn request(
        &self,
        method: Method,
        url: &str,
        parts: Parts,
    ) -> Result<reqwest::RequestBuilder, HttpError> {
        let mut headers = self.headers.clone();
        headers.extend(parts.headers.into_iter().map(|(name, value)| (Some(name), value)));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if let Some(session) = parts.session {
            let session = HeaderValue::from_str(&session).map_err(|_| HttpError::Header("Mcp-Session-Id"))?;
            headers.insert(HeaderName::from_static("mcp-session-id"), session);
        }
        if let Some(token) = parts.token {
            let mut token = HeaderValue::from_str(&format!("Bearer {token}"))
                .map_err(|_| HttpError::Header("Authorization"))?;
            token.set_sensitive(true);
            headers.insert(AUTHORIZATION, token);
        }
        Ok(self.client.request(method, url).headers(headers))
    }

    /// A request that brings a message.
    pub(super) fn post(
        &self,
        url: &str,
        message: &ClientJsonRpcMessage,
        parts: Parts,
    ) -> Result<reqwest::RequestBuilder, HttpError> {
        let body = serde_json::to_vec(message)?;
        Ok(self.request(Method::POST, url, parts)?.header(CONTENT_TYPE, "application/json").body(body))
    }
}

/// Sends the server's own requests back that cannot be taken.
#[derive(Clone)]
pub(super) struct Refuser {
    pub(super) target: Target,
    pub(super) url: Arc<str>,
    pub(super) parts: Parts,
}

impl Refuser {
    pub(super) async fn post(&self, answer: &ClientJsonRpcMessage) -> Result<(), HttpError> {
        let request = self.target.post(&self.url, answer, self.parts.clone())?;
        request.timeout(REFUSAL).send().await.map(drop).map_err(HttpError::from)
    }
}
