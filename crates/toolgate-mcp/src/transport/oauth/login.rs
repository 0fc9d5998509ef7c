//! [`begin_login`]: somebody logs in with a browser, whose answer comes to a port of this machine.
//!
//! Called by `toolgate mcp login`. What comes to the port without the secret of this log-in is turned away, and ends
//! nothing.

use std::future::IntoFuture as _;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{StatusCode, Uri};
use axum::response::Html;
use axum::routing::get;
use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use url::Url;

use super::{OAuth, OAuthError, manager};
use crate::transport::http;

/// How long a server may take to say where to log in.
const ASKING: Duration = Duration::from_secs(10);

/// How long the last answer to the browser may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// A log-in that has begun.
pub struct Login {
    session: AuthorizationSession,
    listener: TcpListener,
    /// What the browser has to bring back.
    state: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

/// Finds out who authorizes for a server, registers a client there unless there is one, and waits on a port of this
/// machine for the browser.
///
/// # Errors
/// The server names no authorization server that can be used, or registration is refused, or no port is free.
pub async fn begin_login(url: &str, oauth: &OAuth) -> Result<Login, OAuthError> {
    let url = http::parse(url).map_err(|error| OAuthError::Url(error.to_string()))?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(OAuthError::Listen)?;
    let port = listener.local_addr().map_err(OAuthError::Listen)?.port();
    let mut request = AuthorizationRequest::new(format!("http://127.0.0.1:{port}/callback"))
        .with_client_name("Toolgate")
        .with_scopes(oauth.scopes.clone())
        .with_initial_scope_selection();
    if let Some(client) = &oauth.client {
        request = request.with_preregistered_client(&client.id);
        if let Some(secret) = &client.secret {
            request = request.with_client_secret(secret);
        }
    }
    let mut manager = manager(&url, oauth).await?;
    let challenge = challenge(&url).await;
    let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await?;
    manager.set_metadata(found.metadata);
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
    let state = Url::parse(session.get_authorization_url())
        .ok()
        .and_then(|url| parameter(&url, "state"))
        .ok_or_else(|| OAuthError::Url("the authorization server's has no state".to_owned()))?;
    Ok(Login { session, listener, state })
}

/// What a server says to somebody who asks for its tools without a token: where to log in, and for what. A server that
/// says nothing is one that is asked in other ways.
async fn challenge(url: &Url) -> Option<String> {
    const QUESTION: &str = r#"{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{}}"#;
    let asked = http::client().ok()?.post(url.clone()).timeout(ASKING);
    let asked =
        asked.header(ACCEPT, "application/json, text/event-stream").header(CONTENT_TYPE, "application/json");
    let answer = asked.body(QUESTION).send().await.ok()?;
    let values = answer.headers().get_all(WWW_AUTHENTICATE).iter();
    values.filter_map(|value| value.to_str().ok()).next().map(str::to_owned)
}

impl Login {
    /// What to open in a browser.
    #[must_use]
    pub fn url(&self) -> &str {
        self.session.get_authorization_url()
    }

    /// Waits until somebody has logged in there, and keeps the tokens. Dropping the future ends the log-in.
    ///
    /// # Errors
    /// The person or the server refuses, the code is not taken, the tokens cannot be kept, or nobody comes in time.
    pub async fn wait(self, patience: Duration) -> Result<(), OAuthError> {
        let Self { session, listener, state } = self;
        let (visits, mut visitors) = mpsc::channel::<Visit>(4);
        let (stop, stopped) = oneshot::channel::<()>();
        let app = Router::new().route("/callback", get(visit)).with_state(visits);
        let serving = axum::serve(listener, app).with_graceful_shutdown(async {
            let _ = stopped.await;
        });
        let mut serving = std::pin::pin!(serving.into_future());
        let settling = async {
            while let Some(Visit { uri, reply }) = visitors.recv().await {
                match settle(&session, &state, &uri).await {
                    Some(outcome) => {
                        let _ = reply.send(outcome.as_ref().copied().map_err(ToString::to_string));
                        return outcome;
                    }
                    None => {
                        let _ = reply.send(Err("This is not the answer that is waited for.".to_owned()));
                    }
                }
            }
            Err(OAuthError::Refused("the port was closed".to_owned()))
        };
        let outcome = tokio::select! {
            served = &mut serving => Err(served.err().map_or_else(
                || OAuthError::Refused("the port was closed".to_owned()),
                OAuthError::Listen,
            )),
            outcome = timeout(patience, settling) => {
                outcome.unwrap_or_else(|_| Err(OAuthError::TooLate(patience.as_secs())))
            }
        };
        // The browser gets its page before the port is closed.
        if stop.send(()).is_ok() {
            let _ = timeout(FAREWELL, serving).await;
        }
        outcome
    }
}

/// A browser, and what it is told.
struct Visit {
    uri: Uri,
    reply: oneshot::Sender<Result<(), String>>,
}

async fn visit(State(visits): State<mpsc::Sender<Visit>>, uri: Uri) -> (StatusCode, Html<String>) {
    let (reply, told) = oneshot::channel();
    let gone = || Err("The log-in is over.".to_owned());
    let outcome = match visits.send(Visit { uri, reply }).await {
        Ok(()) => told.await.unwrap_or_else(|_| gone()),
        Err(_) => gone(),
    };
    match outcome {
        Ok(()) => (StatusCode::OK, page("Logged in. You can close this page.")),
        Err(why) => (StatusCode::BAD_REQUEST, page(&why)),
    }
}

fn page(text: &str) -> Html<String> {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    Html(format!("<!doctype html><meta charset=\"utf-8\"><title>Toolgate</title><p>{text}</p>"))
}

/// What the answer of a browser means. Nothing, where it does not bring back the secret of this log-in.
async fn settle(session: &AuthorizationSession, state: &str, uri: &Uri) -> Option<Result<(), OAuthError>> {
    let url = Url::parse("http://127.0.0.1").ok()?.join(uri.path_and_query()?.as_str()).ok()?;
    if parameter(&url, "state").as_deref() != Some(state) {
        return None;
    }
    if let Some(error) = parameter(&url, "error") {
        let more = parameter(&url, "error_description").map(|more| format!(": {more}")).unwrap_or_default();
        let why: String = format!("{error}{more}").chars().take(500).collect();
        return Some(Err(OAuthError::Refused(why)));
    }
    Some(session.handle_callback_url(url.as_str()).await.map(drop).map_err(OAuthError::from))
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}
