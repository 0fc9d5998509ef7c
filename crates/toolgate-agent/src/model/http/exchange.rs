//! One POST, sent again while the provider is busy, and the pieces of its answer.

use std::error::Error as _;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use toolgate::text::shortened;
use url::{Position, Url};

use super::connection::connect;
use super::retry::{is_passing, wait_after};
use crate::model::ModelError;
use crate::model::provider::Provider;

/// How much is read of an answer that is an error.
const MOST_ERROR: usize = 64 * 1024;

/// How many bytes an answer may have on the wire, whatever they say.
const MOST_ANSWER: usize = 256 << 20;

/// Who asks.
const AGENT: &str = concat!("toolgate/", env!("CARGO_PKG_VERSION"));

/// Sends requests to one provider.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) provider: Provider,
}

/// A request.
pub(crate) struct Post {
    /// What is added to the base address.
    pub(crate) path: &'static str,
    /// JSON.
    pub(crate) body: Vec<u8>,
    /// The name of the header that carries the key, and what stands before the key there.
    pub(crate) key_header: (HeaderName, &'static str),
    pub(crate) extra: Vec<(HeaderName, HeaderValue)>,
}

impl Post {
    /// A request whose key is a bearer's token.
    pub(crate) fn with_bearer(path: &'static str, body: Vec<u8>) -> Self {
        Self { path, body, key_header: (AUTHORIZATION, "Bearer "), extra: Vec::new() }
    }
}

impl Client {
    /// Sends a request until it is answered, refused for good, or tried often enough.
    pub(crate) async fn post(&self, post: &Post) -> Result<Reply, ModelError> {
        let url = self.url(post.path)?;
        let mut attempt = 1;
        loop {
            let (failure, asked) = match self.attempt(&url, post).await {
                Ok(reply) if reply.status.is_success() => return Ok(reply),
                Ok(reply) => {
                    let asked = reply.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                    let asked = asked.map(str::to_owned);
                    let is_passing = is_passing(reply.status);
                    let refused = self.refused(&url, reply).await;
                    if !is_passing {
                        return Err(refused);
                    }
                    (refused, asked)
                }
                // The connection broke before there was an answer: the provider is busy, or going away.
                Err(cut @ ModelError::Cut { .. }) => (cut, None),
                Err(error) => return Err(error),
            };
            let Some(wait) =
                wait_after(attempt, asked.as_deref(), &self.provider.patience, SystemTime::now())
            else {
                return Err(failure);
            };
            tracing::info!(target: "toolgate", "the request is sent again in {} ms: {failure}", wait.as_millis());
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    fn url(&self, path: &str) -> Result<Url, ModelError> {
        let text = format!("{}{path}", self.provider.base_url.trim_end_matches('/'));
        let invalid = |why: String| ModelError::Unreachable {
            url: without_secrets(&text),
            why,
            hint: "a base address looks like `http://127.0.0.1:11434/v1`".to_owned(),
        };
        let url = Url::parse(&text).map_err(|error| invalid(error.to_string()))?;
        // Addresses are shown and logged, and keys are not.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("an address with a name or a password in it is not used".to_owned()));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("a base address has nothing behind its path".to_owned()));
        }
        match url.scheme() {
            "http" | "https" => Ok(url),
            scheme => Err(invalid(format!("`{scheme}` is no scheme of a provider"))),
        }
    }

    async fn attempt(&self, url: &Url, post: &Post) -> Result<Reply, ModelError> {
        let patience = self.provider.patience;
        let request = self.request(url, post)?;
        let connection = connect(url, patience.connect).await?;
        let shaken = http1::Builder::new().handshake(TokioIo::new(connection)).await;
        let (mut sender, connection) = shaken.map_err(|error| cut(&error))?;
        let mut driver = Driver(Some(Box::pin(connection)));
        let answer = driver.beside(sender.send_request(request));
        let answer = within(url, patience.first_byte, answer).await?;
        let (head, body) = answer.map_err(|error| cut(&error))?.into_parts();
        let url = url.to_string();
        Ok(Reply {
            status: head.status,
            headers: head.headers,
            url,
            body,
            driver,
            idle: patience.idle,
            read: 0,
        })
    }

    fn request(&self, url: &Url, post: &Post) -> Result<Request<Full<Bytes>>, ModelError> {
        let invalid = |why: String| ModelError::Unreachable {
            url: url.to_string(),
            why,
            hint: "look at the address and the key of the provider".to_owned(),
        };
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let mut request = Request::post(path)
            .header(HOST, authority)
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .header(CONNECTION, "close");
        if let Some(key) = &self.provider.key {
            let (name, prefix) = &post.key_header;
            let value = HeaderValue::from_str(&format!("{prefix}{}", key.reveal()));
            let mut value =
                value.map_err(|_| invalid("the key has characters that no header has".to_owned()))?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        for (name, value) in &post.extra {
            request = request.header(name, value);
        }
        let body = Full::new(Bytes::from(post.body.clone()));
        request.body(body).map_err(|error| invalid(error.to_string()))
    }

    /// What an answer that is no success says.
    async fn refused(&self, url: &Url, reply: Reply) -> ModelError {
        let status = reply.status.as_u16();
        if matches!(status, 401 | 403) && self.provider.key.is_none() {
            let provider = url.host_str().unwrap_or_default().to_owned();
            return ModelError::NoKey { provider, hint: self.provider.key_hint.clone() };
        }
        let text = String::from_utf8_lossy(&reply.beginning().await).into_owned();
        let message = serde_json::from_str::<Problem>(&text).map_or(text, |problem| problem.error.message);
        let refused =
            ModelError::Refused { url: url.to_string(), status, message: shortened(message.trim(), 1_000) };
        refused.without(self.provider.key.as_ref())
    }
}

/// An address that cannot be used, without those parts in which people write keys.
fn without_secrets(text: &str) -> String {
    let (rest, _) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
    match (rest.split_once("://"), rest.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{place}"),
        (None, Some((_, place))) => place.to_owned(),
        (Some(_) | None, None) => rest.to_owned(),
    }
}

/// How providers say what is wrong.
#[derive(Deserialize)]
pub(crate) struct Problem {
    pub(crate) error: ProblemDetail,
}

#[derive(Deserialize)]
pub(crate) struct ProblemDetail {
    pub(crate) message: String,
}

/// The head of an answer, and the connection that the rest comes from.
pub(crate) struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    url: String,
    body: Incoming,
    driver: Driver,
    idle: Duration,
    read: usize,
}

impl Reply {
    /// The next bytes; none at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, ModelError> {
        loop {
            let frame = self.driver.beside(self.body.frame());
            let frame = match tokio::time::timeout(self.idle, frame).await {
                Ok(frame) => frame,
                Err(_) => {
                    return Err(ModelError::Idle { url: self.url.clone(), seconds: self.idle.as_secs() });
                }
            };
            match frame.transpose().map_err(|error| cut(&error))? {
                None => return Ok(None),
                Some(frame) => {
                    // Trailers say nothing that is needed here.
                    let Ok(data) = Frame::into_data(frame) else { continue };
                    self.read = self.read.saturating_add(data.len());
                    if self.read > MOST_ANSWER {
                        return Err(ModelError::TooLarge { limit: MOST_ANSWER });
                    }
                    return Ok(Some(data));
                }
            }
        }
    }

    /// As much of the answer as a message needs.
    async fn beginning(mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Ok(Some(chunk)) = self.chunk().await {
            let room = MOST_ERROR.saturating_sub(bytes.len());
            bytes.extend(chunk.iter().take(room));
            if room == 0 {
                break;
            }
        }
        bytes
    }
}

async fn within<T>(url: &Url, time: Duration, work: impl Future<Output = T>) -> Result<T, ModelError> {
    let idle = |_| ModelError::Idle { url: url.to_string(), seconds: time.as_secs() };
    tokio::time::timeout(time, work).await.map_err(idle)
}

fn cut(error: &hyper::Error) -> ModelError {
    let why = match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    ModelError::Cut { why }
}

/// What moves bytes between the socket and the request.
struct Driver(Option<Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>>);

impl Driver {
    /// Waits for `work` and moves bytes meanwhile. How the connection ends is told by what it does to the work.
    async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            if let Some(connection) = &mut self.0
                && let Poll::Ready(_) = connection.as_mut().poll(cx)
            {
                self.0 = None;
            }
            work.as_mut().poll(cx)
        })
        .await
    }
}
