//! [`connect_http`]: from a URL to a transport.

use std::collections::BTreeMap;
use std::fmt;

use futures_util::future::Either;
use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::auth::AuthClient;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use url::Url;

use super::request::{self, Target};
use super::{HttpClient, HttpError};
use crate::frame::{FrameLimits, Frames, Ledger};
use crate::transport::oauth::{self, OAuth, OAuthError};

use crate::transport::{Answers, Connected, Diagnostics};

/// Headers that belong to the protocol, not to a configuration.
const RESERVED: &[&str] =
    &["accept", "content-type", "mcp-session-id", "mcp-protocol-version", "last-event-id", "host"];

/// A server behind a URL.
#[derive(Clone)]
pub struct HttpServer {
    /// Where it is: `http` or `https`.
    pub url: String,
    /// What every request carries, such as a key. The values are in no message.
    pub headers: BTreeMap<String, String>,
    /// Who asks.
    pub auth: HttpAuth,
    /// How large its messages may be: events and bodies.
    pub limits: FrameLimits,
}

impl HttpServer {
    /// A server that wants nothing but requests.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: BTreeMap::new(),
            auth: HttpAuth::None,
            limits: FrameLimits::default(),
        }
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&String> = self.headers.keys().collect();
        f.debug_struct("HttpServer").field("headers", &headers).finish_non_exhaustive()
    }
}

/// Who asks.
#[derive(Clone, Debug, Default)]
pub enum HttpAuth {
    /// Whoever the headers say.
    #[default]
    None,
    /// Somebody who has logged in by OAuth. Without tokens, or when they are of no use any more, requests fail, and
    /// [`is_login_required`](super::is_login_required) says so.
    OAuth(OAuth),
}

/// A server cannot be connected to as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum ConnectHttpError {
    /// The URL is none of a server.
    #[error("the URL of the server cannot be used: {0}\nhint: it begins with https:// or http://")]
    Url(String),
    /// A header cannot be sent.
    #[error("the header {name} cannot be sent: {why}")]
    Header {
        /// Its name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// The system has no TLS, or no name service.
    #[error("no HTTP client can be made: {0}")]
    Client(String),
    /// The tokens cannot be used.
    #[error(transparent)]
    OAuth(#[from] OAuthError),
}

/// Makes a transport for a server. It connects with the first message, inside of a `tokio` runtime.
///
/// A session that the server has forgotten is not begun again here: the error says so, and so do the diagnostics.
///
/// # Errors
/// The URL or a header is not one, or the stored tokens cannot be read.
pub async fn connect_http(server: HttpServer) -> Result<Connected<HttpTransport>, ConnectHttpError> {
    let HttpServer { url, headers, auth, limits } = server;
    let url = parse(&url)?;
    let headers = parse_headers(&headers)?;
    let client = request::client().map_err(ConnectHttpError::Client)?;
    let (ledger, diagnostics) = (Ledger::default(), Diagnostics::default());
    let answers = ledger.answers();
    let frames = Frames { limits, ledger, notes: diagnostics.clone() };
    let client = HttpClient::new(Target { client, headers }, frames);
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str()).reinit_on_expired_session(false);
    let transport = match auth {
        HttpAuth::None => Inner::Plain(StreamableHttpClientTransport::with_client(client, config)),
        HttpAuth::OAuth(oauth) => {
            let manager = oauth::manager_with_tokens(&url, &oauth).await?;
            let client = AuthClient::new(client, manager);
            Inner::Authorized(StreamableHttpClientTransport::with_client(client, config))
        }
    };
    Ok(Connected {
        transport: HttpTransport { inner: transport, answers: Answers::new() },
        diagnostics,
        answers,
    })
}

/// The address of a server.
pub(crate) fn parse(url: &str) -> Result<Url, ConnectHttpError> {
    let parsed = Url::parse(url).map_err(|error| ConnectHttpError::Url(error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(ConnectHttpError::Url(format!("its scheme is {}", parsed.scheme())));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(ConnectHttpError::Url("it holds a password; put that into a header".to_owned()));
    }
    Ok(parsed)
}

fn parse_headers(headers: &BTreeMap<String, String>) -> Result<HeaderMap, ConnectHttpError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let fault = |why| ConnectHttpError::Header { name: name.clone(), why };
        let parsed = HeaderName::try_from(name).map_err(|_| fault("its name is not one that HTTP allows"))?;
        if RESERVED.contains(&parsed.as_str()) {
            return Err(fault("the protocol sets it itself"));
        }
        let mut value =
            HeaderValue::try_from(value).map_err(|_| fault("its value is not one that HTTP allows"))?;
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}

/// A server behind a URL, as a transport for `rmcp`. Closing it ends the session.
pub struct HttpTransport {
    inner: Inner,
    answers: Answers,
}

enum Inner {
    Plain(StreamableHttpClientTransport<HttpClient>),
    Authorized(StreamableHttpClientTransport<AuthClient<HttpClient>>),
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").finish_non_exhaustive()
    }
}

impl Transport<RoleClient> for HttpTransport {
    type Error = StreamableHttpError<HttpError>;

    fn name() -> std::borrow::Cow<'static, str> {
        "streamable HTTP".into()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let is_answer = matches!(message, ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_));
        let sending = match &mut self.inner {
            Inner::Plain(transport) => Either::Left(transport.send(message)),
            Inner::Authorized(transport) => Either::Right(transport.send(message)),
        };
        self.answers.clone().send(is_answer, sending)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        // A server that asks and does not take its answers is not listened to until it does.
        self.answers.room().await;
        match &mut self.inner {
            Inner::Plain(transport) => transport.receive().await,
            Inner::Authorized(transport) => transport.receive().await,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        match &mut self.inner {
            Inner::Plain(transport) => transport.close().await,
            Inner::Authorized(transport) => transport.close().await,
        }
    }
}
