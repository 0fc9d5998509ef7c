//! One request and the head of its answer.
//!
//! The connection is polled by whoever waits for the answer, so there is no task to leak: dropping a [`Reply`] closes
//! its socket.

use std::error::Error as _;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, HOST, HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::TokioIo;

use super::connect::connect;
use super::tls::Tls;
use super::{AddressPolicy, HostResolver, Target};
use crate::web::config::WebConfig;
use crate::web::error::WebError;

/// How many bytes the head of an answer may have. It is also the size of the read buffer.
const MOST_HEAD: usize = 64 * 1024;

/// How many header lines an answer may have.
const MOST_HEADERS: usize = 100;

/// Who asks.
const AGENT: &str = concat!("toolgate/", env!("CARGO_PKG_VERSION"));

/// Sends requests to permitted addresses. Proxies that the environment names are not used: behind one, nobody could
/// check which address is contacted.
pub(crate) struct HttpClient {
    policy: AddressPolicy,
    resolver: Arc<dyn HostResolver>,
    tls: Tls,
}

/// The head of an answer, and the connection that its body comes from.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    host: String,
    body: Incoming,
    driver: Driver,
}

impl HttpClient {
    pub(crate) fn new(config: &WebConfig, policy: AddressPolicy, resolver: Arc<dyn HostResolver>) -> Self {
        Self { policy, resolver, tls: Tls::new(config.ca_files.clone()) }
    }

    /// Sends one GET with these headers besides the usual ones. It follows no redirect.
    pub(crate) async fn get(
        &self,
        target: &Target,
        accept: &'static str,
        extra: Option<(HeaderName, HeaderValue)>,
    ) -> Result<Reply, WebError> {
        let request = request(target, accept, extra)?;
        let connection = connect(target, self.resolver.as_ref(), &self.policy, &self.tls).await?;
        let host = target.authority().to_owned();
        let mut builder = http1::Builder::new();
        builder.max_buf_size(MOST_HEAD).max_headers(MOST_HEADERS);
        let (mut sender, connection) =
            builder.handshake(TokioIo::new(connection)).await.map_err(|error| bad_answer(&host, &error))?;
        let mut driver = Driver(Some(Box::pin(connection)));
        let answer = driver.beside(sender.send_request(request)).await;
        let (head, body) = answer.map_err(|error| bad_answer(&host, &error))?.into_parts();
        Ok(Reply { status: head.status, headers: head.headers, host, body, driver })
    }
}

impl Reply {
    /// The next bytes of the body; `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, WebError> {
        loop {
            match self.driver.beside(self.body.frame()).await.transpose() {
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => {
                    // Trailers say nothing that is needed here.
                    if let Ok(data) = Frame::into_data(frame) {
                        return Ok(Some(data));
                    }
                }
                Err(error) => return Err(bad_answer(&self.host, &error)),
            }
        }
    }

    /// An error about the answer of this host.
    pub(super) fn bad(&self, why: impl Into<String>) -> WebError {
        WebError::BadAnswer { host: self.host.clone(), why: why.into() }
    }
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

fn request(
    target: &Target,
    accept: &'static str,
    extra: Option<(HeaderName, HeaderValue)>,
) -> Result<Request<Empty<Bytes>>, WebError> {
    let request = Request::get(target.path())
        .header(HOST, target.authority())
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, accept)
        .header(ACCEPT_ENCODING, "gzip")
        .header(CONNECTION, "close");
    let request = extra.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    let invalid =
        |error: hyper::http::Error| WebError::InvalidUrl { url: target.shown(), why: error.to_string() };
    request.body(Empty::new()).map_err(invalid)
}

fn bad_answer(host: &str, error: &hyper::Error) -> WebError {
    let why = match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    WebError::BadAnswer { host: host.to_owned(), why }
}
