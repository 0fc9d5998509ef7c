//! [`Profile`]: a named view for some clients, with the restrictions and rules that go with it.
//!
//! Chosen once per conversation, by `shared`; list and call then see the same scope, so they cannot disagree.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolgate::{Scope, ToolError, ToolRestriction};

use super::Client;

type Opening = Pin<Box<dyn Future<Output = Result<Conversation, ToolError>> + Send>>;
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

/// A conversation that has been opened: its scope, and what lives as long as it.
pub struct Conversation {
    pub(super) scope: Scope,
    pub(super) held: Option<Box<dyn Any + Send + Sync>>,
}

impl Conversation {
    /// A conversation in a scope that is its alone, which holds something until its scope has been closed.
    pub fn holding(scope: Scope, held: impl Send + Sync + 'static) -> Self {
        Self { scope, held: Some(Box::new(held)) }
    }
}

impl From<Scope> for Conversation {
    fn from(scope: Scope) -> Self {
        Self { scope, held: None }
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("scope", &self.scope).finish_non_exhaustive()
    }
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
    /// when the conversation is over and its calls have settled, and what the conversation holds is dropped after it.
    ///
    /// An error refuses the client with its message.
    pub fn opened_by<F, C>(
        name: impl Into<String>,
        open: impl Fn(Client, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, ToolError>> + Send + 'static,
        C: Into<Conversation>,
    {
        let open: Arc<Open> = Arc::new(move |client, conversation| {
            let opening = open(client, conversation);
            Box::pin(async move { opening.await.map(Into::into) })
        });
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
    pub(super) async fn open(&self, client: Client) -> Result<Conversation, String> {
        static CONVERSATIONS: AtomicU64 = AtomicU64::new(1);
        let number = CONVERSATIONS.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp:{}:{number}", self.name);
        let conversation = (self.open)(client, name).await.map_err(|error| error.message().to_owned())?;
        for restriction in &self.restrictions {
            if let Err(error) = conversation.scope.restrict(restriction.clone()) {
                conversation.scope.close();
                return Err(format!("the profile `{}` cannot be opened: {error}", self.name));
            }
        }
        Ok(conversation)
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
