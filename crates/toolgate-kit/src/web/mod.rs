//! The web tools: `web_fetch` reads one page, `web_search` asks a search provider.
//!
//! Both speak through [`http`], which connects only to addresses that the configuration permits. Nothing here keeps
//! cookies, follows a proxy of the environment, or sends more than the request that the caller can see.

mod config;
mod error;
mod fetch;
mod html;
mod http;
mod plugin;
mod search;

pub use config::{ProviderName, SearchConfig, WebConfig};
pub use http::{AllowedHost, HostResolver, InvalidAllowedHost};
pub use plugin::{WebTools, web_tools};
pub use search::{SearchAnswer, SearchError, SearchProvider, SearchSource};
