//! [`WebTools`]: the tools that reach the network, as a plugin.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use toolgate::{Plugin, PluginContext, Registrar as _};

use super::config::{ProviderName, WebConfig};
use super::fetch::WebFetchTool;
use super::http::{AddressPolicy, HostResolver, HttpClient, SystemResolver};
use super::search::{Brave, SearchProvider, WebSearchTool};

/// The tools `web_fetch` and `web_search`.
///
/// They reach public addresses and those that the configuration allows; each address is checked after its name was
/// resolved, and the connection goes to the address that was checked. They send no cookies and no credentials but the
/// key of the search provider, and use no proxy of the environment. They need a tokio runtime with time and I/O.
/// Setting them up reads nothing and connects to nothing.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolgate::prelude::*;
/// use toolgate_kit::{WebConfig, web_tools};
///
/// let runtime = ToolRuntime::builder().plugin(web_tools(WebConfig::default())).build()?;
///
/// let args = serde_json::json!({ "url": "http://localhost/" });
/// let result = runtime.execute(ToolCall::new("web_fetch", args, CancellationToken::new())).await;
/// assert_eq!(result.code(), Some("ADDRESS_REFUSED"));
/// # Ok(())
/// # }
/// ```
pub fn web_tools(config: WebConfig) -> WebTools {
    WebTools { config: Arc::new(config), resolver: Arc::new(SystemResolver), provider: None }
}

/// The web tools of one configuration; made by [`web_tools`].
#[derive(Clone)]
pub struct WebTools {
    config: Arc<WebConfig>,
    resolver: Arc<dyn HostResolver>,
    provider: Option<Arc<dyn SearchProvider>>,
}

impl WebTools {
    /// Resolves names with `resolver` in place of the system's. What it answers is checked all the same.
    #[must_use]
    pub fn with_resolver(mut self, resolver: impl HostResolver) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Searches with `provider` in place of the one that the configuration names.
    #[must_use]
    pub fn with_search_provider(mut self, provider: impl SearchProvider) -> Self {
        self.provider = Some(Arc::new(provider));
        self
    }

    /// A client that reaches what the configuration allows.
    fn client(&self, allowed: AddressPolicy) -> Arc<HttpClient> {
        Arc::new(HttpClient::new(&self.config, allowed, Arc::clone(&self.resolver)))
    }

    fn provider(&self) -> Arc<dyn SearchProvider> {
        match (&self.provider, self.config.search.provider) {
            (Some(provider), _) => Arc::clone(provider),
            // The operator chose the provider's address, so no model can turn it against them.
            (None, ProviderName::Brave) => {
                Arc::new(Brave::new(self.client(AddressPolicy::anywhere()), &self.config.search))
            }
        }
    }
}

impl fmt::Debug for WebTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebTools").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Plugin for WebTools {
    fn name(&self) -> &str {
        "web-tools"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let client = self.client(AddressPolicy::new(self.config.allow_private.clone()));
        cx.register(WebFetchTool::new(client, Arc::clone(&self.config)))?;
        cx.register(WebSearchTool::new(self.provider(), Arc::clone(&self.config)))?;
        Ok(())
    }
}
