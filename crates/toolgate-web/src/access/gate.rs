//! The gate: who may talk to the server. Every request passes it before any page sees it.
//!
//! 1. The `Host` is one of ours, so that a foreign name that leads to this machine (DNS rebinding) reaches nothing.
//! 2. The `Origin`, and what the browser says of it, is our own page; a request that changes something has to name it.
//! 3. The cookie holds the secret. A browser gets it by a link that is good for one use.
//!
//! What any of them refuses has changed nothing and learns nothing.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::headers::protected;
use super::secret::{NoRandomness, Secret};

/// How many links may wait for their use; the oldest is forgotten first.
const MOST_LINKS: usize = 32;

/// How long a browser keeps the cookie, in seconds: 30 days.
const COOKIE_LASTS: u32 = 30 * 24 * 60 * 60;

/// The page that a link leads to.
pub(crate) const ENTRANCE: &str = "/enter";

/// What the gate knows.
#[derive(Debug)]
pub(crate) struct Gate {
    secret: Secret,
    hosts: HashSet<String>,
    /// The first of them, for links.
    host: String,
    /// Browsers send cookies to every port of a host, so that servers need different names for theirs.
    cookie: String,
    links: Mutex<Vec<Secret>>,
}

impl Gate {
    /// A gate for a server at that address, which is also reached under `names` (with a port where it is not 80).
    pub(crate) fn new(secret: Secret, address: SocketAddr, names: &[String]) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]);
        }
        hosts.extend(names.iter().map(|name| name.to_ascii_lowercase()));
        let host = names.first().cloned().unwrap_or_else(|| address.to_string());
        let cookie = format!("toolgate_{port}");
        Self { secret, hosts: hosts.into_iter().collect(), host, cookie, links: Mutex::default() }
    }

    /// Where the server is.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.host)
    }

    /// A link that lets one browser in, once.
    pub(crate) fn link(&self) -> Result<String, NoRandomness> {
        let link = Secret::draw()?;
        let text = format!("{}{ENTRANCE}?link={}", self.address(), link.reveal());
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.len() >= MOST_LINKS {
            links.remove(0);
        }
        links.push(link);
        Ok(text)
    }

    /// Uses a link up. False where there is none like it.
    fn take(&self, digits: &str) -> bool {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let before = links.len();
        links.retain(|link| !link.is(digits));
        links.len() < before
    }

    fn enter(&self, query: Option<&str>) -> Response {
        let link = query.and_then(|query| query.strip_prefix("link=")).unwrap_or_default();
        if !self.take(link) {
            let message = "This link was used already, or is none.\nhint: ask for another one on a page that is open, or \
                           start `toolgate web` again.";
            return (StatusCode::UNAUTHORIZED, message).into_response();
        }
        let cookie = format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_LASTS}",
            self.cookie,
            self.secret.reveal()
        );
        let mut response = (StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response();
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        response
    }

    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        host.to_str().is_ok_and(|host| self.hosts.contains(&host.to_ascii_lowercase()))
    }

    /// Whether the request comes from a page of ours, or from a person who opens an address.
    fn is_own_page(&self, method: &Method, headers: &HeaderMap) -> bool {
        let changes = method != Method::GET && method != Method::HEAD;
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let site = text("sec-fetch-site");
        let is_opened = !changes && text("sec-fetch-mode") == Some("navigate");
        if !is_opened && !matches!(site, None | Some("same-origin" | "none")) {
            return false;
        }
        match headers.get(ORIGIN) {
            None => !changes,
            Some(origin) => {
                let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
                host.is_some_and(|host| self.hosts.contains(&host.to_ascii_lowercase()))
            }
        }
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && self.secret.is(value))
    }
}

/// Lets a request through, or answers it.
pub(crate) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let response = if !gate.is_own_host(headers) {
        (StatusCode::MISDIRECTED_REQUEST, "This server does not answer for that host.").into_response()
    } else if !matches!(*method, Method::GET | Method::HEAD | Method::POST) {
        StatusCode::METHOD_NOT_ALLOWED.into_response()
    } else if !gate.is_own_page(method, headers) {
        (StatusCode::FORBIDDEN, "Only this server's own pages may do that.").into_response()
    } else if request.uri().path() == ENTRANCE {
        gate.enter(request.uri().query())
    } else if !gate.has_cookie(headers) {
        let message = "This page is for those who have its link.\nhint: open the link that `toolgate web` showed; each is \
                       good for one browser.";
        (StatusCode::UNAUTHORIZED, message).into_response()
    } else {
        next.run(request).await
    };
    protected(response)
}
