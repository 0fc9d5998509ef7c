//! [`Profile`]: a named view for some clients, with the restrictions and rules that go with it.
//!
//! Chosen once per conversation, by `shared`; list and call then see the same scope, so they cannot disagree.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolgate::{Scope, ToolError, ToolRestriction};

use super::Client;

type Opening = Pin<Box<dyn Future<Output = Result<Scope, ToolError>> + Send>>;
type Open = dyn Fn(Client, String) -> Opening + Send + Sync;

/// A named view of tools, and the clients that get it.
///
/// A profile is no lock where clients choose it by their path or name: whoever may speak to the gateway may choose. A
/// [`Credential`](super::Credential) that is bound to a profile leaves no choice.
#[derive(Clone)]
pub struct Profile {
    name: String,
    open: Arc<Open>,
    restrictions: Vec<ToolRestriction>,
    clients: Vec<String>,
}

impl Profile {
    /// A profile whose conversations each get a new scope below this one. What is registered in the scope holds for all
    /// of them: tools, rules, guards.
    pub fn new(name: impl Into<String>, scope: Scope) -> Self {
        Self::opened_by(name, move |_, conversation| {
            let scope = scope.scope(&conversation);
            async move { Ok(scope) }
        })
    }

    /// A profile whose scopes are made by a function: where a conversation needs more of its own than a scope, such as
    /// servers that are started for it. It gets the client and a name that no other conversation has. The scope is closed
    /// when the conversation is over and its calls have settled.
    ///
    /// An error refuses the client with its message.
    pub fn opened_by<F>(
        name: impl Into<String>,
        open: impl Fn(Client, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Scope, ToolError>> + Send + 'static,
    {
        let open: Arc<Open> = Arc::new(move |client, conversation| Box::pin(open(client, conversation)));
        Self { name: name.into(), open, restrictions: Vec::new(), clients: Vec::new() }
    }

    /// The same, masking tools.
    #[must_use]
    pub fn restrict(mut self, restriction: ToolRestriction) -> Self {
        self.restrictions.push(restriction);
        self
    }

    /// The same, for clients that give themselves this name and ask for no profile by their path.
    #[must_use]
    pub fn for_client(mut self, name: impl Into<String>) -> Self {
        self.clients.push(name.into());
        self
    }

    /// The profile's name, which is also its path: `/mcp/<name>`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_for(&self, client: &Client) -> bool {
        client.name.as_ref().is_some_and(|name| self.clients.contains(name))
    }

    /// A scope for one conversation.
    pub(super) async fn open(&self, client: Client) -> Result<Scope, String> {
        static CONVERSATIONS: AtomicU64 = AtomicU64::new(1);
        let number = CONVERSATIONS.fetch_add(1, Ordering::Relaxed);
        let conversation = format!("mcp:{}:{number}", self.name);
        let scope = (self.open)(client, conversation).await.map_err(|error| error.message().to_owned())?;
        for restriction in &self.restrictions {
            if let Err(error) = scope.restrict(restriction.clone()) {
                scope.close();
                return Err(format!("the profile `{}` cannot be opened: {error}", self.name));
            }
        }
        Ok(scope)
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("name", &self.name)
            .field("restrictions", &self.restrictions)
            .field("clients", &self.clients)
            .finish_non_exhaustive()
    }
}
