//! What is configured about a server: its own keys in `toolgate.toml`, and the `mcpServers` object of other programs'
//! files. Nothing here opens a file or starts anything.

mod foreign;
mod secret;
mod server;
mod variables;

pub use foreign::{ForeignError, ForeignServers, read_mcp_servers};
pub use secret::Secret;
pub use server::{
    ConfigError, Effect, Endpoint, Handshake, NewTools, OAuthTable, PinPolicy, ServerConfig, ServerName,
    ServerTable, Timeouts, ToolSettings,
};
pub use variables::{Variables, expand};
