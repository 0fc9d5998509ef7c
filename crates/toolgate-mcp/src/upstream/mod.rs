//! Servers whose tools become tools of the pipeline.
//!
//! [`Servers`] mounts them; each has one `server` task that connects (`connection`, `client`), asks for the tools
//! (`discovery`, `offer`), makes tools of them (`generation`, `bridge`) and begins again when something ends (`retry`).
//! A call goes through `bridge`, `call` and `answer`; `schema` judges arguments and results by the server's own schemas.

mod answer;
mod bridge;
mod call;
mod client;
mod connection;
mod discovery;
mod generation;
mod host;
mod offer;
mod patterns;
mod retry;
mod schema;
mod schema_cost;
mod server;
mod servers;
mod status;

pub use connection::{Identity, oauth_of};
pub use host::{Elicitation, ElicitationAnswer, ElicitationWanted, Elicitor, Host};
pub use servers::{MountError, Place, Servers};

pub(crate) use offer::Offer;
pub use status::{OfferedTool, Quarantined, ServerState, ServerStatus};
