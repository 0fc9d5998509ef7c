//! [`Door`]: one request on its way to the conversation that it belongs to.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::timeout;

use super::super::ingress::{self, Taken, Verdict};
use super::super::server::{Server, Via};
use super::super::shared::Shared;
use super::sessions::Sessions;
use super::{Access, HttpOptions, next_caller};

/// The body of an answer.
pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The path of the protocol; a profile's is below it.
const PATH: &str = "/mcp";

/// The header with the id of a session.
const SESSION: &str = "mcp-session-id";

pub(super) struct Door {
    shared: Arc<Shared>,
    access: Access,
    /// By the profile that was chosen, and the place of the credential.
    rooms: HashMap<(Option<String>, Option<usize>), Room>,
}

/// What one caller has of its own.
struct Room {
    service: StreamableHttpService<Server, Sessions>,
    sessions: Arc<Sessions>,
}

impl Door {
    pub(super) fn new(shared: &Arc<Shared>, options: HttpOptions) -> Self {
        let HttpOptions { access, hosts, origins } = options;
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(shared.limits.message_bytes)
            .with_cancellation_token(shared.ended.child_token());
        let places = Arc::new(Semaphore::new(shared.limits.sessions));
        let profiles = shared.profiles.iter().map(|profile| Some(profile.name().to_owned()));
        let mut rooms = HashMap::new();
        for profile in profiles.chain([None]) {
            for place in access.places() {
                let credential = place.and_then(|place| access.credential(place));
                let via = Via {
                    profile: profile.clone(),
                    credential: credential.map(|credential| credential.name().to_owned()),
                    caller: next_caller(),
                    places: Arc::new(Semaphore::new(shared.limits.calls)),
                };
                let sessions = Arc::new(Sessions::new(shared.limits, Arc::clone(&places)));
                let conversations = Arc::clone(shared);
                let open = move || {
                    Ok(Server::new(Arc::clone(&conversations), via.clone(), Arc::new(OnceCell::new())))
                };
                let service = StreamableHttpService::new(open, Arc::clone(&sessions), config.clone());
                rooms.insert((profile.clone(), place), Room { service, sessions });
            }
        }
        Self { shared: Arc::clone(shared), access, rooms }
    }

    /// Closes the sessions that nobody uses.
    pub(super) async fn expire(&self) {
        for room in self.rooms.values() {
            room.sessions.expire().await;
        }
    }

    /// Answers one request.
    pub(super) async fn enter(&self, request: Request<Incoming>) -> Answer {
        match self.admit(request).await {
            Ok(answer) | Err(answer) => answer,
        }
    }

    async fn admit(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        let (mut parts, body) = request.into_parts();
        let room = self.room(&parts).map_err(|refused| *refused)?;
        if self.shared.closing.is_cancelled() {
            return Err(busy("the gateway is shutting down"));
        }
        let session = text_of(&parts.headers, SESSION);
        let activity = session.and_then(|id| room.sessions.activity(id));
        let _busy = activity.as_ref().map(|activity| activity.busy());
        if let Some(activity) = &activity {
            parts.extensions.insert(Arc::clone(activity));
        }
        if parts.method != Method::POST {
            return Ok(room.service.handle(Request::from_parts(parts, Full::new(Bytes::new()))).await);
        }
        let text = self.read(&parts, body).await?;
        let Taken { message, arguments } = match ingress::judge(&text) {
            Verdict::Taken(taken) => taken,
            Verdict::Refused(refused) => {
                let text = serde_json::to_vec(&refused).unwrap_or_default();
                return Err(answer(StatusCode::BAD_REQUEST, "application/json", text));
            }
            Verdict::Nothing => {
                return Err(plain(StatusCode::BAD_REQUEST, "the body holds no message that can be taken"));
            }
        };
        let is_opening = message.get("method").is_some_and(|method| method == "initialize");
        if is_opening && session.is_none() && room.sessions.is_full() {
            return Err(busy("there are as many sessions as may be"));
        }
        if let Some(arguments) = arguments {
            parts.extensions.insert(arguments);
        }
        let text = Bytes::from(message.to_text());
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
        Ok(room.service.handle(Request::from_parts(parts, Full::new(text))).await)
    }

    /// The room of a caller: by its credential and its path.
    fn room(&self, parts: &Parts) -> Result<&Room, Box<Answer>> {
        let Some(place) = self.access.admits(text_of(&parts.headers, AUTHORIZATION.as_str())) else {
            let mut refused = plain(StatusCode::UNAUTHORIZED, "a bearer token is needed, and a valid one");
            refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return Err(Box::new(refused));
        };
        let missing = || {
            Box::new(plain(
                StatusCode::NOT_FOUND,
                "there is nothing here; the path is /mcp, or /mcp/ and a profile",
            ))
        };
        let asked = match parts.uri.path().strip_prefix(PATH) {
            Some("" | "/") => None,
            Some(below) => Some(below.strip_prefix('/').ok_or_else(missing)?),
            None => return Err(missing()),
        };
        let credential = place.and_then(|place| self.access.credential(place));
        let bound = credential.and_then(|credential| credential.profile());
        if let (Some(asked), Some(bound)) = (asked, bound)
            && asked != bound
        {
            return Err(Box::new(plain(StatusCode::FORBIDDEN, "the token is for another profile")));
        }
        let profile = asked.or(bound).map(str::to_owned);
        self.rooms.get(&(profile, place)).ok_or_else(missing)
    }

    /// Reads a body, as much and as long as it may.
    async fn read(&self, parts: &Parts, body: Incoming) -> Result<Bytes, Answer> {
        let most = self.shared.limits.message_bytes;
        let too_large = || plain(StatusCode::PAYLOAD_TOO_LARGE, &format!("a body has at most {most} bytes"));
        let announced =
            text_of(&parts.headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<u64>().ok());
        if announced.is_some_and(|length| length > most as u64) {
            return Err(too_large());
        }
        match timeout(self.shared.limits.request_time, Limited::new(body, most).collect()).await {
            Ok(Ok(whole)) => Ok(whole.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
            Ok(Err(_)) => Err(plain(StatusCode::BAD_REQUEST, "the body could not be read")),
            Err(_) => Err(plain(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
        }
    }
}

fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn plain(status: StatusCode, text: &str) -> Answer {
    answer(status, "text/plain; charset=utf-8", text.as_bytes().to_vec())
}

fn busy(text: &str) -> Answer {
    let mut answer = plain(StatusCode::SERVICE_UNAVAILABLE, text);
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    answer
}

fn answer(status: StatusCode, kind: &'static str, text: Vec<u8>) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}
