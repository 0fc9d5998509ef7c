//! Logging in at servers that want to know who asks, by what `rmcp` offers: discovery, registration, PKCE, refresh.
//!
//! `store` keeps the tokens in a private file per server, `login` has somebody log in with a browser, and
//! [`manager_with_tokens`] is what a connection asks for a token. Nothing here opens a browser or prints.

mod login;
mod store;

pub use login::{Login, begin_login};
pub use store::TokenStore;

use std::fmt;
use std::path::PathBuf;

use rmcp::transport::auth::{AuthError, AuthorizationManager, OAuthClientConfig};
use url::Url;

/// How somebody logs in at a server.
#[derive(Clone, Debug)]
pub struct OAuth {
    /// Where the tokens are kept.
    pub store: TokenStore,
    /// The client that was registered with the server by hand. Without one, a client is registered when somebody logs in.
    pub client: Option<OAuthClient>,
    /// What to ask for. Without any, what the server says.
    pub scopes: Vec<String>,
}

/// A client that was registered by hand.
#[derive(Clone)]
pub struct OAuthClient {
    /// Its id.
    pub id: String,
    /// Its secret, where it has one. No message shows it.
    pub secret: Option<String>,
}

impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Somebody could not log in, or the tokens of a log-in cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OAuthError {
    /// The server or its authorization server does not do what the protocol says.
    #[error("the authorization failed: {0}")]
    Protocol(#[from] AuthError),
    /// The file of the tokens cannot be used.
    #[error("the tokens in {} cannot be used: {why}", path.display())]
    Store {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// No port of this machine is free for the answer of the browser.
    #[error("nothing can be listened to on 127.0.0.1: {0}")]
    Listen(std::io::Error),
    /// The person, or the server, said no.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// Nobody logged in.
    #[error("nobody logged in within {0} seconds\nhint: log in again, and finish in the browser")]
    TooLate(u64),
    /// The URL is none of a server.
    #[error("the URL of the server cannot be used: {0}")]
    Url(String),
}

/// What gives a connection its tokens, and refreshes them. Where there are none, or they belong to another authorization
/// server, every request goes without.
pub(crate) async fn manager_with_tokens(
    url: &Url,
    oauth: &OAuth,
) -> Result<AuthorizationManager, OAuthError> {
    let mut manager = manager(url, oauth).await?;
    // Without tokens, nobody is asked for anything before the server asks.
    if manager.initialize_from_store().await?
        && let Some(OAuthClient { id, secret: Some(secret) }) = &oauth.client
    {
        // The secret is not kept with the tokens. No redirect is used for a refresh.
        let config = OAuthClientConfig::new(id, url.as_str()).with_client_secret(secret);
        manager.configure_client(config.with_scopes(oauth.scopes.clone()))?;
    }
    Ok(manager)
}

async fn manager(url: &Url, oauth: &OAuth) -> Result<AuthorizationManager, OAuthError> {
    // `rmcp` makes a client of its own for this, which looks at the addresses that a server names, and takes the provider
    // of the process. Where there is one already, that stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut manager = AuthorizationManager::new(url.as_str()).await?;
    manager.set_credential_store(oauth.store.of(url));
    Ok(manager)
}
