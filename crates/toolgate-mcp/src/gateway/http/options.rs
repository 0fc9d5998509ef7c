//! [`HttpOptions`]: who may come to a gateway over HTTP, and from where.

use std::io;

use super::{Access, Credential, Secret};

/// Who may come, and from where.
///
/// Pages in a browser can send requests to servers on the same machine, and by a name that they control even read the
/// answers. So only hosts that are listed here are answered, and only pages of origins that are.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub(super) access: Access,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
}

impl HttpOptions {
    /// For those who have one of these credentials, under the names of this machine for itself.
    #[must_use]
    pub fn new(access: Access) -> Self {
        let names = ["localhost", "127.0.0.1", "[::1]"];
        let origins = names.iter().flat_map(|name| [format!("http://{name}:*"), format!("https://{name}:*")]);
        Self {
            access,
            hosts: names.iter().map(|name| (*name).to_owned()).collect(),
            origins: origins.collect(),
        }
    }

    /// The same with a new token, which is to be told to whoever may come.
    ///
    /// # Errors
    /// The system gives no randomness.
    pub fn with_new_token() -> io::Result<(Self, Secret)> {
        let secret = Secret::generate()?;
        let credential = Credential::new("token", secret.clone());
        Ok((Self::new(Access::Credentials(vec![credential])), secret))
    }

    /// Answers under one more name: `host`, or `host:port`.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Answers pages of one more origin: `https://host:port`, with `*` for any port.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }
}
