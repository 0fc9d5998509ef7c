//! [`HttpClient`]: the requests of `rmcp`'s worker, with bodies that are bounded and judged before it parses them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use reqwest::Response;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::request::{Parts, Refuser, Target};
use super::stream;
use crate::frame::{Frames, Verdict, to_rmcp};

/// How much of a body is shown that is no message.
const SHOWN: usize = 512;

type Refused = StreamableHttpError<HttpError>;

/// A request could not be sent, or not be answered.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The connection failed.
    #[error("{}", chain(.0))]
    Request(reqwest::Error),
    /// The server sends the client elsewhere, where the configured headers must not go.
    #[error(
        "the server redirects to {0}, which is not followed\nhint: if that is where the server is, put this URL into the \
         configuration"
    )]
    Redirect(String),
    /// A message cannot be written as JSON.
    #[error("the message cannot be written: {0}")]
    Message(#[from] serde_json::Error),
    /// A value does not fit into a header.
    #[error("the value of the header {0} is not one that HTTP allows")]
    Header(&'static str),
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        // The query of a URL may be a secret.
        Self::Request(error.without_url())
    }
}

fn chain(error: &reqwest::Error) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn failed(error: impl Into<HttpError>) -> Refused {
    StreamableHttpError::Client(error.into())
}

/// The HTTP side of one connection. Its values never show a header.
#[derive(Clone)]
pub struct HttpClient {
    target: Target,
    frames: Frames,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").finish_non_exhaustive()
    }
}

impl HttpClient {
    pub(super) fn new(target: Target, frames: Frames) -> Self {
        Self { target, frames }
    }

    async fn post(
        &self,
        url: Arc<str>,
        message: &ClientJsonRpcMessage,
        parts: Parts,
    ) -> Result<StreamableHttpPostResponse, Refused> {
        let has_session = parts.session.is_some();
        let request = self.target.post(&url, message, parts.clone()).map_err(failed)?;
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        check_challenge(&response)?;
        if status == StatusCode::NOT_FOUND && has_session {
            self.frames.notes.session_lost();
            return Err(StreamableHttpError::SessionExpired);
        }
        check_redirect(&response)?;
        let asked = match message {
            ClientJsonRpcMessage::Request(request) => Some(&request.id),
            ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Error(_) => None,
        };
        let Some(id) = asked else {
            // Nothing that a server says to what is no request matters, unless it refuses it.
            return if status.is_success() {
                Ok(StreamableHttpPostResponse::Accepted)
            } else {
                Err(refusal(response).await)
            };
        };
        let session = header(&response, "mcp-session-id");
        if !status.is_success() {
            return self.post_failed(response, message, id, has_session, session).await;
        }
        match media_type(&response).as_deref() {
            Some("text/event-stream") => {
                let refuser = Refuser { target: self.target.clone(), url, parts };
                let events = stream::judged(response, self.frames.clone(), refuser);
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Some("application/json") => {
                let message = self.answer(response, id).await?;
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            other => Err(StreamableHttpError::UnexpectedContentType(other.map(str::to_owned))),
        }
    }

    /// The message of a body, or the error of the request that it should have answered.
    async fn answer(&self, response: Response, id: &RequestId) -> Result<ServerJsonRpcMessage, Refused> {
        let most = self.frames.limits.max_bytes;
        let verdict = match read(response, most).await.map_err(failed)? {
            Some(body) => self.frames.judge(&body),
            None => self.failure(id, &format!("it is longer than {most} bytes")),
        };
        let verdict = match verdict {
            Verdict::Refused(_) | Verdict::Nothing => {
                self.failure(id, "its body is not an answer to the request")
            }
            verdict @ (Verdict::Sent(_) | Verdict::Mended(_)) => verdict,
        };
        match verdict {
            Verdict::Sent(message) | Verdict::Mended(message) => match to_rmcp(&message)? {
                answer @ (ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)) => Ok(answer),
                ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => Err(no_answer()),
            },
            Verdict::Refused(_) | Verdict::Nothing => Err(no_answer()),
        }
    }

    fn failure(&self, id: &RequestId, reason: &str) -> Verdict {
        self.frames.ledger.forget(id);
        self.frames.fail(id.clone(), reason)
    }

    /// A status that is no success may still carry the error of the request.
    async fn post_failed(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        id: &RequestId,
        has_session: bool,
        session: Option<String>,
    ) -> Result<StreamableHttpPostResponse, Refused> {
        let status = response.status();
        let is_json = media_type(&response).as_deref() == Some("application/json");
        if is_json
            && !matches!(
                status,
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS
            )
            && let Ok(answer @ ServerJsonRpcMessage::Error(_)) = self.answer_of(response, id).await
        {
            return Ok(StreamableHttpPostResponse::Json(answer, session));
        }
        // Servers of before the discovery refuse it in ways of their own.
        let is_discovery = matches!(
            message,
            ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_))
        );
        let is_refusal = status.is_client_error()
            && !matches!(
                status,
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS
            );
        if is_discovery && is_refusal && !has_session {
            self.frames.ledger.forget(id);
            let error = ErrorData::invalid_request(
                format!("the server refused server/discover: HTTP {status}"),
                None,
            );
            return Ok(StreamableHttpPostResponse::Json(
                ServerJsonRpcMessage::error(error, Some(id.clone())),
                None,
            ));
        }
        Err(status_error(status, None))
    }

    /// The error in the body of a failure. Some servers cannot tell which request it was for, but this can.
    async fn answer_of(&self, response: Response, id: &RequestId) -> Result<ServerJsonRpcMessage, Refused> {
        let most = self.frames.limits.max_bytes;
        let Some(body) = read(response, most).await.map_err(failed)? else {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        };
        match serde_json::from_slice(&body)? {
            ServerJsonRpcMessage::Error(error) => {
                self.frames.ledger.forget(id);
                Ok(ServerJsonRpcMessage::error(error.error, Some(id.clone())))
            }
            ServerJsonRpcMessage::Request(_)
            | ServerJsonRpcMessage::Response(_)
            | ServerJsonRpcMessage::Notification(_) => Err(no_answer()),
        }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Refused> {
        self.frames.ledger.sends(&message);
        let parts = Parts { session: session_id, token: auth_header, headers: custom_headers };
        let result = self.post(uri, &message, parts).await;
        if let (Err(_), ClientJsonRpcMessage::Request(request)) = (&result, &message) {
            self.frames.ledger.forget(&request.id);
        }
        result
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Refused> {
        let parts = Parts { session: Some(session_id), token: auth_header, headers: custom_headers };
        let request = self.target.request(Method::DELETE, &uri, parts).map_err(failed)?;
        let status = request.send().await.map_err(failed)?.status();
        match status {
            // It does not delete sessions, or has forgotten this one.
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND => Ok(()),
            status if status.is_success() => Ok(()),
            status => Err(status_error(status, None)),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Refused> {
        let parts = Parts { session: session_id, token: auth_header, headers: custom_headers };
        let mut request = self.target.request(Method::GET, &uri, parts.clone()).map_err(failed)?;
        if let Some(last) = last_event_id {
            let last =
                HeaderValue::from_str(&last).map_err(|_| failed(HttpError::Header("Last-Event-ID")))?;
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.map_err(failed)?;
        check_challenge(&response)?;
        check_redirect(&response)?;
        match response.status() {
            // A server without such a stream; that a session is lost shows in the next request.
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND => {
                return Err(StreamableHttpError::ServerDoesNotSupportSse);
            }
            status if !status.is_success() => return Err(refusal(response).await),
            _ => {}
        }
        match media_type(&response).as_deref() {
            Some("text/event-stream") => {
                let refuser = Refuser { target: self.target.clone(), url: uri, parts };
                Ok(stream::judged(response, self.frames.clone(), refuser))
            }
            other => Err(StreamableHttpError::UnexpectedContentType(other.map(str::to_owned))),
        }
    }
}

fn no_answer() -> Refused {
    StreamableHttpError::UnexpectedServerResponse(Cow::Borrowed("its body is not an answer to the request"))
}

/// Whether the server wants to know who asks.
fn check_challenge(response: &Response) -> Result<(), Refused> {
    let Some(challenge) = header(response, WWW_AUTHENTICATE.as_str()) else { return Ok(()) };
    match response.status() {
        StatusCode::UNAUTHORIZED => Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))),
        StatusCode::FORBIDDEN => {
            let scope = scope_of(&challenge);
            Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope)))
        }
        _ => Ok(()),
    }
}

/// The scope that a challenge asks for.
fn scope_of(challenge: &str) -> Option<String> {
    let start = challenge.to_ascii_lowercase().find("scope=")? + "scope=".len();
    let rest = challenge.get(start..)?;
    let scope = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ' ']).next(),
    };
    scope.filter(|scope| !scope.is_empty()).map(str::to_owned)
}

fn check_redirect(response: &Response) -> Result<(), Refused> {
    if !response.status().is_redirection() {
        return Ok(());
    }
    let place = header(response, LOCATION.as_str()).unwrap_or_else(|| "nowhere".to_owned());
    let place = place.split(['?', '#']).next().unwrap_or_default().chars().take(SHOWN).collect();
    Err(failed(HttpError::Redirect(place)))
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn media_type(response: &Response) -> Option<String> {
    let value = header(response, CONTENT_TYPE.as_str())?;
    value.split(';').next().map(|kind| kind.trim().to_ascii_lowercase())
}

fn status_error(status: StatusCode, retry_after: Option<String>) -> Refused {
    HttpStatusError::new(status.as_u16(), retry_after).into()
}

/// A status that is no success, with the beginning of what the server says to it.
async fn refusal(response: Response) -> Refused {
    let status = response.status();
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        return status_error(status, header(&response, RETRY_AFTER.as_str()));
    }
    let body = read(response, 64 << 10).await.ok().flatten().unwrap_or_default();
    let text: String = String::from_utf8_lossy(&body).chars().take(SHOWN).collect();
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!("HTTP {status}: {text}")))
}

/// The whole body, or none where it is longer than it may be.
async fn read(response: Response, most: usize) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
